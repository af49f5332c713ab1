import { describe, expect, it } from 'vitest';
import type { Driver, KeyPress, ViewingState } from '#model';
import type { TtyEvent } from '#tty';
import { keyEvent, ViewedSession } from '../../../../test/support/tui/viewed-session.ts';
import { Keys } from '../keys.ts';
import { wantedMouse } from './layout.ts';
import { type Effect, wakeAtMs } from './view-state.ts';

const size = { cols: 60, rows: 10 };

const driver = (kind: Driver['kind'], name: string): Driver => ({
  kind,
  name,
  sinceMs: 0,
  epoch: 2,
  untilMs: 10_000,
});

const holder = (name: string): Driver => ({ ...driver('person', name), holds: true });

const watching = (by: Driver | null, more: Partial<ViewingState> = {}): ViewingState => ({
  drives: false,
  driver: by,
  epoch: 2,
  name: '',
  viewers: [],
  ...more,
});

const types = (effects: readonly Effect[]) => effects.map(({ type }) => type);

describe('keys', () => {
  it('go to the program, all but the leader', async () => {
    const session = new ViewedSession({ window: size, size });
    session.drive();
    await session.press('a', 'ctrl+c', 'f5', 'escape', 'ctrl+b', 'ctrl+b', 'ctrl+b', 'b', '[');
    const presses = session.effects.map((effect) =>
      effect.type === 'sendKey' ? effect.key.press : null,
    );
    const leader = { key: 'b', ctrl: true };
    expect(presses).toEqual([
      { key: 'a' },
      { key: 'c', ctrl: true },
      { key: 'f5' },
      { key: 'escape' },
      leader,
      leader,
      { key: '[' },
    ]);
  });

  it('with super or hyper go only to a program of the kitty protocol, and never without them', async () => {
    const session = new ViewedSession({ window: size, size });
    session.drive();
    await session.press('super+a', 'hyper+a', 'super+enter', 'super+left', 'ctrl+super+c');
    expect(session.effects).toEqual([]);
    session.print('\x1b[>1u');
    await session.press('super+a', 'hyper+left');
    expect(types(session.effects)).toEqual(['sendKey', 'sendKey']);
  });

  it('all go to the program without a leader', async () => {
    const session = new ViewedSession({ window: size, size, keys: new Keys(null) });
    session.drive();
    await session.press('ctrl+b', 'd');
    expect(types(session.effects)).toEqual(['sendKey', 'sendKey']);
  });

  it.each<[key: string, effect: Partial<Effect>]>([
    ['d', { type: 'detach' }],
    ['r', { type: 'resize' }],
    ['R', { type: 'record' }],
    ['w', { type: 'overview' }],
    ['n', { type: 'session', step: 1 }],
    ['p', { type: 'session', step: -1 }],
    ['L', { type: 'last' }],
    ['T', { type: 'take', force: true }],
    ['ctrl+z', { type: 'suspend' }],
    ['ctrl+l', { type: 'repaint' }],
    ['s', { type: 'switcher' }],
    ['L', { type: 'last' }],
    [')', { type: 'neighbour', step: 1 }],
    ['(', { type: 'neighbour', step: -1 }],
    ['0', { type: 'number', number: 0 }],
    ['7', { type: 'number', number: 7 }],
    ['N', { type: 'newSession' }],
    [']', { type: 'paste' }],
    ['e', { type: 'editor' }],
    ['z', { type: 'ring' }],
  ])('after the leader: %s', async (key, effect) => {
    const session = new ViewedSession({ window: size, size });
    session.drive();
    await session.press('ctrl+b', key);
    expect(session.effects).toEqual([effect]);
    await session.press('a');
    expect(types(session.effects).at(-1)).toBe('sendKey');
  });

  it('without the leader are commands, but not while scrolling or in a prompt', async () => {
    const keys = new Keys(
      { key: 'b', ctrl: true },
      { direct: { next_session: 'alt+right', number: ['alt+1', 'alt+2'], last: ['ctrl+u', 'f1'] } },
    );
    const session = new ViewedSession({ window: size, size, keys });
    session.drive();
    await session.press('alt+right', 'alt+2', 'ctrl+u');
    expect(session.effects).toEqual([
      { type: 'neighbour', step: 1 },
      { type: 'number', number: 2 },
      { type: 'last' },
    ]);
    session.event({ ...keyEvent('alt+right'), action: 'release' } as TtyEvent);
    // In scroll mode, its own keys come first; others leave nothing out.
    await session.press('ctrl+b', '[', 'ctrl+u', 'alt+right', 'q', 'ctrl+b', ':', 'alt+right');
    expect(types(session.effects).slice(3)).toEqual(['neighbour']);
    await session.press('escape', 'right', 'alt+left');
    expect(types(session.effects).slice(4)).toEqual(['sendKey', 'sendKey']);
    // After the wheel, a key that moves in scroll mode is what it is without.
    session.print('x\r\n'.repeat(20));
    session.mouse({ action: 'scrollUp', row: 1, col: 1 });
    await session.settle();
    await session.press('ctrl+u', 'a');
    expect(types(session.effects).slice(6)).toEqual(['last', 'sendKey']);
    const exited = { state: 'ended', how: 'exited with status 0', isRemoved: false } as const;
    session.act({ type: 'connection', connection: exited });
    await session.press('alt+right', 'q');
    expect(types(session.effects).slice(8)).toEqual(['neighbour', 'leave']);
  });

  it('without the leader work where there is none', async () => {
    const keys = new Keys(null, { direct: { detach: 'alt+d', help: 'f1' } });
    const session = new ViewedSession({ window: { cols: 80, rows: 12 }, size, keys });
    session.drive();
    await session.press('ctrl+b', 'alt+d', 'f1');
    expect(types(session.effects)).toEqual(['sendKey', 'detach']);
    expect(session.rows().slice(0, 5)).toEqual([
      ' All keys go to the program (--leader none).',
      '',
      ' Without the leader',
      '  Alt+d                 detach: the session goes on',
      '  F1                    this help',
    ]);
  });

  it('can be sequences after the leader: what follows is shown while one waits', async () => {
    const keys = new Keys(
      { key: 'b', ctrl: true },
      { attach: { next_session: 'v n', last: 'v ctrl+a x' } },
    );
    const window = { cols: 120, rows: 10 };
    const session = new ViewedSession({ window, size: window, keys, status: 'off' });
    session.drive();
    await session.press('ctrl+b', 'v');
    expect(session.rows().at(-1)).toBe(
      ' Ctrl+b v …  Esc leaves · Ctrl+a x back to the session that you were in before · n the next session, from the oldest to',
    );
    await session.press('ctrl+a');
    expect(session.rows().at(-1)).toBe(
      ' Ctrl+b v Ctrl+a …  Esc leaves · x back to the session that you were in before',
    );
    await session.press('x', 'ctrl+b', 'v', 'n');
    expect(session.effects).toEqual([{ type: 'last' }, { type: 'neighbour', step: 1 }]);
    expect(session.rows().at(-1)).toBe('');
    // Escape leaves without a word; another key tells that it is nothing. Neither reaches the program.
    await session.press('ctrl+b', 'v', 'escape');
    expect([session.rows().at(-1), session.state.leading]).toEqual(['', false]);
    await session.press('ctrl+b', 'v', 'z');
    expect(session.rows().at(-1)).toBe(' no command: Ctrl+b ? lists them');
    await session.press('z', 'ctrl+b', 'd');
    expect(types(session.effects).slice(2)).toEqual(['ring', 'sendKey', 'detach']);
  });

  it.each<[keys: string[], effects: Effect[], row: string]>([
    [['k'], [], 'kill the program of build? (y/n)'],
    [['k', 'n'], [], ''],
    [['k', 'x', 'y'], [{ type: 'kill' }], ''],
    [['X'], [], 'end and remove build? (y/n)'],
    [['X', 'y'], [{ type: 'removeAndGo' }], ''],
    [[',', 'ctrl+u', 'a', 'enter'], [{ type: 'rename', name: 'a' }], ''],
    [['$', 'enter'], [], ''],
    [['t'], [{ type: 'take', force: false }], ''],
    [[':', 'l', 's', 'enter'], [{ type: 'command', line: 'ls' }], ''],
    [[':', 'l', 'backspace', 'backspace'], [], ''],
  ])('asks on the last row: %j', async (keys, effects, row) => {
    const session = new ViewedSession({ window: size, size });
    session.drive();
    await session.press('ctrl+b', ...keys);
    expect(session.effects).toEqual(effects);
    expect(session.rows().at(-1)).toBe(row);
  });

  it.each<[keys: string[], effects: Effect[], row: string]>([
    [['t'], [], 'note for the agent (may be empty):'],
    [['t', 'h', 'i', 'enter'], [{ type: 'give', note: 'hi' }], ' you hold it'],
    [['t', 'escape'], [], ' you still hold it'],
  ])('give back what the person holds: %j', async (keys, effects, row) => {
    const session = new ViewedSession({ window: size, size });
    session.act({ type: 'viewing', viewing: watching(null, { drives: true, holds: true }) });
    await session.press('ctrl+b', ...keys);
    expect(session.effects).toEqual(effects);
    expect(session.rows().at(-1)).toBe(row);
  });

  it('that would split a window tell what to do instead', async () => {
    const session = new ViewedSession({ window: { cols: 100, rows: 10 }, size });
    session.drive();
    for (const key of ['%', '"']) {
      await session.press('ctrl+b', key);
      expect(session.rows().at(-1)).toContain('vtr ui shows several side by side');
    }
    expect(session.effects).toEqual([]);
  });

  it('show the time, which changes once a minute, until any key', async () => {
    const session = new ViewedSession({ window: size, size });
    session.drive();
    const before = wakeAtMs(session.state);
    await session.press('ctrl+b', 'C');
    expect(before).toBeNull();
    expect(wakeAtMs(session.state)).toBe((Math.floor(session.nowMs / 60_000) + 1) * 60_000);
    const date = new Date(session.nowMs);
    expect(session.rows().at(-1)).toContain(String(date.getFullYear()));
    await session.press('a');
    expect(session.state.overlay).toBeNull();
    expect(session.effects).toEqual([]);
  });

  it('complete a command, and bring back earlier ones', async () => {
    const session = new ViewedSession({ window: size, size });
    session.drive();
    await session.press('ctrl+b', ':');
    await session.type('re');
    await session.press('tab');
    expect(session.effects).toEqual([{ type: 'complete', line: 're' }]);
    session.act({ type: 'completed', line: 're', words: ['read', 'rename', 'resize'] });
    expect(session.rows().slice(-2)).toEqual([' read  rename  resize', ':re']);
    await session.type('n');
    session.act({ type: 'completed', line: 're', words: ['read'] });
    expect(session.rows().at(-1)).toBe(':ren');
    session.act({ type: 'completed', line: 'ren', words: ['rename'] });
    await session.type('x');
    await session.press('enter', 'ctrl+b', ':', 'up');
    expect(session.effects.at(-1)).toEqual({ type: 'command', line: 'rename x' });
    expect(session.rows().at(-1)).toBe(':rename x');
    await session.press('up', 'down', 'down');
    expect(session.rows().at(-1)).toBe(':');
  });

  it('show what a command has printed, which can be scrolled', async () => {
    const session = new ViewedSession({ window: size, size });
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    session.act({ type: 'page', title: 'ls', lines });
    expect(session.rows()[0]).toBe('line 0');
    expect(session.rows().at(-1)).toContain('ls · q leaves');
    await session.press('end');
    expect(session.rows().slice(0, -1).at(-1)).toBe('line 29');
    await session.press('q');
    expect(session.state.overlay).toBeNull();
  });

  it('leaves the mouse to the terminal where the person wants that, except for a program', async () => {
    const session = new ViewedSession({ window: size, size, usesMouse: false });
    session.drive();
    expect(wantedMouse(session.state)).toBe('none');
    session.print('\x1b[?1000h');
    expect(wantedMouse(session.state)).toBe('normal');
    await session.press('ctrl+b', '[');
    expect(wantedMouse(session.state)).toBe('none');
  });

  it('in a narrow window, the help has what a key does below it', async () => {
    const narrow = { cols: 30, rows: 20 };
    const session = new ViewedSession({ window: narrow, size: narrow });
    await session.press('ctrl+b', '?');
    expect(session.rows().slice(0, 7)).toEqual([
      ' After Ctrl+b',
      '  Ctrl+b d',
      '    detach: the session goes',
      '    on',
      '  Ctrl+b t',
      '    hold the session, or give',
      '    it back',
    ]);
  });

  it.each([
    ['|', 'wc -l', { type: 'pipe', command: 'wc -l' }],
    ['>', 'out.txt', { type: 'file', path: 'out.txt' }],
  ])('while scrolling, %s sends the line to what is typed', async (key, typed, to) => {
    const session = new ViewedSession({ window: size, size, earlier: 'one\r\ntwo' });
    await session.press('ctrl+b', 'c', key);
    await session.type(typed);
    await session.press('enter');
    expect(session.effects).toEqual([{ type: 'copy', text: 'two', size: '3 characters', to }]);
    expect(session.state.scroll).toBeNull();
  });

  it('while scrolling, * searches the word at the cursor', async () => {
    const earlier = 'ab.c x\r\nabc\r\nx ab.c';
    const session = new ViewedSession({ window: size, size, earlier });
    await session.press('ctrl+b', '[', '*');
    expect(session.state.scroll?.search).toMatchObject({ source: 'ab', lines: [0, 1, 2] });
    expect(session.state.scroll?.cursor).toEqual({ line: 1, col: 0 });
    await session.press('2', 'j', '$', '#');
    expect(session.state.scroll?.search).toMatchObject({ source: 'c', backward: true });
  });

  it('of a person who only watches neither type nor take', async () => {
    const session = new ViewedSession({ window: size, size, watches: true });
    session.act({ type: 'viewing', viewing: watching(null) });
    for (const keys of [['a'], ['ctrl+b', 't'], ['ctrl+b', 'T']]) {
      await session.press(...keys);
      expect(session.rows().at(-1)).toContain('not sent: ');
    }
    expect(session.effects).toEqual([]);
  });

  it('of a terminal that reports all keys may need shift and ctrl, which the program gets elsewhere', async () => {
    const session = new ViewedSession({ window: size, size });
    session.drive();
    const pressKey = (press: KeyPress) => {
      const { action = 'press' } = press;
      session.event({ type: 'key', press, action, bytes: new Uint8Array() });
    };
    const shift: KeyPress = { key: 'left_shift' };
    pressKey({ key: 'left_control' });
    pressKey({ key: 'b', ctrl: true });
    pressKey({ key: 'left_control', ctrl: true, action: 'release' });
    pressKey(shift);
    pressKey({ key: '/', shift: true });
    pressKey({ ...shift, action: 'release' });
    expect(session.state.overlay?.type).toBe('help');
    expect(types(session.effects)).toEqual(['sendKey', 'sendKey', 'sendKey']);
  });

  it('go to the program while an agent types', async () => {
    const session = new ViewedSession({ window: size, size });
    const viewing = watching(driver('agent', 'claude'), { drives: true });
    session.act({ type: 'viewing', viewing });
    await session.press('a');
    expect(types(session.effects)).toEqual(['sendKey']);
  });

  it('do not go to the program while another person holds it; the person reads who does', async () => {
    const session = new ViewedSession({ window: size, size });
    session.act({ type: 'viewing', viewing: watching(holder('bob\x1b[31m')) });
    const banner = 'bob[31m holds it: Ctrl+b t to ask for it';
    expect(session.rows().at(-1)).toBe(` ${banner}`);
    session.nowMs = wakeAtMs(session.state) ?? 0;
    session.act({ type: 'time' });
    expect(session.rows().at(-1)).toBe('');
    await session.press('a');
    session.event({ type: 'paste', text: 'text' });
    expect(session.rows().at(-1)).toBe(` not sent: ${banner}`);
    expect(session.effects).toEqual([]);
    await session.press('ctrl+b', 't');
    expect(session.effects).toEqual([{ type: 'take', force: false }]);
  });

  it.each<[viewing: ViewingState, text: string]>([
    [watching(holder('alice')), ' alice holds it: Ctrl+b t to ask for it'],
    [watching(null), ' you watch'],
    [
      watching(null, { drives: true, holds: true, askedBy: 'bob' }),
      ' bob asks for it: Ctrl+b t gives it',
    ],
    [watching(null, { drives: true, holds: true }), ' you hold it'],
    [
      watching({ ...holder('me'), handedBy: 'bob' }, { drives: true, holds: true, note: 'go on' }),
      ' bob handed it to you (go on)',
    ],
  ])('%j is told as %s', (viewing, text) => {
    const session = new ViewedSession({ window: size, size });
    session.act({ type: 'viewing', viewing: watching(driver('agent', 'x'), { drives: true }) });
    session.act({ type: 'viewing', viewing });
    expect(session.rows().at(-1)).toBe(text);
  });

  it('are told once that it was handed over, also after the connection was lost', () => {
    const session = new ViewedSession({ window: size, size });
    const driver = { ...holder('me'), handedBy: 'bob' };
    const viewing = watching(driver, { drives: true, holds: true });
    session.act({ type: 'viewing', viewing: watching(holder('bob')) });
    session.act({ type: 'viewing', viewing });
    expect(session.rows().at(-1)).toBe(' bob handed it to you');
    session.nowMs = wakeAtMs(session.state) ?? 0;
    session.act({ type: 'connection', connection: { state: 'lost', untilMs: 60_000 } });
    session.act({ type: 'connection', connection: { state: 'connected' } });
    session.act({ type: 'viewing', viewing });
    expect(session.rows().at(-1)).toBe(' connected again');
  });

  it('of an ended session say what happens with it', async () => {
    const session = new ViewedSession({
      window: { cols: 80, rows: 10 },
      size,
      earlier: 'last words',
    });
    session.act({
      type: 'connection',
      connection: { state: 'ended', how: 'exited with status 0', isRemoved: false },
    });
    expect(session.rows().at(-1)).toContain(
      'exited with status 0 · Enter starts it again · x removes it · q leaves',
    );
    await session.press('a', 'enter', 'x', 'q');
    expect(types(session.effects)).toEqual(['restart', 'remove', 'leave']);
    await session.press('f5', 'g');
    expect(session.rows()[0]).toBe('last words');
    expect(session.rows().at(-1)).toContain('scroll');
  });
});

