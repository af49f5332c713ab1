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
