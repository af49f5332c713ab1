import { describe, expect, it } from 'vitest';
import { type KeyContext, type KeyEvent, keyMessage, keyPressOf, useOfKey } from './key-events.ts';

/** An event of a US keyboard, except for what is given. */
const event = (key: string, event: Partial<KeyEvent> & { third?: boolean } = {}): KeyEvent => ({
  key,
  code: '',
  shiftKey: false,
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  repeat: false,
  getModifierState: () => event.third ?? false,
  ...event,
});

describe('a key of the browser', () => {
  it.each([
    [event('a'), { key: 'a' }],
    [event('A', { shiftKey: true }), { key: 'A' }],
    [event(' '), { key: 'space' }],
    [event('Enter', { shiftKey: true }), { key: 'enter', shift: true }],
    [event('ArrowUp', { ctrlKey: true }), { key: 'arrowup', ctrl: true }],
    [event('c', { ctrlKey: true, code: 'KeyC' }), { key: 'c', ctrl: true }],
    [event('C', { ctrlKey: true, shiftKey: true }), { key: 'c', ctrl: true, shift: true }],
    // A keyboard without Latin letters.
    [event('с', { ctrlKey: true, code: 'KeyC' }), { key: 'с', ctrl: true, baseLayoutKey: 'c' }],
    // AltGr is control and alt on some systems.
    [event('@', { third: true, ctrlKey: true, altKey: true }), { key: '@' }],
    [event('5', { code: 'Numpad5' }), { key: 'kp_5' }],
    [event('Enter', { code: 'NumpadEnter' }), { key: 'kp_enter' }],
    [event('F12'), { key: 'f12' }],
    [event('ContextMenu'), { key: 'menu' }],
    [event('x', { repeat: true }), { key: 'x', action: 'repeat' }],
    [event('é'), { key: 'é' }],
    [event('Dead'), null],
    [event('Shift', { shiftKey: true }), null],
    [event('Process'), null],
    [event('Unidentified'), null],
  ])('%#', (event, expected) => {
    expect(keyPressOf(event, { isMac: false })).toEqual(expected);
  });

  it('on a Mac types with option', () => {
    expect(keyPressOf(event('€', { altKey: true }), { isMac: true })).toEqual({ key: '€' });
    expect(keyPressOf(event('b', { altKey: true }), { isMac: true })).toEqual({
      key: 'b',
      alt: true,
    });
  });

  it('repeats by a word of the service', () => {
    expect(keyMessage({ key: 'x', action: 'repeat' })).toEqual({
      key: 'x',
      action: 'KEY_ACTION_REPEAT',
    });
  });
});

describe('[S3.32] a key in a terminal', () => {
  const watching = { isMac: false, isTyping: false, hasLines: true, hasSelection: false };
  const typing = { ...watching, isTyping: true };
  const ctrl = (key: string, more: Partial<KeyEvent> = {}) =>
    event(key, { ctrlKey: true, ...more });
  const shift = (key: string) => event(key, { shiftKey: true });
  type Row = readonly [string, KeyEvent, KeyContext, string];

  it.each<Row>([
    ['a character', event('y'), watching, 'type'],
    ['a blank', event(' '), watching, 'type'],
    ['Enter', event('Enter'), watching, 'type'],
    ['AltGr+q', event('@', { third: true, ctrlKey: true, altKey: true }), watching, 'type'],
    ['Ctrl+F', ctrl('f'), watching, 'search'],
    ['Ctrl+Shift+F', ctrl('F', { shiftKey: true }), watching, 'search'],
    ['Ctrl+K', ctrl('k'), watching, 'browser'],
    ['F5', event('F5'), watching, 'browser'],
    ['Ctrl+R', ctrl('r'), watching, 'browser'],
    ['Tab', event('Tab'), watching, 'browser'],
    ['Shift+Tab', shift('Tab'), watching, 'browser'],
    ['Escape', event('Escape'), watching, 'browser'],
    ['Alt+Left', event('ArrowLeft', { altKey: true }), watching, 'browser'],
    ['Alt+D', event('d', { altKey: true }), watching, 'browser'],
    ['Super+K', event('k', { metaKey: true }), watching, 'browser'],
    ['PageUp', event('PageUp'), watching, 'pageup'],
    ['Shift+PageUp', shift('PageUp'), watching, 'pageup'],
    ['Shift+End', shift('End'), watching, 'end'],
    ['Up', event('ArrowUp'), watching, 'unsent'],
    ['Backspace', event('Backspace'), watching, 'unsent'],
    ['Ctrl+C', ctrl('c'), watching, 'unsent'],
    ['Ctrl+C with a selection', ctrl('c'), { ...watching, hasSelection: true }, 'browser'],
  ])('that is only watched: %s', (_what, pressed, context, use) => {
    expect(useOfKey(pressed, context)).toBe(use);
  });

  it.each<Row>([
    ['Tab', event('Tab'), typing, 'type'],
    ['F5', event('F5'), typing, 'type'],
    ['Ctrl+F', ctrl('f'), typing, 'type'],
    ['Ctrl+K', ctrl('k'), typing, 'type'],
    ['Ctrl+Shift+K', ctrl('K', { shiftKey: true }), typing, 'browser'],
    ['Ctrl+C', ctrl('c'), typing, 'type'],
    ['Alt+D', event('d', { altKey: true }), typing, 'type'],
    ['PageUp', event('PageUp'), typing, 'type'],
    ['Shift+PageUp', shift('PageUp'), typing, 'pageup'],
    ['Shift+PageUp in vim', shift('PageUp'), { ...typing, hasLines: false }, 'type'],
    ['Ctrl+Shift+F', ctrl('F', { shiftKey: true }), typing, 'search'],
    ['Ctrl+Shift+V', ctrl('V', { shiftKey: true }), typing, 'browser'],
    ['Ctrl++', ctrl('+'), typing, 'browser'],
    ['Super+C', event('c', { metaKey: true }), typing, 'browser'],
    ['Shift+Escape', shift('Escape'), typing, 'leave'],
  ])('that has the keyboard: %s', (_what, pressed, context, use) => {
    expect(useOfKey(pressed, context)).toBe(use);
  });

  it("on a Mac is the browser's with Cmd, but for the search", () => {
    const cmd = (key: string) => event(key, { metaKey: true });
    const onMac = { ...typing, isMac: true };
    expect(['c', 'f', 'r'].map((key) => useOfKey(cmd(key), onMac))).toEqual([
      'browser',
      'search',
      'browser',
    ]);
  });
});
