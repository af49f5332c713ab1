import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseKey } from '#keys';
import type { TtyEvent } from '#tty';
import { runs } from '../../../test/support/run/runs.ts';
import { edited, emptyLine, type LineText } from './line-editor.ts';

const key = (name: string): TtyEvent => ({
  type: 'key',
  press: parseKey(name),
  action: 'press',
  bytes: new Uint8Array(),
});
const paste = (text: string): TtyEvent => ({ type: 'paste', text });

/** The line after events, with `|` at the cursor; `-` for an event that does not edit. */
const after = (events: readonly TtyEvent[], start: LineText = emptyLine): string => {
  let line = start;
  for (const event of events) {
    const next = edited(line, event);
    if (next === null) return '-';
    line = next;
  }
  return `${line.text.slice(0, line.at)}|${line.text.slice(line.at)}`;
};
const typed = (text: string) => [...text].map((each) => key(each === ' ' ? 'space' : each));

describe('a line that a person edits', () => {
  it.each([
    ['characters', typed('a Bé'), 'a Bé|'],
    ['the cursor', [...typed('abc'), key('left'), key('left'), key('x'), key('end')], 'axbc|'],
    ['home and delete', [...typed('abc'), key('home'), key('delete')], '|bc'],
    ['a word', [...typed('one two '), key('ctrl+w')], 'one |'],
    ['all before', [...typed('abc'), key('left'), key('ctrl+u')], '|c'],
    ['all after', [...typed('abc'), key('home'), key('right'), key('ctrl+k')], 'a|'],
    [
      'whole characters',
      [paste('a👩‍👧é'), key('backspace'), key('ctrl+b'), key('ctrl+h')],
      '|👩‍👧',
    ],
    ['a paste of lines', [paste('one\r\ntwo\x1b[')], 'one two[|'],
    ['a key that does not edit', [key('enter')], '-'],
    ['a key with a modifier', [key('alt+x')], '-'],
  ])('follows %s', (_, events, expected) => {
    expect(after(events)).toBe(expected);
  });

  it('keeps its cursor inside the text', () => {
    const events = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 4 }).map(paste),
      fc
        .constantFrom(
          'left',
          'right',
          'home',
          'end',
          'backspace',
          'delete',
          'ctrl+w',
          'ctrl+k',
          'x',
        )
        .map(key),
    );
    fc.assert(
      fc.property(fc.array(events, { maxLength: 20 }), (all) => {
        let line = emptyLine;
        for (const event of all) {
          line = edited(line, event) ?? line;
          expect(line.at).toBeGreaterThanOrEqual(0);
          expect(line.at).toBeLessThanOrEqual(line.text.length);
        }
      }),
      runs(100),
    );
  });
});
