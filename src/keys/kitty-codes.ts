import { commonFunctionKeys, type FunctionKey } from './function-keys.ts';

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
