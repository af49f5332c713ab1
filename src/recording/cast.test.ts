import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeUtf8 } from '#base';
import {
  CastEncoder,
  type CastVersion,
  parseCast,
  type RecordedEvent,
  redactHeader,
  tokenRule,
} from './index.ts';

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

const cutEvents = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => ({ type: 'output' as const, text })),
    fc.constantFrom<{ type: 'output'; text: string } | { type: 'exit'; status: number }>(
      { type: 'output', text: 'é\x1b[1m"\\\n' },
      { type: 'output', text: '🎉 end' },
      { type: 'exit', status: 10 },
    ),
    fc.string().map((label) => ({ type: 'marker' as const, label })),
    fc.record({
      type: fc.constant('resize' as const),
      size: fc.record({ cols: side, rows: side }),
    }),
    fc.record({ type: fc.constant('note' as const), note: fc.constant({ exit: 10, '"': 'é' }) }),
  ),
  { minLength: 2, maxLength: 4 },
);

test.each([2, 3] as const)(
  'a recording in version %i that is cut at any byte of its last two lines gives all whole lines',
  (version) => {
    fc.assert(
      fc.property(cutEvents, (list) => {
        const own = list.filter(({ type }) => version === 3 || !/note|exit/.test(type));
        fc.pre(own.length > 1);
        const events = own.map((each, index): RecordedEvent => ({ ...each, atMs: index * 10 }));
        const bytes = encodeUtf8(encode(version, events));
        const read = (count: number) =>
          parseCast(encodeUtf8(encode(version, events.slice(0, count))));
        const ends = events.map(
          (_, count) => encodeUtf8(encode(version, events.slice(0, count))).length,
        );
        const from = ends.at(-2) ?? 0;
        for (let length = from; length <= bytes.length; length++) {
          const cut = parseCast(bytes.subarray(0, length));
          const whole = read(
            length === bytes.length ? events.length : ends.findLastIndex((end) => end <= length),
          );
          // The last line counts as complete if only its line feed is missing.
          const isComplete = cut.events.length > whole.events.length;
          if (isComplete) expect(bytes[length]).toBe(0x0a);
          expect(cut.events).toEqual(
            isComplete ? read(whole.events.length + 1).events : whole.events,
          );
        }
      }),
      { numRuns: 40 },
    );
  },
);

test.each([0, 1])('version 1 is read, on one line or on several (%i)', (indent) => {
  const stdout = [
    [0.25, 'one'],
    [1.5, 'two\n'],
  ];
  const cast = { version: 1, width: 80, height: 24, duration: 1.75, title: 't', env: {}, stdout };
  const read = parseCast(encodeUtf8(JSON.stringify(cast, null, indent)));
  expect(read).toEqual({
    version: 2,
    header: { size, title: 't', env: {} },
    events: [
      { atMs: 250, type: 'output', text: 'one' },
      { atMs: 1750, type: 'output', text: 'two\n' },
    ],
  });
});

test('comments and statuses that vtr does not write are no notes and no exit', () => {
  const lines = [
    '# vtr null',
    '# vtr [1]',
    '# vtr {"a":{}}',
    '[0,"x",""]',
    '[0,"x","256"]',
    '[0,"x","7"]',
  ];
  const text = ['{"version":3,"term":{"cols":80,"rows":24}}', ...lines, ''].join('\n');
  const at = { atMs: 0 };
  expect(parseCast(encodeUtf8(text)).events).toEqual([
    { ...at, type: 'other', code: 'x', data: '' },
    { ...at, type: 'other', code: 'x', data: '256' },
    { ...at, type: 'exit', status: 7 },
  ]);
});

test.each([2, 3] as const)('a line in version %i has no control characters', (version) => {
  const encoder = new CastEncoder(version);
  const controls = '\x9b31m\x90\x9d\x7f';
  const lines = [
    encoder.header({ size, title: controls }),
    encoder.event({ atMs: 0, type: 'output', text: controls }),
  ];
  for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]*\n$/);
  const { header, events } = parseCast(encodeUtf8(lines.join('')));
  expect([header.title, events[0]]).toMatchObject([controls, { text: controls }]);
});

