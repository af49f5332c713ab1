import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '#model';
import { fakeSession } from '../../../test/support/session/fake-session.ts';

const begin = '\x1b[?2026h';
const end = '\x1b[?2026l';

function watched() {
  const fake = fakeSession();
  const frames: unknown[] = [];
  fake.session.view.onEvent((event: SessionEvent) => {
    const printed = [...fake.session.view.printedText()].map(({ text, from, to }) =>
      text.slice(from, to),
    );
    const { text } = fake.session.screen();
    frames.push([event.type, event.revision, text[0], printed]);
  });
  return { ...fake, seen: frames };
}

describe('a frame of synchronized output', () => {
  it('is shown when it is complete, to readers and observers', () => {
    const { pty, seen } = watched();
    pty.output(`old${begin}\rn`);
    pty.output('ew');
    pty.output(`!${end}?`);
    expect(seen).toEqual([
      ['output', 1, 'old', ['old']],
      ['output', 2, 'old', []],
      ['output', 3, 'old', []],
      ['output', 4, 'new!', ['new!']],
      ['output', 5, 'new!?', ['?']],
    ]);
  });

  it('is shown as far as it is drawn after a second', async () => {
    const { pty, clock, seen, session } = watched();
    pty.output(`${begin}one`);
    clock.advance(999);
    expect(session.screen().text[0]).toBe('');
    clock.advance(1);
    expect(seen.at(-1)).toEqual(['output', 3, 'one', ['one']]);
    pty.output('two\x1b[?2026$p');
    expect(session.screen().text[0]).toBe('onetwo');
    await expect.poll(() => pty.written).toEqual(['\x1b[?2026;2$y']);
  });

  it('is noted among the steps when it is shown after a second, and only then', async () => {
    const { pty, clock, session } = watched();
    pty.output(`${begin}1${end}`);
    pty.output(`${begin}2`);
    clock.advance(1000);
    expect(pty.notes).toEqual([['frame_end', 26]]);
    pty.output(`${begin}3`);
    await session.resize({ cols: 30, rows: 4 });
    pty.output(`${begin}4`);
    pty.announceExit({ code: 0, signal: null });
    expect(pty.notes).toHaveLength(1);
  });

  it('is shown by the note of a replay, with the revision of the first time', () => {
    const first = watched();
    first.pty.output(`${begin}1`);
    first.clock.advance(1000);
    first.pty.output('2');
    const replayed = watched();
    replayed.pty.output(`${begin}1`);
    replayed.pty.step({ type: 'note', offset: 9, note: 'frame_end' });
    replayed.pty.output('2');
    expect(replayed.seen).toEqual(first.seen);
    expect(replayed.pty.notes).toEqual([]);
  });

  it('has a full second, however long the previous one took', () => {
    const { pty, clock, session } = watched();
    pty.output(`${begin}1`);
    clock.advance(900);
    pty.output(`${end}${begin}2`);
    clock.advance(900);
    expect(session.screen().text[0]).toBe('1');
    clock.advance(100);
    expect(session.screen().text[0]).toBe('12');
  });

  it('is shown before a resize and before the exit', () => {
    const resized = watched();
    resized.pty.output(`${begin}x`);
    return resized.session.resize({ cols: 30, rows: 4 }).then(() => {
      expect(resized.seen.slice(-2)).toEqual([
        ['output', 3, 'x', ['x']],
        ['resize', 4, 'x', []],
      ]);
      const exited = watched();
      exited.pty.output(`${begin}x`);
      exited.pty.announceExit({ code: 0, signal: null });
      expect(exited.seen.slice(-2)).toEqual([
        ['output', 3, 'x', ['x']],
        ['exit', 3, 'x', ['x']],
      ]);
    });
  });

  it('leaves no timer behind', () => {
    const { pty, clock } = watched();
    pty.output(`${begin}x${end}`);
    expect(clock.pending).toBe(0);
  });
});
