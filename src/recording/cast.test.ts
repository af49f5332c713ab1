import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeUtf8 } from '#base';
import { CastEncoder, type CastVersion, parseCast, type RecordedEvent } from './index.ts';

const size = { cols: 80, rows: 24 };
const encode = (version: CastVersion, events: readonly RecordedEvent[]): string => {
  const encoder = new CastEncoder(version);
  return encoder.header({ size }) + events.map((event) => encoder.event(event)).join('');
};

const side = fc.integer({ min: 1, max: 1000 });
const event = fc.oneof(
  fc.record({
    type: fc.constantFrom('output' as const, 'input' as const),
    text: fc.string({ unit: 'grapheme' }),
  }),
  fc.record({ type: fc.constant('resize' as const), size: fc.record({ cols: side, rows: side }) }),
  fc.record({ type: fc.constant('marker' as const), label: fc.string() }),
);
const events = fc
  .array(fc.tuple(fc.double({ min: 0, max: 100_000, noNaN: true }), event))
  .map((list) => {
    let atMs = 0;
    return list.map(([sinceMs, each]): RecordedEvent => {
      atMs += sinceMs;
      return { ...each, atMs };
    });
  });

test.each([2, 3] as const)('what version %i encodes is read again', (version) => {
  fc.assert(
    fc.property(events, (list) => {
      const read = parseCast(encodeUtf8(encode(version, list)));
      expect(read.cutBytes).toBeUndefined();
      expect(read.events.map(({ atMs: _, ...rest }) => rest)).toEqual(
        list.map(({ atMs: _, ...rest }) => rest),
      );
      read.events.forEach((each, at) => {
        expect(Math.abs(each.atMs - (list[at]?.atMs ?? 0))).toBeLessThanOrEqual(0.501);
      });
    }),
  );
});

test('a recording that is cut within its last line gives all whole lines', () => {
  const list: RecordedEvent[] = [
    { atMs: 1, type: 'output', text: 'é\x1b[1m"\\\n' },
    { atMs: 2, type: 'output', text: '🎉 end' },
  ];
  const bytes = encodeUtf8(encode(3, list));
  const whole = [0, 1, 2].map((count) => encodeUtf8(encode(3, list.slice(0, count))).length);
  for (let length = whole[0] ?? 0; length <= bytes.length; length++) {
    const { events, cutBytes = 0 } = parseCast(bytes.subarray(0, length));
    const count = whole.filter((each) => each <= length).length - 1;
    // Only a line feed may be missing.
    expect(events.length - count).toBe(cutBytes === 0 && !whole.includes(length) ? 1 : 0);
    expect(events).toEqual(list.slice(0, events.length));
  }
});

test.each([
  ['', /line 1 .* it is empty/],
  ['{"version":1}\n', /line 1 .* version is 1/],
  ['{"version":3,"term":{"cols":0,"rows":24}}\n', /line 1 .* a size/],
  ['{"version":3,"term":{"cols":80,"rows":24}}\n[1,"o"]\n', /line 2 .* three elements/],
  ['{"version":3,"term":{"cols":80,"rows":24}}\n[1,"r","9x"]\n', /line 2 .* a size/],
])('reading %j names the line and the reason', (text, message) => {
  expect(() => parseCast(encodeUtf8(text))).toThrow(message);
});
