import { csi, ss3 } from './sequences.ts';

/** A key that sends `CSI number ; modifiers final`. */
export interface FunctionKey {
  /** 1 is the default of the parameter and is left out if nothing follows. */
  readonly number: number;
  readonly final: string;
  /** `SS3 final`, which the key sends instead if no modifier is held. */
  readonly ss3?: { readonly final: string; readonly when: 'always' | 'applicationCursorKeys' };
}

type Entry = [name: string, key: FunctionKey];

const lettered =
  (when: 'always' | 'applicationCursorKeys') =>
  ([name, final]: [string, string]): Entry => [name, { number: 1, final, ss3: { final, when } }];

const numbered = ([name, number]: [string, number]): Entry => [name, { number, final: '~' }];

const cursorKeys = { up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F' };
const beginKey = { kp_begin: 'E' };
const pfKeys = { f1: 'P', f2: 'Q', f3: 'R', f4: 'S' };
const editingKeys = { insert: 2, delete: 3, pageup: 5, pagedown: 6 };
const upperKeys = { f5: 15, f6: 17, f7: 18, f8: 19, f9: 20, f10: 21, f11: 23, f12: 24 };

/** The keys that xterm and the kitty protocol encode alike, except F3 (kitty-codes.ts). */
const commonFunctionKeys: ReadonlyMap<string, FunctionKey> = new Map([
  ...Object.entries(cursorKeys).map(lettered('applicationCursorKeys')),
  ...Object.entries(editingKeys).map(numbered),
  ...Object.entries(pfKeys).map(lettered('always')),
  ...Object.entries(upperKeys).map(numbered),
  ...Object.entries(beginKey).map(lettered('applicationCursorKeys')),
]);

// F13 to F20 are the VT220's. xterm numbers those after F20 in sequence, from 42 on.
const vt220Keys = { f13: 25, f14: 26, f15: 28, f16: 29, f17: 31, f18: 32, f19: 33, f20: 34 };
const afterF20 = Array.from({ length: 15 }, (_, i): [string, number] => [`f${21 + i}`, 42 + i]);

/**
 * The function keys of xterm (ctlseqs, "PC-Style Function Keys" and "VT220-Style Function Keys").
 */
export const xtermFunctionKeys: ReadonlyMap<string, FunctionKey> = new Map([
  ...commonFunctionKeys,
  ...Object.entries(vt220Keys).map(numbered),
  ...afterF20.map(numbered),
  numbered(['menu', 29]),
]);

/**
 * @param parameter the modifier parameter, 1 for none
 * @param applicationCursorKeys DECCKM; ignored with modifiers
 */
export function encodeFunctionKey(
  key: FunctionKey,
  parameter: number,
  applicationCursorKeys: boolean,
): string {
  if (parameter !== 1) return `${csi}${key.number};${parameter}${key.final}`;
  if (key.ss3 && (key.ss3.when === 'always' || applicationCursorKeys)) {
    return `${ss3}${key.ss3.final}`;
  }
  return `${csi}${key.number === 1 ? '' : key.number}${key.final}`;
}

/** A key of the keypad that types a character. */
export interface KeypadKey {
  readonly text: string;
  /**
   * The final character of its SS3 sequence in application keypad mode (ctlseqs, "Keypad keys").
   */
  readonly final: string;
}

const digits = Array.from({ length: 10 }, (_, digit): [string, KeypadKey] => [
  `kp_${digit}`,
  { text: String(digit), final: 'pqrstuvwxy'.charAt(digit) },
]);

export const keypadKeys: ReadonlyMap<string, KeypadKey> = new Map([
  ...digits,
  ['kp_decimal', { text: '.', final: 'n' }],
  ['kp_divide', { text: '/', final: 'o' }],
  ['kp_multiply', { text: '*', final: 'j' }],
  ['kp_subtract', { text: '-', final: 'm' }],
  ['kp_add', { text: '+', final: 'k' }],
  ['kp_enter', { text: '\r', final: 'M' }],
  ['kp_equal', { text: '=', final: 'X' }],
  ['kp_separator', { text: ',', final: 'l' }],
]);

const twins = 'left right up down pageup pagedown home end insert delete'.split(' ');

/** The main keys of the keypad's movement keys: `kp_up` is `up`. */
export const keypadTwins: ReadonlyMap<string, string> = new Map(
  twins.map((name) => [`kp_${name}`, name]),
);

const coded = (name: string, number: number): [string, FunctionKey] => [
  name,
  { number, final: 'u' },
];

const numberedFrom = (first: number, names: string): [string, FunctionKey][] =>
  names.split(/\s+/).map((name, i) => coded(name, first + i));

const f13ToF35 = Array.from({ length: 23 }, (_, i) => `f${13 + i}`).join(' ');

const lockKeys = 'caps_lock scroll_lock num_lock';

const modifierKeys = `left_shift left_control left_alt left_super left_hyper left_meta
  right_shift right_control right_alt right_super right_hyper right_meta
  iso_level3_shift iso_level5_shift`;

const keypad = `kp_0 kp_1 kp_2 kp_3 kp_4 kp_5 kp_6 kp_7 kp_8 kp_9
  kp_decimal kp_divide kp_multiply kp_subtract kp_add kp_enter kp_equal kp_separator
  kp_left kp_right kp_up kp_down kp_pageup kp_pagedown kp_home kp_end kp_insert kp_delete`;

const mediaKeys = `media_play media_pause media_play_pause media_reverse media_stop
  media_fast_forward media_rewind media_track_next media_track_previous media_record
  lower_volume raise_volume mute_volume`;

/**
 * The functional keys of the kitty keyboard protocol ("Functional key definitions").
 * F3 is `CSI 13 ~`, because `CSI 1 ; 2 R` is a cursor position report.
 */
export const kittyFunctionKeys: ReadonlyMap<string, FunctionKey> = new Map([
  coded('enter', 13),
  coded('tab', 9),
  coded('escape', 27),
  coded('backspace', 127),
  ...commonFunctionKeys,
  ['f3', { number: 13, final: '~', ss3: { final: 'R', when: 'always' } }],
  ...numberedFrom(57376, f13ToF35),
  ...numberedFrom(57399, keypad),
  ...numberedFrom(57358, `${lockKeys} print_screen pause menu`),
  ...numberedFrom(57428, mediaKeys),
  ...numberedFrom(57441, modifierKeys),
]);

/** kitty sends xterm's code for menu until a program enables the protocol. */
export const legacyMenuKey: FunctionKey = { number: 29, final: '~' };

/** Keys that only modify other keys. */
export const silentKeys: ReadonlySet<string> = new Set(`${lockKeys} ${modifierKeys}`.split(/\s+/));
