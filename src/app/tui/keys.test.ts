import { describe, expect, it } from 'vitest';
import { type KeyMode, keyBindings, keyModes, keyProblems, keyRows, parseKey } from '#keys';
import { TtyDecoder } from '#tty';
import { Keys, numberOf } from './keys.ts';

const leader = { key: 'b', ctrl: true };
const usual = new Keys(leader);

it.each(keyModes)(
  'each key of %s is one that exists and can be typed, and does one thing',
  (mode) => {
    const rows = keyRows(mode);
    const keys = rows.flatMap((row) => row.keys);
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) if (key !== 'leader') expect(() => parseKey(key)).not.toThrow();
    const own = keyBindings()[mode];
    expect([...own.keys()]).toEqual(rows.map(({ command }) => command));
  },
);

it.each(keyModes)(
  'each key of %s does one thing with the preset tmux, and can be typed',
  (mode) => {
    const keys = keyRows(mode, 'tmux').flatMap((row) => row.keys);
    expect(new Set(keys).size).toBe(keys.length);
    const written = { preset: 'tmux', [mode]: {} };
    expect([...keyProblems(written)]).toEqual([]);
    for (const key of keys) if (key !== 'leader') expect(() => parseKey(key)).not.toThrow();
  },
);

it('the usual keys can be written in the configuration', () => {
  const snake = (command: string) => command.replace(/[A-Z]/g, (at) => `_${at.toLowerCase()}`);
  const written = Object.fromEntries(
    keyModes.map((mode) => [
      mode,
      Object.fromEntries(keyRows(mode).map(({ command, keys }) => [snake(command), keys])),
    ]),
  );
  // Ctrl+b is also a page up while scrolling, for those with another leader.
  expect([...keyProblems(written, null)]).toEqual([]);
  expect(keyBindings(written)).toEqual(keyBindings());
});

it.each<[string, KeyMode, Parameters<Keys['command']>[1], string | null]>([
  ['a letter', 'attach', { key: 'd' }, 'detach'],
  ['a Russian letter', 'attach', { key: 'в', baseLayoutKey: 'd' }, 'detach'],
  ['with shift', 'attach', { key: 'е', shift: true, baseLayoutKey: 't' }, 'force'],
  ['while scrolling', 'scroll', { key: 'л', baseLayoutKey: 'k' }, 'up'],
  ['in the player', 'play', { key: 'й', baseLayoutKey: 'q' }, 'quit'],
  ['in the list', 'ui', { key: 'н', baseLayoutKey: 'y' }, 'yes'],
  // On Dvorak, z is where a US keyboard has the slash.
  ['a letter of another Latin layout', 'ui', { key: 'z', baseLayoutKey: '/' }, null],
])('%s', (_, mode, press, command) => {
  expect(usual.command(mode, press)).toBe(command);
});

it('the leader itself comes first', () => {
  expect(new Keys({ key: 'd' }).command('attach', { key: 'd' })).toBe('sendLeader');
  expect(new Keys({ key: 'a', ctrl: true }).command('attach', { key: 'd' })).toBe('detach');
});

it('the help names keys as people write them, without the leader where it does not arrive', () => {
  const named = (mode: KeyMode) => usual.help(mode).map(({ keys }) => keys);
  expect(named('attach').slice(0, 2)).toEqual(['Ctrl+b d', 'Ctrl+b t']);
  expect(named('scroll')).toContain('PgUp');
  expect(named('play')).toContain('0-9');
  expect(named('ui')).toContain('Up Ctrl+p');
});

/** What fingers of tmux expect of the keys of its manual that vtr has something for. */
it.each([
  ['c', 'newSession'],
  ['n', 'nextSession'],
  ['p', 'sessionBefore'],
  ['l', 'last'],
  ['L', 'last'],
  ['(', 'sessionBefore'],
  [')', 'nextSession'],
  ['3', 'number'],
  ['w', 'switcher'],
  ['s', 'switcher'],
  ['[', 'copyMode'],
  [']', 'paste'],
  ['d', 'detach'],
  [',', 'rename'],
  ['$', 'rename'],
  ['&', 'remove'],
  ['x', 'remove'],
  ['%', 'split'],
  ['"', 'split'],
  ['o', 'split'],
  ['z', 'split'],
  ['f', 'grepAll'],
  ['t', 'clock'],
  [':', 'command'],
  ['?', 'help'],
  ['r', 'repaint'],
  ['pageup', 'pageUp'],
  ['alt+n', 'next'],
])('with the preset tmux, the leader and %s', (key, command) => {
  const tmux = new Keys(leader, { preset: 'tmux' });
  expect(tmux.command('attach', parseKey(key))).toBe(command);
});