test('what version 3 says of its terminal is kept, and version 2 has the TERM', () => {
  const term = { cols: 80, rows: 24, type: 'xterm-kitty', version: 'kitty(0.46)' };
  const head = { version: 3, term, env: { SHELL: '/bin/sh' }, tags: ['a', 'b'] };
  const { header } = parseCast(encodeUtf8(JSON.stringify(head)));
  expect(JSON.parse(new CastEncoder(3).header(header))).toEqual(head);
  expect(JSON.parse(new CastEncoder(2).header(header))).toEqual({
    version: 2,
    width: 80,
    height: 24,
    env: { SHELL: '/bin/sh', TERM: 'xterm-kitty' },
  });
});

test('tags and the terminal of a header are redacted', () => {
  const secret = 'AKIAIOSFODNN7EXAMPLE';
  const header = { size, termType: secret, termVersion: secret, tags: ['a', secret] };
  const redacted = JSON.stringify(redactHeader(header, [tokenRule]));
  expect(redacted).toContain('"a"');
  expect(redacted).not.toContain('IOSFODNN7');
});

test.each([
  [0, 0],
  [80, 0],
  [0, 24],
])('a size of %ix%i says that a recorder found no size', (width, height) => {
  const data = `${width}x${height}`;
  const text = `${JSON.stringify({ version: 2, width, height })}\n[1,"r","${data}"]\n`;
  const { header, events, invalidLine } = parseCast(encodeUtf8(text));
  expect(header.size).toEqual(size);
  expect(events).toEqual([{ atMs: 1000, type: 'other', code: 'r', data }]);
  expect(invalidLine).toBeUndefined();
});

test.each([
  ['[1,"o",7]', /its data are strings/],
  ['[1,"o"]', /three elements/],
  ['what is this', /JSON/],
  ['[1,"r","9x"]', /a size/],
  ['[1e999,"o","a"]', /a time is/],
])('a recording is read up to a line that is not valid: %s', (line, reason) => {
  const text = ['{"version":3,"term":{"cols":80,"rows":24}}', '[1,"o","a"]', line, '[1,"o","b"]'];
  const { events, invalidLine } = parseCast(encodeUtf8(`${text.join('\n')}\n`));
  expect(events).toEqual([{ atMs: 1000, type: 'output', text: 'a' }]);
  expect(invalidLine).toEqual({ number: 3, reason: expect.stringMatching(reason) });
});

test('a recording in version 1 is read up to an entry that is not valid', () => {
  const text = `{"version":1,"width":80,"height":24,"stdout":[[1,"a"],[1,7],[1,"c"]]}`;
  const { events, invalidLine } = parseCast(encodeUtf8(text));
  expect(events).toEqual([{ atMs: 1000, type: 'output', text: 'a' }]);
  expect(invalidLine).toMatchObject({ number: 2 });
});

test('a limit of pauses that is not finite is none', () => {
  const text = '{"version":2,"width":80,"height":24,"idle_time_limit":1e999}\n';
  expect(parseCast(encodeUtf8(text)).header).toEqual({ size });
});

test('a byte order mark in front of a recording is ignored', () => {
  const text = '\ufeff{"version":2,"width":80,"height":24}\n';
  expect(parseCast(encodeUtf8(text)).header).toEqual({ size });
});

test.each([
  ['', /line 1 .* it is empty/],
  ['[]\n', /not an asciicast: its first line is not an object of JSON/],
  ['root:x:0:0\n', /not an asciicast: its first line is not an object of JSON/],
  ['{}\n', /line 1 .* it has no version; asciicast 1, 2 and 3/],
  ['{"version":1}\n', /line 1 .* array "stdout"/],
  ['{"version":1,"width":-1,"height":9,"stdout":[]}\n', /line 1 .* a size/],
  ['{"version":4}\n', /line 1 .* version is 4; asciicast 1, 2 and 3/],
  ['{"version":3,"term":{"cols":1.5,"rows":24}}\n', /line 1 .* a size/],
])('reading %j names the line and the reason', (text, message) => {
  expect(() => parseCast(encodeUtf8(text))).toThrow(message);
});