describe('the window', () => {
  const wide = { cols: 70, rows: 14 };

  it('shows a border and a status line where it is larger', () => {
    const session = new ViewedSession({ window: wide, size, earlier: 'hello' });
    session.act({ type: 'session', name: 'build', activity: 'at prompt' });
    session.drive();
    const rows = session.rows();
    expect(rows[0]).toBe(`hello${' '.repeat(55)}│`);
    expect(rows[10]).toBe(`${'─'.repeat(60)}┘`);
    expect(rows[13]).toBe(' build  default  60x10  at prompt');
  });

  it.each([
    ['auto', size, 'j'],
    ['off', wide, ''],
    ['off', size, 'j'],
    ['auto', { cols: 60, rows: 11 }, ' build  default  60x10'],
    ['on', size, ' build  default  60x10  rows 1-9 of 10'],
  ] as const)('with --status %s in %j has %j in the last row', (status, window, last) => {
    const session = new ViewedSession({
      window,
      size,
      status,
      earlier: 'a\r\nb\r\nc\r\nd\r\ne\r\nf\r\ng\r\nh\r\ni\r\nj\x1b[H',
    });
    session.nowMs += 4000;
    session.act({ type: 'time' });
    expect(session.rows().at(-1)).toBe(last);
  });

  it('shows the part around the cursor where it is smaller, or the part that was chosen', async () => {
    const lines = Array.from({ length: 10 }, (_, at) => `${at}`.repeat(60)).join('\r\n');
    const session = new ViewedSession({ window: { cols: 30, rows: 4 }, size, earlier: lines });
    session.act({ type: 'viewing', viewing: watching(null) });
    expect(session.rows().at(-1)).toBe(' you watch · rows 7-10 of 10,');
    expect(session.state.notice?.text).toContain(' · rows 7-10 of 10, columns 31-60 of 60');
    session.nowMs += 4000;
    session.act({ type: 'time' });
    const shown = () =>
      session
        .rows()
        .map((row) => row[0])
        .join('');
    expect(shown()).toBe('6789');
    await session.press('ctrl+b', 'up', 'ctrl+b', 'up');
    expect(session.rows().at(-1)).toBe(' rows 3-6 of 10, columns 31-60');
    session.nowMs += 4000;
    session.act({ type: 'time' });
    expect(shown()).toBe('2345');
    session.print('\x1b[H');
    expect(shown()).toBe('2345');
    await session.press('ctrl+b', 'f');
    expect(shown()).toBe('0123');
  });

  it('keeps the objects of rows that did not change', () => {
    const session = new ViewedSession({ window: wide, size, earlier: 'one\r\ntwo' });
    const before = session.picture();
    session.print('!');
    const after = session.picture(before);
    const changed = after.rows.flatMap((row, at) => (row === before.rows[at] ? [] : [at]));
    expect(changed).toEqual([1]);
  });

  it('says that the connection is lost, and how long it is tried', async () => {
    const session = new ViewedSession({ window: size, size, earlier: 'last' });
    session.drive();
    const untilMs = session.nowMs + 10_000;
    session.act({ type: 'connection', connection: { state: 'lost', untilMs } });
    expect(session.rows()[0]).toBe('last');
    expect(session.rows().at(-1)).toBe(' connection lost · reconnecting, 10 s left');
    session.nowMs = wakeAtMs(session.state) ?? 0;
    session.act({ type: 'time' });
    expect(session.rows().at(-1)).toBe(' connection lost · reconnecting, 9 s left');
    await session.press('ctrl+b', 'ctrl+b');
    expect(session.rows().at(-1)).toBe(' not sent: the connection is lost');
  });
});

describe('the prompts of the shell', () => {
  const command = (number: number, line: number) => ({
    number,
    line: `make ${number}`,
    cwd: null,
    state: 'ended' as const,
    exitCode: 0,
    startedAtMs: 0,
    endedAtMs: 1,
    durationMs: 1,
    startRevision: 0,
    from: { offset: 0, line, col: 0 },
    to: { offset: 0, line: line + 10, col: 0 },
  });

  it('are jumped to, and the output below them is copied', async () => {
    const earlier = Array.from({ length: 100 }, (_, at) => `line ${at}\r\n`).join('');
    const session = new ViewedSession({ window: size, size, earlier });
    session.commands = [command(1, 21), command(2, 51), command(3, 81)];
    const top = () => session.rows()[0];
    await session.press('ctrl+b', '[', '[');
    expect(top()).toBe('line 80');
    await session.press('ctrl+up');
    expect(top()).toBe('line 50');
    await session.press('o');
    expect(session.effects.at(-1)).toMatchObject({ type: 'copy', size: '2 lines of make 2' });
    expect(session.copied).toBe('a\nb');
    await session.press(']', ']');
    expect(top()).toBe('line 80');
    expect(session.rows().at(-1)).toBe(' no later prompt');
  });
});