it('in a pane, keys that tmux has do what they do there', () => {
  const tmux = new Keys({ key: 'b', ctrl: true }, { preset: 'tmux' });
  const commandsOf = (keys: Keys) =>
    ['d', 'o', 'q', 'z', '%'].map((key) => keys.command('panes', { key }));
  expect(commandsOf(tmux)).toEqual(['leave', 'next', null, 'zoom', 'splitRight']);
  expect(commandsOf(usual)).toEqual(['list', null, 'leave', 'zoom', 'splitRight']);
});

it('a configuration changes a preset by names', () => {
  const own = { preset: 'tmux', attach: { clock: [], take: 't' } };
  expect([...keyProblems(own)]).toEqual([]);
  const keys = new Keys(leader, own);
  expect(keys.command('attach', { key: 't' })).toBe('take');
  expect(keys.command('attach', { key: 'c' })).toBe('newSession');
  // In the preset vtr, t is the key of take.
  const taken = { preset: 'tmux', attach: { take: 't' } };
  expect([...keyProblems(taken)].map(({ message }) => message)).toEqual([
    'take: "t" is a key of clock, too; give clock another key in [keys.attach]',
  ]);
  expect([...keyProblems({ preset: 'screen' })].map(({ message }) => message)).toEqual([
    'preset is "screen"; it must be "vtr" or "tmux"',
  ]);
});

describe('keys without the leader', () => {
  const keys = new Keys(leader, {
    direct: { next_session: ['alt+right', 'f5'], next: 'alt+o', tab: ['f1', 'f2'] },
  });
  const decoded = (bytes: string, kittyFlags = 0) => {
    const decoder = Object.assign(new TtyDecoder(), { kittyFlags });
    const events = [...decoder.feed(Buffer.from(bytes, 'latin1')), ...decoder.flush(500)];
    return events.map((event) => (event.type === 'key' ? event.press : { key: '' }));
  };

  it.each<[string, string, number, string | null]>([
    ['xterm', '\x1b[1;3C', 0, 'nextSession'],
    ['rxvt and the Linux console', '\x1b\x1b[C', 0, 'nextSession'],
    ['kitty', '\x1b[1;3C', 1, 'nextSession'],
    ['kitty, with the type of the event', '\x1b[1;3:1C', 3, 'nextSession'],
    ['kitty, with Num Lock and Caps Lock', '\x1b[1;195C', 1, 'nextSession'],
    ['Alt and a letter, as ESC', '\x1bo', 0, 'next'],
    ['in the kitty protocol', '\x1b[111;3u', 1, 'next'],
    ['in the kitty protocol, with the other keys of its place', '\x1b[111:79;3u', 5, 'next'],
    ['with modifyOtherKeys', '\x1b[27;3;111~', 0, 'next'],
    ['on a keyboard without Latin letters', '\x1b[1097::111;3u', 5, 'next'],
    ['a function key of xterm', '\x1b[15~', 0, 'nextSession'],
    ['a function key of the Linux console', '\x1b[[E', 0, 'nextSession'],
    ['without Alt', '\x1b[C', 0, null],
    ['with Shift, too', '\x1b[1;4C', 0, null],
  ])('are known in each encoding: %s', (_, bytes, kittyFlags, command) => {
    const presses = decoded(bytes, kittyFlags);
    expect(presses.map((press) => keys.direct('attach', press)?.command ?? null)).toEqual([
      command,
    ]);
  });

  it('mean what the place has for an action of this name', () => {
    const commands = (press: string) =>
      (['panes', 'attach'] as const).map(
        (mode) => keys.direct(mode, parseKey(press))?.command ?? null,
      );
    expect(commands('alt+right')).toEqual([null, 'nextSession']);
    expect(commands('alt+o')).toEqual(['next', 'next']);
    expect(commands('f2')).toEqual(['tab', null]);
    expect(usual.direct('attach', parseKey('alt+right'))).toBeNull();
  });

  it('are in the help, and in the hints where nothing follows the leader', () => {
    expect(keys.directHelp('attach').map((each) => each.keys)).toEqual(['Alt+o', 'Alt+Right F5']);
    expect(keys.label('attach', 'nextSession')).toBe('Ctrl+b )');
    const without = new Keys(null, { direct: { detach: 'alt+d' } });
    expect([without.label('attach', 'detach'), without.label('attach', 'kill')]).toEqual([
      'Alt+d',
      '',
    ]);
  });
});

