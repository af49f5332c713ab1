import { describe, expect, it } from 'vitest';
import { encodeKey, encodeText, focusIn, focusOut, parseKey, plainKey } from '#keys';
import type { KeyModes } from '#model';
import { keyModes } from '../../test/support/keys/key-modes.ts';
import { pressOf, readKeyVectors } from '../../test/support/keys/key-vectors.ts';
import { visible } from '../../test/support/vt/escaped-bytes.ts';

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

const sequenceOf = (short: string, modes: Partial<KeyModes> = {}) =>
  visible(encodeKey(parseKey(short), keyModes(modes)));

const vectors = readKeyVectors('legacy.txt');

describe('the recorded rows', () => {
  it('are complete', () => {
    expect(vectors).toHaveLength(1255);
  });

  const modesOf: [string, Partial<KeyModes>][] = [
    ['normal', {}],
    ['DECCKM', { applicationCursorKeys: true }],
    ['DECKPAM', { applicationKeypad: true }],
    ['DECBKM', { backarrowSendsBackspace: true }],
    ['modifyOtherKeys=1', { modifyOtherKeys: 1 }],
    ['modifyOtherKeys=2', { modifyOtherKeys: 2 }],
  ];
  it.each(modesOf)('match in %s', (section, modes) => {
    const rows = vectors.filter((vector) => vector.section === section);
    const encoded = rows.map((row) => ({
      ...row,
      bytes: Buffer.from(encodeKey(pressOf(row), keyModes(modes))).toString('latin1'),
    }));
    expect(rows.length).toBeGreaterThan(0);
    expect(encoded).toEqual(rows);
  });

  // xterm(1), formatOtherKeys.
  it('are sent as CSI u if formatOtherKeys is 1', () => {
    const modes = { modifyOtherKeys: 2, formatOtherKeys: 1 } as const;
    expect(sequenceOf('ctrl+1', modes)).toBe('\\e[49;5u');
    expect(sequenceOf('ctrl+enter', modes)).toBe('\\e[13;5u');
    expect(sequenceOf('ctrl+1', { ...modes, formatOtherKeys: 0 })).toBe('\\e[27;5;49~');
  });

  const mark = (key: string) => vectors.find((vector) => vector.key === key)?.bytes;
  it('match for the marks of a paste', () => {
    const pasted = Buffer.from(encodeText('x', 'always', keyModes())).toString();
    expect(pasted).toBe(`${mark('paste-begin')}x${mark('paste-end')}`);
  });
  it('match for the focus', () => {
    expect([focusIn, focusOut]).toEqual([mark('focus-in'), mark('focus-out')]);
  });
});

// Cases in which the sources above disagree or are silent: as in xterm's input.c, except that alt
// is kept with the keypad and shift+tab.
describe('a key in legacy encoding', () => {
  it.each([
    ['ctrl+i', '\\x09'],
    ['ctrl+m', '\\x0d'],
    ['ctrl+shift+a', '\\x01'],
    ['ctrl+`', '\\x00'],
    ['ctrl+[', '\\e'],
    ['ctrl+;', ';'],
    ['ctrl+é', 'é'],
    ['alt+é', '\\eé'],
    ['shift+é', 'É'],
    ['😀', '😀'],
    ['alt+shift+tab', '\\e\\e[Z'],
    ['ctrl+alt+enter', '\\e\\x0d'],
    ['meta+x', '\\ex'],
    ['alt+meta+x', '\\ex'],
    ['meta+f1', '\\e[1;9P'],
    ['super+a', 'a'],
    ['hyper+up', '\\e[A'],
    ['f13', '\\e[25~'],
    ['f20', '\\e[34~'],
    ['f21', '\\e[42~'],
    ['ctrl+f35', '\\e[56;5~'],
    ['menu', '\\e[29~'],
    ['kp_begin', '\\e[E'],
    ['kp_left', '\\e[D'],
    ['shift+kp_pageup', '\\e[5;2~'],
    ['alt+kp_5', '\\e5'],
  ])('%s sends %s', (short, expected) => {
    expect(sequenceOf(short)).toBe(expected);
  });

  it.each(['left_shift', 'caps_lock', 'media_play', 'pause'])('%s sends nothing', (short) => {
    expect(sequenceOf(short)).toBe('');
  });

  it.each<[string, Partial<KeyModes>, string]>([
    ['kp_up', { applicationKeypad: true }, '\\e[A'],
    ['kp_up', { applicationCursorKeys: true }, '\\eOA'],
    ['kp_begin', { applicationCursorKeys: true }, '\\eOE'],
    ['ctrl+kp_5', { applicationKeypad: true }, '\\eO5u'],
    ['alt+backspace', { backarrowSendsBackspace: true }, '\\e\\x08'],
    ['enter', { newLine: true }, '\\x0d\\x0a'],
    ['alt+enter', { newLine: true }, '\\e\\x0d\\x0a'],
    ['kp_enter', { newLine: true }, '\\x0d\\x0a'],
    ['kp_enter', { newLine: true, applicationKeypad: true }, '\\eOM'],
    ['ctrl+m', { newLine: true }, '\\x0d\\x0a'],
    ['ctrl+j', { newLine: true }, '\\x0a'],
  ])('%s with %o sends %s', (short, modes, expected) => {
    expect(sequenceOf(short, modes)).toBe(expected);
  });
});

