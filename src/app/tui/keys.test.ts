import { expect, it } from 'vitest';
import { parseKey } from '#keys';
import { commandOf, type KeyMode, keyHelp, keyTable } from './keys.ts';

const modes = Object.keys(keyTable) as KeyMode[];

it.each(modes)('each key of %s is one that exists, and does one thing', (mode) => {
  const keys = keyTable[mode].flatMap((row): readonly string[] => row.keys);
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) if (key !== 'leader') expect(() => parseKey(key)).not.toThrow();
});

it.each<[string, KeyMode, Parameters<typeof commandOf>[1], string | null]>([
  ['a letter', 'leader', { key: 'd' }, 'detach'],
  ['a Russian letter', 'leader', { key: 'в', baseLayoutKey: 'd' }, 'detach'],
  ['with shift', 'leader', { key: 'е', shift: true, baseLayoutKey: 't' }, 'force'],
  ['while scrolling', 'scroll', { key: 'л', baseLayoutKey: 'k' }, 'up'],
  ['in the player', 'player', { key: 'й', baseLayoutKey: 'q' }, 'quit'],
  ['in the list', 'list', { key: 'н', baseLayoutKey: 'y' }, 'yes'],
  // On Dvorak, z is where a US keyboard has the slash.
  ['a letter of another Latin layout', 'list', { key: 'z', baseLayoutKey: '/' }, null],
])('%s', (_, mode, press, command) => {
  expect(commandOf(mode, press)).toBe(command);
});

it('the leader itself comes first', () => {
  expect(commandOf('leader', { key: 'd' }, { key: 'd' })).toBe('sendLeader');
  expect(commandOf('leader', { key: 'd' }, { key: 'a', ctrl: true })).toBe('detach');
});

it('the help names keys as people write them, without the leader where it does not arrive', () => {
  const leader = { key: 'b', ctrl: true };
  const named = (mode: KeyMode) => keyHelp(mode, leader).map(({ keys }) => keys);
  expect(named('leader').slice(0, 2)).toEqual(['Ctrl+b d', 'Ctrl+b t']);
  expect(named('scroll')).toContain('PgUp');
  expect(named('player')).toContain('0-9');
  expect(named('list')).toContain('Up Ctrl+p');
});
