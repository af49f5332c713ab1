import { describe, expect, it } from 'vitest';
import { parseKey, plainKey } from '#keys';
import { keyModes } from '../../test/support/keys/key-modes.ts';

describe('plainKey', () => {
  it.each([
    ['shift+enter', 'enter'],
    ['ctrl+enter', 'enter'],
    ['ctrl+shift+enter', 'enter'],
    ['alt+shift+enter', 'alt+enter'],
    ['ctrl+shift+k', 'ctrl+k'],
    ['ctrl+1', '1'],
    ['super+a', 'a'],
    ['ctrl+tab', 'tab'],
    ['super+up', 'up'],
  ])('of %s is %s', (key, plain) => {
    expect(plainKey(parseKey(key), keyModes({}))).toBe(plain);
  });

  it.each([
    'enter',
    'ctrl+a',
    'alt+a',
    'shift+a',
    'shift+1',
    'A',
    'ctrl+space',
    'shift+tab',
    'ctrl+up',
    'shift+f5',
    'ctrl+backspace',
    'alt+enter',
  ])('of %s is null: it has bytes of its own', (key) => {
    expect(plainKey(parseKey(key), keyModes({}))).toBe(null);
  });

  it('is null for what the program has asked for', () => {
    for (const modes of [{ kittyFlags: 1 }, { modifyOtherKeys: 2 } as const]) {
      for (const key of ['shift+enter', 'ctrl+shift+k', 'ctrl+1']) {
        expect(plainKey(parseKey(key), keyModes(modes))).toBe(null);
      }
    }
  });

  it('is null for a release', () => {
    expect(plainKey({ key: 'enter', shift: true, action: 'release' }, keyModes({}))).toBe(null);
  });
});
