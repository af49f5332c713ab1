import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventRedactor, literalRule, type RecordedEvent, tokenRule } from '../index.ts';

const token = 'ghp_0123456789abcdefghijABCDEFGHIJ456789';
const rules = [tokenRule, literalRule(['correct horse'])];

const text = fc.array(
  fc.constantFrom(
    token.slice(0, 9),
    token.slice(9),
    'correct ',
    'horse',
    ' ',
    '\r\n',
    '\x1b[1m',
    'a',
  ),
);
const event = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('output' as const),
      text: text.map((t) => t.join('')),
    }),
  },
  fc.record({ type: fc.constant('input' as const), text: text.map((t) => t.join('')) }),
  fc.record({ type: fc.constant('marker' as const), label: fc.constantFrom('build', token) }),
  fc.constant({ type: 'note' as const, note: { cmd: 1, line: token, exit: null } }),
);

const textOf = (events: readonly RecordedEvent[], type: 'output' | 'input'): string =>
  events.map((each) => (each.type === type ? each.text : '')).join('');

test('events keep their order, their times and their length, and no secret is left', () => {
  fc.assert(
    fc.property(fc.array(event), (list) => {
      const events = list.map((each, atMs): RecordedEvent => ({ ...each, atMs }));
      const redactor = new EventRedactor(rules);
      const released = [...events.flatMap((each) => redactor.push(each)), ...redactor.end()];
      const times = released.map(({ atMs }) => atMs);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      for (const each of events) {
        const parts = released.filter(({ atMs }) => atMs === each.atMs);
        expect(parts.every(({ type }) => type === each.type)).toBe(true);
        if (each.type === 'output' || each.type === 'input') {
          expect(textOf(parts, each.type)).toHaveLength(each.text.length);
        } else expect(parts).toHaveLength(1);
      }
      for (const type of ['output', 'input'] as const) {
        const plain = textOf(released, type).replaceAll('\x1b[1m', '');
        expect(plain).not.toContain(token);
        expect(plain).not.toContain('correct horse');
      }
      expect(
        JSON.stringify(released.filter(({ type }) => type === 'marker' || type === 'note')),
      ).not.toContain(token);
    }),
  );
});
