import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeKey, keyNames, keyText, parseKey } from '#keys';
import { isVtrError, type KeyPress, type VtrError } from '#model';
import { keyModes } from '../../test/support/keys/key-modes.ts';
import { arbitraryModifiers, arbitraryPress } from '../../test/support/keys/key-presses.ts';
import { modifierNames } from './sequences.ts';

const formatted = ({ key, ...modifiers }: KeyPress): string =>
  [...modifierNames.filter((name) => modifiers[name]), key].join('+');

describe('parseKey', () => {
  it.each<[string, KeyPress]>([
    ['enter', { key: 'enter' }],
    ['a', { key: 'a' }],
    ['A', { key: 'A' }],
    ['é', { key: 'é' }],
    ['😀', { key: '😀' }],
    [' ', { key: ' ' }],
    ['+', { key: '+' }],
    ['_', { key: '_' }],
    ['ctrl+c', { key: 'c', ctrl: true }],
    ['ctrl++', { key: '+', ctrl: true }],
    ['ctrl+_', { key: '_', ctrl: true }],
    ['alt+shift+left', { key: 'left', alt: true, shift: true }],
    ['CTRL+Shift+F5', { key: 'f5', ctrl: true, shift: true }],
    ['ctrl+C', { key: 'C', ctrl: true }],
    ['hyper+meta+super+x', { key: 'x', hyper: true, meta: true, super: true }],
    ['ctrl_c', { key: 'c', ctrl: true }],
    ['ctrl_shift_page_up', { key: 'pageup', ctrl: true, shift: true }],
    ['ctrl+kp_add', { key: 'kp_add', ctrl: true }],
    ['left_shift', { key: 'left_shift' }],
    // As tmux, screen, Emacs and manuals write keys.
    ['C-c', { key: 'c', ctrl: true }],
    ['c-c', { key: 'c', ctrl: true }],
    ['C-r', { key: 'r', ctrl: true }],
    ['M-x', { key: 'x', alt: true }],
    ['S-tab', { key: 'tab', shift: true }],
    ['S-F5', { key: 'f5', shift: true }],
    ['C-M-a', { key: 'a', ctrl: true, alt: true }],
    ['M-S-Left', { key: 'left', alt: true, shift: true }],
    ['C-Space', { key: 'space', ctrl: true }],
    ['C-PPage', { key: 'pageup', ctrl: true }],
    ['C--', { key: '-', ctrl: true }],
    ['M-+', { key: '+', alt: true }],
    ['BTab', { key: 'tab', shift: true }],
    ['ctrl-c', { key: 'c', ctrl: true }],
    ['Ctrl-Alt-Page-Up', { key: 'pageup', ctrl: true, alt: true }],
    ['ctrl--', { key: '-', ctrl: true }],
    ['shift-tab', { key: 'tab', shift: true }],
    ['^C', { key: 'C', ctrl: true }],
    ['^c', { key: 'c', ctrl: true }],
    ['^[', { key: '[', ctrl: true }],
    ['M-^C', { key: 'C', ctrl: true, alt: true }],
    ['^', { key: '^' }],
    ['-', { key: '-' }],
    ['ctrl+^', { key: '^', ctrl: true }],
  ])('reads %j', (text, press) => {
    expect(parseKey(text)).toEqual(press);
  });

  it.each([
    ['esc', 'escape'],
    ['Return', 'enter'],
    ['del', 'delete'],
    ['ins', 'insert'],
    ['pgup', 'pageup'],
    ['PgDn', 'pagedown'],
    ['Page_Up', 'pageup'],
    ['page-down', 'pagedown'],
    ['bs', 'backspace'],
    ['BackSpace', 'backspace'],
    ['ArrowUp', 'up'],
    ['KP_Page_Up', 'kp_pageup'],
    ['KP0', 'kp_0'],
    ['NPage', 'pagedown'],
    ['DC', 'delete'],
    ['IC', 'insert'],
  ])('reads %s as %s', (alias, name) => {
    expect(parseKey(alias)).toEqual({ key: name });
  });

  it.each([
    ['control', 'ctrl'],
    ['option', 'alt'],
    ['opt', 'alt'],
    ['cmd', 'super'],
    ['command', 'super'],
    ['win', 'super'],
  ])('reads the modifier %s as %s', (alias, name) => {
    expect(parseKey(`${alias}+x`)).toEqual({ key: 'x', [name]: true });
  });

  it('parses the written form of a press', () => {
    fc.assert(
      fc.property(arbitraryPress, (press) => {
        expect(parseKey(formatted(press))).toEqual(press);
      }),
    );
  });

  it('returns a press that can be encoded, or fails with INVALID_KEY, for any text', () => {
    const words = fc.constantFrom(
      'ctrl',
      'alt',
      'kp',
      'left',
      'x',
      '+',
      '_',
      '-',
      '^',
      'C-',
      '\x1b',
      '\ud800',
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(words).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const outcome = attempt(() => encodeKey(parseKey(text), keyModes()));
        expect(outcome).toSatisfy((it) => it instanceof Uint8Array || isInvalidKey(it));
      }),
    );
  });
});

