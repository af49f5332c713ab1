import type { KeyPress } from '#model';

/** Names of keys in tmux, and those in vtr. */
const table: Readonly<Record<string, string>> = {
  up: 'up',
  down: 'down',
  left: 'left',
  right: 'right',
  home: 'home',
  end: 'end',
  ic: 'insert',
  insert: 'insert',
  dc: 'delete',
  delete: 'delete',
  pageup: 'pageup',
  pgup: 'pageup',
  ppage: 'pageup',
  pagedown: 'pagedown',
  pgdn: 'pagedown',
  npage: 'pagedown',
  tab: 'tab',
  enter: 'enter',
  escape: 'escape',
  space: 'space',
  bspace: 'backspace',
  'kp/': 'kp_divide',
  'kp*': 'kp_multiply',
  'kp-': 'kp_subtract',
  'kp+': 'kp_add',
  'kp.': 'kp_decimal',
  kpenter: 'kp_enter',
  ...Object.fromEntries(Array.from({ length: 10 }, (_none, at) => [`kp${at}`, `kp_${at}`])),
  ...Object.fromEntries(Array.from({ length: 12 }, (_none, at) => [`f${at + 1}`, `f${at + 1}`])),
};

const names: ReadonlyMap<string, string> = new Map(Object.entries(table));

/** Returns the key of a name such as `C-M-Left`, `^C` or `F5`; null for anything else. */
export function keyOf(word: string): KeyPress | null {
  let rest = word;
  const held = { ctrl: false, alt: false, shift: false };
  if (/^\^.$/s.test(rest)) return { ...held, ctrl: true, key: rest.slice(1).toLowerCase() };
  for (;;) {
    const [prefix = ''] = /^[CMS]-(?=.)/is.exec(rest) ?? [];
    if (prefix === '') break;
    const letter = prefix.charAt(0).toUpperCase();
    if (letter === 'C') held.ctrl = true;
    else if (letter === 'M') held.alt = true;
    else held.shift = true;
    rest = rest.slice(2);
  }
  const isHeld = held.ctrl || held.alt || held.shift;
  if (rest.toLowerCase() === 'btab') return { ...held, shift: true, key: 'tab' };
  const name = names.get(rest.toLowerCase());
  if (name !== undefined) return { ...held, key: name };
  if (!isHeld || [...rest].length !== 1) return null;
  // Control ignores shift: C-A is C-a.
  return { ...held, key: held.ctrl ? rest.toLowerCase() : rest };
}

/** Returns the character of a code such as `0x1b`, as a byte if it is ASCII; null for anything else. */
export function codedCharacter(word: string): string | number | null {
  const [, digits] = /^0x([0-9a-f]{1,6})$/i.exec(word) ?? [];
  const code = digits === undefined ? Number.NaN : Number.parseInt(digits, 16);
  const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  if (!isCharacter) return null;
  return code < 0x80 ? code : String.fromCodePoint(code);
}

/** Returns the byte of a key in hexadecimal, `1b` or `0x1b`; null if it is none. */
export function hexByte(word: string): number | null {
  const [, digits] = /^(?:0x)?([0-9a-f]{1,2})$/i.exec(word) ?? [];
  return digits === undefined ? null : Number.parseInt(digits, 16);
}
