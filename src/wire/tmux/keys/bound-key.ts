import type { KeyPress } from '#model';
import { codedCharacter, keyOf } from './key-names.ts';

/** A key that can be bound: its name, as tmux prints it, and its place in lists. */
export interface BoundKey {
  readonly name: string;
  readonly order: number;
}

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
const held = { alt: 2 ** 30, ctrl: 2 ** 31, shift: 2 ** 32 } as const;

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
  const found = special[at];
  const modifiers = `${ctrl ? 'C-' : ''}${alt ? 'M-' : ''}${shift && !isBackTab ? 'S-' : ''}`;
  if (found !== undefined) return withModifiers(modifiers, found[0], specialFrom + at);
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
  return { name: `${alt ? 'M-' : ''}C-${name}`, order: (code & 0x1f) + (alt ? held.alt : 0) };
}

function withModifiers(modifiers: string, name: string, code: number): BoundKey {
  const order =
    code +
    (modifiers.includes('M-') ? held.alt : 0) +
    (modifiers.includes('C-') ? held.ctrl : 0) +
    (modifiers.includes('S-') ? held.shift : 0);
  return { name: `${modifiers}${name}`, order };
}
