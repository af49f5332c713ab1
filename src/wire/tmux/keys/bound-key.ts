import type { KeyPress } from '#model';

/** A key that can be bound: its name, as tmux prints it, and its place in lists. */
export interface BoundKey {
  readonly name: string;
  readonly order: number;
}

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

/** Keys that are not characters, in the order of lists. */
const special: readonly (readonly [name: string, key: string])[] = [
  ...Array.from({ length: 12 }, (_none, at) => [`F${at + 1}`, `f${at + 1}`] as const),
  ...([
    ['IC', 'insert'],
    ['DC', 'delete'],
    ['Home', 'home'],
    ['End', 'end'],
    ['NPage', 'pagedown'],
    ['PPage', 'pageup'],
    ['BTab', 'backtab'],
    ['Up', 'up'],
    ['Down', 'down'],
    ['Left', 'left'],
    ['Right', 'right'],
  ] as const),
  ...(['/', '*', '-', '7', '8', '9', '+', '4', '5', '6', '1', '2', '3'] as const).map(
    (digit) => [`KP${digit}`, keyOf(`KP${digit}`)?.key ?? ''] as const,
  ),
  ['KPEnter', 'kp_enter'],
  ['KP0', 'kp_0'],
  ['KP.', 'kp_decimal'],
];

/** Characters with names. */
const named: Readonly<Record<string, readonly [name: string, code: number]>> = {
  tab: ['Tab', 9],
  enter: ['Enter', 13],
  escape: ['Escape', 27],
  space: ['Space', 32],
  // It comes before the function keys.
  backspace: ['BSpace', 0x200000 - 0.5],
};

const mouse =
  /^(?:Mouse(?:Down|Up|Drag|DragEnd)(?:[1-36-9]|1[01])|Wheel(?:Up|Down)|(?:Double|Triple|Second)Click(?:[1-36-9]|1[01]))(?:Pane|Status|StatusLeft|StatusRight|StatusDefault|Border)$/;

const specialFrom = 0x200000;
const userFrom = specialFrom + 0x1000;
const bits = { alt: 2 ** 30, ctrl: 2 ** 31, shift: 2 ** 32 } as const;

/** Returns a key by its name in tmux; null if there is none. */
export function boundKey(word: string): BoundKey | null {
  const [, modifiers = '', rest = ''] = /^((?:[CMS]-)*)(.+)$/s.exec(word) ?? [];
  if (mouse.test(rest)) return withModifiers(modifiers, rest, specialFrom - 1);
  // With the option `user-keys`, sequences of a terminal are these keys.
  const [, user] = /^User(\d{1,3})$/.exec(rest) ?? [];
  if (user !== undefined) return withModifiers(modifiers, rest, userFrom + Number(user));
  if (rest === 'Any') return { name: 'Any', order: specialFrom - 2 };
  const coded = codedCharacter(word);
  const text = typeof coded === 'number' ? String.fromCharCode(coded) : (coded ?? word);
  if ([...text].length === 1)
    return boundPress({ key: text, ctrl: false, alt: false, shift: false });
  const press = keyOf(word);
  return press === null ? null : boundPress(press);
}

/** The name and the place of a key that was pressed. */
export function boundPress({
  key,
  ctrl = false,
  alt = false,
  shift = false,
}: KeyPress): BoundKey | null {
  const isBackTab = key === 'tab' && shift;
  const at = special.findIndex(([, each]) => each === (isBackTab ? 'backtab' : key));
  const entry = special[at];
  const modifiers = `${ctrl ? 'C-' : ''}${alt ? 'M-' : ''}${shift && !isBackTab ? 'S-' : ''}`;
  if (entry !== undefined) return withModifiers(modifiers, entry[0], specialFrom + at);
  const [name = [...key].length === 1 ? key : null, code = key.codePointAt(0) ?? 0] = Object.hasOwn(
    named,
    key,
  )
    ? (named[key] ?? [])
    : key === ' '
      ? (named['space'] ?? [])
      : [];
  if (name === null) return null;
  // A control character comes before all others.
  const isControl = ctrl && !shift && (/^[a-z@[\\\]^_]$/.test(key) || name === 'Space');
  // Characters that are not ASCII come after the keys that are not characters.
  const place = name === key && code > 127 ? code + userFrom * 2 : code;
  if (!isControl) return withModifiers(modifiers, name, place);
  return { name: `${alt ? 'M-' : ''}C-${name}`, order: (code & 0x1f) + (alt ? bits.alt : 0) };
}

function withModifiers(modifiers: string, name: string, code: number): BoundKey {
  const order =
    code +
    (modifiers.includes('M-') ? bits.alt : 0) +
    (modifiers.includes('C-') ? bits.ctrl : 0) +
    (modifiers.includes('S-') ? bits.shift : 0);
  return { name: `${modifiers}${name}`, order };
}

/** Returns the key of a name such as `C-M-Left`, `^C` or `F5`; null for anything else. */
export function keyOf(word: string): KeyPress | null {
  let rest = word;
  const modifiers = { ctrl: false, alt: false, shift: false };
  if (/^\^.$/s.test(rest)) return { ...modifiers, ctrl: true, key: rest.slice(1).toLowerCase() };
  for (;;) {
    const [prefix = ''] = /^[CMS]-(?=.)/is.exec(rest) ?? [];
    if (prefix === '') break;
    const letter = prefix.charAt(0).toUpperCase();
    if (letter === 'C') modifiers.ctrl = true;
    else if (letter === 'M') modifiers.alt = true;
    else modifiers.shift = true;
    rest = rest.slice(2);
  }
  const isHeld = modifiers.ctrl || modifiers.alt || modifiers.shift;
  if (rest.toLowerCase() === 'btab') return { ...modifiers, shift: true, key: 'tab' };
  const name = names.get(rest.toLowerCase());
  if (name !== undefined) return { ...modifiers, key: name };
  if (!isHeld || [...rest].length !== 1) return null;
  // Control ignores shift: C-A is C-a.
  return { ...modifiers, key: modifiers.ctrl ? rest.toLowerCase() : rest };
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
