import { describe, expect, it } from 'vitest';
import { encodeKey, keyText, parseKey } from '#keys';
import type { KeyModes, KeyPress } from '#model';
import { keyModes } from '../../test/support/keys/key-modes.ts';
import { visible } from '../../test/support/vt/escaped-bytes.ts';

const cyrillicC: KeyPress = { key: 'с', baseLayoutKey: 'c' };
const germanSeven: KeyPress = { key: '7', shiftedKey: '/' };

describe('a key of another layout', () => {
  it.each<[KeyPress, Partial<KeyModes>, string]>([
    // As in most terminals, ctrl makes the control character of the key's place.
    [{ ...cyrillicC, ctrl: true }, {}, '\\x03'],
    [{ ...cyrillicC, alt: true }, {}, '\\ec'],
    [{ ...cyrillicC, ctrl: true, shift: true }, { modifyOtherKeys: 2 }, '\\e[27;6;67~'],
    [{ ...cyrillicC, ctrl: true }, { kittyFlags: 1 }, '\\e[1089;5u'],
    [{ ...cyrillicC, ctrl: true }, { kittyFlags: 5 }, '\\e[1089::99;5u'],
    [cyrillicC, { kittyFlags: 1 }, 'с'],
    [cyrillicC, {}, 'с'],
    [{ ...germanSeven, shift: true }, {}, '/'],
    [{ ...germanSeven, shift: true, ctrl: true }, {}, '\\x1f'],
    [{ ...germanSeven, ctrl: true }, {}, '\\x1f'],
    [{ ...germanSeven, shift: true, ctrl: true }, { kittyFlags: 5 }, '\\e[55:47;6u'],
    [{ ...germanSeven, shift: true }, { kittyFlags: 24 }, '\\e[55;2;47u'],
    [{ key: 'y', baseLayoutKey: 'z', ctrl: true }, {}, '\\x19'],
  ])('%j with %j sends %s', (press, modes, sequence) => {
    expect(visible(encodeKey(press, keyModes(modes)))).toBe(sequence);
  });

  it('has one character for each', () => {
    expect(() => encodeKey({ key: 'a', shiftedKey: 'AB' }, keyModes())).toThrow('"AB"');
    expect(() => encodeKey({ key: 'a', baseLayoutKey: '' }, keyModes())).toThrow('""');
  });
});

describe('the short form', () => {
  it.each<[KeyPress, string, boolean]>([
    [{ key: ' ', ctrl: true }, 'ctrl+space', true],
    [{ key: 'A' }, 'shift+a', true],
    [{ key: 'a', ctrl: true, action: 'repeat' }, 'ctrl+A', true],
    [{ key: 'a', ctrl: true, shift: true }, 'ctrl+a', false],
    [{ ...cyrillicC, ctrl: true }, 'ctrl+c', true],
    [cyrillicC, 'c', false],
    [{ ...germanSeven, shift: true }, '/', true],
    [{ key: 'PageUp' }, 'page_up', true],
    [{ key: 'f1', alt: true }, 'f1', false],
  ])('of %j is that of %s: %s', (press, short, isSame) => {
    expect(keyText(press) === keyText(parseKey(short))).toBe(isSame);
  });
});