describe('modifyOtherKeys', () => {
  it.each<[string, 1 | 2, string]>([
    ['alt+a', 1, '\\ea'],
    ['ctrl+alt+a', 1, '\\e\\x01'],
    ['ctrl+alt+0', 1, '\\e[27;7;48~'],
    ['alt+enter', 1, '\\e\\x0d'],
    ['ctrl+alt+enter', 1, '\\e\\x0d'],
    ['alt+shift+enter', 1, '\\e[27;4;13~'],
    ['alt+tab', 1, '\\e\\x09'],
    ['alt+escape', 1, '\\e\\e'],
    ['ctrl+é', 1, '\\e[27;5;233~'],
    ['ctrl+f5', 1, '\\e[15;5~'],
    ['ctrl+kp_5', 1, '5'],
    ['A', 2, 'A'],
    ['shift+a', 2, '\\e[27;2;65~'],
    ['shift+1', 2, '!'],
    ['shift+2', 2, '\\e[27;2;64~'],
    ['shift+space', 2, '\\e[27;2;32~'],
    ['shift+enter', 2, '\\e[27;2;13~'],
    ['shift+escape', 2, '\\e[27;2;27~'],
    ['shift+backspace', 2, '\\e[27;2;127~'],
    ['shift+tab', 2, '\\e[Z'],
    ['alt+A', 2, '\\e[27;4;65~'],
    ['ctrl+?', 2, '\\e[27;6;63~'],
    ['meta+a', 2, '\\e[27;9;97~'],
    ['super+a', 2, 'a'],
    ['ctrl+up', 2, '\\e[1;5A'],
  ])('%s at level %i sends %s', (short, modifyOtherKeys, expected) => {
    expect(sequenceOf(short, { modifyOtherKeys })).toBe(expected);
  });

  it('follows DECBKM', () => {
    const modes = { modifyOtherKeys: 2, backarrowSendsBackspace: true } as const;
    expect(sequenceOf('alt+backspace', modes)).toBe('\\e[27;3;8~');
    expect(sequenceOf('ctrl+backspace', modes)).toBe('\\x7f');
  });
});

describe('a character', () => {
  it.each([
    ['Ctrl+C', 'ctrl+c'],
    ['ctrl+É', 'ctrl+é'],
  ])('%s is %s: with ctrl, a capital does not mean shift', (capital, small) => {
    for (const modes of [{}, { modifyOtherKeys: 2 }, { kittyFlags: 1 }] as const) {
      expect(sequenceOf(capital, modes)).toBe(sequenceOf(small, modes));
    }
  });

  it.each([
    ['alt+A', 'alt+shift+a'],
    ['ctrl+shift+C', 'ctrl+shift+c'],
    ['ctrl+?', 'ctrl+shift+/'],
    ['alt+~', 'alt+shift+`'],
  ])('%s is %s, by the US layout', (short, spelledOut) => {
    for (const modes of [{}, { modifyOtherKeys: 2 }, { kittyFlags: 1 }] as const) {
      expect(sequenceOf(short, modes)).toBe(sequenceOf(spelledOut, modes));
    }
  });

  it('without a case pair is unchanged', () => {
    expect(['\u212a', 'ß', 'ı'].map((char) => sequenceOf(`shift+${char}`))).toEqual([
      '\u212a',
      'ß',
      'ı',
    ]);
  });
});
