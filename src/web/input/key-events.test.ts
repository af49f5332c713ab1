import { describe, expect, it } from 'vitest';
import { type KeyEvent, keyMessage, keyPressOf } from './key-events.ts';

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
  ])('%#', (given, expected) => {
    expect(keyPressOf(given, { isMac: false })).toEqual(expected);
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