describe('a key that does not exist', () => {
  it.each([
    ['entr', ['enter']],
    ['retrun', ['enter']],
    ['ecs', ['escape']],
    ['pagdown', ['pagedown']],
    ['ctrl+entr', ['ctrl+enter']],
    ['ctl+c', ['ctrl+c']],
    ['shift+crtl+up', ['shift+ctrl+up']],
    ['f36', ['f3', 'f6', 'f16']],
    ['contrl+alt+x', ['ctrl+alt+x']],
    ['contrl-c', ['ctrl-c']],
    ['page-dwn', ['pagedown']],
    ['C-entr', ['C-enter']],
  ])('%s is similar to %j', (text, nearest) => {
    const { message, details } = attempt(() => parseKey(text)) as VtrError;
    expect(details).toEqual({ key: text, nearest });
    expect(message).toContain(`did you mean ${nearest[0]}`);
    expect(message).toContain('ctrl+c');
  });

  it.each([
    '',
    'ctrl',
    'ctrl+',
    'ctrl+alt',
    'ctrl_',
    '++',
    'a+b',
    'ctrl+ctrl+c',
    'ctrl+control+c',
    'ab',
    'C-',
    'C+c',
    'C-C-c',
    '^ab',
    'foo',
    'constructor',
  ])('%j is invalid', (text) => {
    expect(attempt(() => parseKey(text))).toSatisfy(isInvalidKey);
  });

  it.each(['\x03', '\r', '\x1b', '\x7f', '\x9b', '\ud800', 'e\u0301'])(
    '%j is not a valid key name',
    (key) => {
      expect(attempt(() => encodeKey({ key }, keyModes()))).toSatisfy(isInvalidKey);
    },
  );

  it('is reported with similar names by encodeKey too', () => {
    const error = attempt(() => encodeKey({ key: 'entr', ctrl: true }, keyModes())) as VtrError;
    expect(error.details).toEqual({ key: 'entr', nearest: ['enter'] });
  });

  it.each([
    ['a word', 'x'.repeat(100_000)],
    ['a word before a plus', `${'x'.repeat(100_000)}+c`],
    ['many modifiers', 'ctrl+'.repeat(100_000)],
  ])('is quoted only in part when it is long: %s', (_, text) => {
    const error = attempt(() => parseKey(text)) as VtrError;
    expect(error.message.length).toBeLessThan(300);
    expect(error.details).toEqual({ key: `${text.slice(0, 39)}…`, nearest: [] });
  });
});

describe('keyNames', () => {
  it('are canonical', () => {
    expect(keyNames.map((name) => parseKey(name).key)).toEqual(keyNames);
    expect(new Set(keyNames).size).toBe(keyNames.length);
  });

  it('can all be encoded, with any modifiers and modes', () => {
    const modes = fc.record({
      applicationCursorKeys: fc.boolean(),
      applicationKeypad: fc.boolean(),
      backarrowSendsBackspace: fc.boolean(),
      newLine: fc.boolean(),
      bracketedPaste: fc.boolean(),
      alternateScreen: fc.boolean(),
      modifyOtherKeys: fc.constantFrom(0 as const, 1 as const, 2 as const),
      formatOtherKeys: fc.constantFrom(0 as const, 1 as const),
      kittyFlags: fc.integer({ min: 0, max: 31 }),
    });
    fc.assert(
      fc.property(arbitraryModifiers, modes, (modifiers, modes) => {
        const sequences = keyNames.map((key) => encodeKey({ key, ...modifiers }, modes));
        expect(sequences).toSatisfy((all: unknown[]) =>
          all.every((it) => it instanceof Uint8Array),
        );
      }),
    );
  });
});

function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

const isInvalidKey = (thrown: unknown): boolean =>
  isVtrError(thrown) && thrown.code === 'INVALID_KEY';

describe('keyText', () => {
  it('returns a short form that parses to the same key', () => {
    fc.assert(
      fc.property(arbitraryPress, (press) => {
        const text = keyText(press);
        expect(encodeKey(parseKey(text), keyModes())).toEqual(encodeKey(press, keyModes()));
        expect(keyText(parseKey(text))).toBe(text);
      }),
    );
  });

  it.each<[KeyPress, string]>([
    [{ key: 'G' }, 'G'],
    [{ key: 'g', shift: true }, 'G'],
    [{ key: '/', shift: true }, '?'],
    [{ key: ' ' }, 'space'],
    [{ key: 'space', ctrl: true }, 'ctrl+space'],
    [{ key: 'b', ctrl: true }, 'ctrl+b'],
    [{ key: 'PgUp', shift: true }, 'shift+pageup'],
    [{ key: 'с', ctrl: true, baseLayoutKey: 'c' }, 'ctrl+c'],
    [{ key: 'с', baseLayoutKey: 'c' }, 'с'],
    [{ key: 'nothing' }, ''],
  ])('writes %j as %s', (press, text) => expect(keyText(press)).toBe(text));
});
