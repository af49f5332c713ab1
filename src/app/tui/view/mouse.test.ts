import { describe, expect, it } from 'vitest';
import type { MouseInput } from '#model';
import { keyEvent, ViewedSession } from '../../../../test/support/tui/viewed-session.ts';

const size = { cols: 60, rows: 10 };

describe('the mouse', () => {
  it('goes to a program that asks for it, in its own coordinates', () => {
    const session = new ViewedSession({
      window: { cols: 20, rows: 5 },
      size,
      earlier: '\x1b[?1000h\x1b[9;41H',
    });
    session.drive();
    session.mouse({ action: 'press', row: 1, col: 2 });
    expect(session.effects).toEqual([
      { type: 'sendMouse', mouse: { action: 'press', row: 5, col: 23 } },
    ]);
  });

  it('that is dragged out of the session stays at its edge for the program, which gets the release', () => {
    const session = new ViewedSession({
      window: { cols: 20, rows: 5 },
      size: { cols: 20, rows: 5 },
      status: 'on',
      earlier: '\x1b[?1002h',
    });
    session.drive();
    const mouseInputs = () =>
      session.effects.flatMap((each) => ('mouse' in each ? [each.mouse] : []));
    // On the status line, it is not for the program.
    session.mouse({ action: 'press', row: 4, col: 3 });
    session.mouse({ action: 'release', row: 4, col: 3 });
    expect(mouseInputs()).toEqual([]);
    session.mouse({ action: 'press', row: 2, col: 3 });
    session.mouse({ action: 'move', button: 'left', row: 4, col: 6 });
    session.mouse({ action: 'release', row: 4, col: 6 });
    expect(mouseInputs()).toEqual([
      { action: 'press', row: 2, col: 3 },
      { action: 'move', button: 'left', row: 3, col: 6 },
      { action: 'release', row: 3, col: 6 },
    ]);
  });

  describe('only scrolls by the wheel', () => {
    const scrolled = async (drives = true) => {
      const session = new ViewedSession({ window: size, size, earlier: 'x\r\n'.repeat(50) });
      session.drive(drives);
      session.mouse({ action: 'scrollUp', row: 0, col: 0 });
      await session.settle();
      expect(session.state.scroll).not.toBe(null);
      return session;
    };

    it.each([
      [
        ['y', 'e', 's'],
        ['y', 'e', 's'],
      ],
      [['enter'], ['enter']],
      [['ctrl+c'], ['c']],
      [['escape'], ['escape']],
      [
        ['up', 'q'],
        ['up', 'q'],
      ],
    ])('what is typed returns to the end and reaches the program: %j', async (keys, words) => {
      const session = await scrolled();
      await session.press(...keys);
      const typed = session.effects.map((each) =>
        each.type === 'sendKey' ? each.key.press.key : each.type,
      );
      expect(typed).toEqual(words);
      expect(session.state.scroll).toBe(null);
    });

    it('a paste returns to the end and reaches the program, also while keys are commands', async () => {
      for (const keys of [[], ['ctrl+b', '[']]) {
        const session = await scrolled();
        await session.press(...keys);
        session.event({ type: 'paste', text: 'mv notes.txt' });
        expect(session.effects).toMatchObject([{ type: 'sendText', text: 'mv notes.txt' }]);
        expect(session.state.scroll).toBe(null);
      }
    });

    it('page keys go on scrolling, and commands begin after the leader', async () => {
      const session = await scrolled();
      await session.press('pageup', 'ctrl+b', '[', 'k', 'V', 'j');
      expect(session.effects).toEqual([]);
      expect(session.state.scroll?.selection?.kind).toBe('lines');
    });

    it('keys are commands for a person who only watches', async () => {
      const session = await scrolled(false);
      await session.press('V');
      expect(session.state.scroll?.selection?.kind).toBe('lines');
      expect(session.effects).toEqual([]);
    });
  });

  it('scrolls and leaves again where it does not', async () => {
    const session = new ViewedSession({ window: size, size, earlier: 'x\r\n'.repeat(50) });
    session.drive();
    session.mouse({ action: 'scrollUp', row: 0, col: 0 });
    await session.settle();
    expect(session.rows().at(-1)).toContain('lines 39-47 of 50');
    session.mouse({ action: 'scrollDown', row: 0, col: 0 });
    expect(session.state.scroll).toBe(null);
  });

  it.each<[what: string, events: [MouseInput['action'], number][], copied: string | null]>([
    ['a click', [['press', 5]], null],
    [
      'a drag',
      [
        ['press', 5],
        ['move', 8],
      ],
      'wo t',
    ],
    [
      'a drag in another direction',
      [
        ['press', 8],
        ['move', 5],
      ],
      'wo t',
    ],
    [
      'a double click',
      [
        ['press', 9],
        ['release', 9],
        ['press', 9],
      ],
      'three',
    ],
  ])('copies with %s, and the session is shown again', async (_what, events, copied) => {
    const session = new ViewedSession({ window: size, size, earlier: 'one two three' });
    session.drive();
    for (const [action, col] of events) {
      session.mouse({ action, button: 'left', row: 0, col });
      await session.settle();
    }
    session.mouse({ action: 'release', button: 'none', row: 0, col: 0 });
    expect(session.copied).toBe(copied);
    expect(session.state.scroll).toBe(null);
  });

  it('is cursor keys for the wheel on the alternate screen', () => {
    const session = new ViewedSession({ window: size, size, earlier: '\x1b[?1049h' });
    session.drive();
    session.mouse({ action: 'scrollUp', row: 0, col: 0 });
    const up = { ...keyEvent('up') };
    expect(session.effects).toEqual(Array(3).fill({ type: 'sendKey', key: up }));
  });
});