it('a key stands for the number in its name, or for its place', () => {
  const press = (key: string) => ({ key });
  const keys = new Keys(leader, { attach: { number: ['f1', 'x', 'v 3'] } });
  const numbers = [[press('f1')], [press('x')], [press('v'), press('3')]].map((presses) => {
    const match = keys.afterLeader('attach', presses);
    return match === null || match === 'more' ? null : numberOf(match, 0);
  });
  expect(numbers).toEqual([1, 1, 3]);
});

describe('sequences of keys', () => {
  const keys = new Keys(leader, { attach: { next_session: 'v n', last: ['v l', 'v ctrl+a x'] } });
  const commandOf = (...names: readonly string[]) => {
    const result = keys.afterLeader('attach', names.map(parseKey));
    return result === null || result === 'more' ? result : result.command;
  };

  it('are found key by key', () => {
    expect([commandOf('v'), commandOf('v', 'ctrl+a'), commandOf('v', 'q'), commandOf('z')]).toEqual(
      ['more', 'more', null, null],
    );
    expect([
      commandOf('v', 'n'),
      commandOf('v', 'l'),
      commandOf('v', 'ctrl+a', 'x'),
      commandOf('d'),
    ]).toEqual(['nextSession', 'last', 'last', 'detach']);
    const russian = [
      { key: 'м', baseLayoutKey: 'v' },
      { key: 'т', baseLayoutKey: 'n' },
    ];
    expect(keys.afterLeader('attach', russian)).toMatchObject({ command: 'nextSession' });
  });

  it('have labels', () => {
    expect(keys.label('attach', 'nextSession')).toBe('Ctrl+b v n');
    expect(keys.waiting(['attach'], [{ key: 'v' }])).toBe(
      'Ctrl+b v …  Esc leaves · l back to the session that you were in before' +
        ' · Ctrl+a x back to the session that you were in before' +
        ' · n the next session, from the oldest to the newest',
    );
  });
});

describe('keys of the configuration', () => {
  const keys = new Keys(
    { key: 'a', ctrl: true },
    { attach: { detach: ['x', 'shift+F5'], kill: [] }, ui: { kill: 'E' }, play: { page_up: 'x' } },
  );

  it('replace the usual ones of their action', () => {
    expect(keys.command('attach', { key: 'x' })).toBe('detach');
    expect(keys.command('attach', { key: 'f5', shift: true })).toBe('detach');
    expect(keys.command('attach', { key: 'd' })).toBeNull();
    expect(keys.command('attach', { key: 'k' })).toBeNull();
    expect(keys.command('ui', { key: 'E' })).toBe('kill');
    expect(keys.command('scroll', { key: 'k' })).toBe('up');
  });

  it('are those of the help, and of the texts in it', () => {
    const help = (mode: KeyMode) => keys.help(mode).map((each) => `${each.keys}: ${each.does}`);
    expect(help('attach')[0]).toBe('Ctrl+a x: detach: the session goes on');
    expect(help('attach').join()).not.toContain('kill');
    expect(help('ui')).toContain('Enter: attach to the session, in a pane; Ctrl+a d returns here');
    expect(help('ui')).toContain('Tab: mark; i, y, n, E and x then go to all marked sessions');
    expect([keys.label('attach', 'detach'), keys.label('attach', 'kill')]).toEqual([
      'Ctrl+a x',
      '',
    ]);
    expect(keys.hint('attach', 'kill', 'kills')).toBe('');
  });
});
