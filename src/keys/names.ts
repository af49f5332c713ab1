import { nearMisses, quoted } from '#base';
import { shortened, VtrError } from '#model';
import { kittyFunctionKeys } from './function-keys.ts';

/**
 * The canonical names of all keys that are not characters, and `space`; for help and completion.
 */
export const keyNames: readonly string[] = ['space', ...kittyFunctionKeys.keys()];

/** Names from X11, the DOM, tmux, vim and others. */
const aliases: Readonly<Record<string, string>> = {
  arrowup: 'up',
  arrowdown: 'down',
  arrowleft: 'left',
  arrowright: 'right',
  pgup: 'pageup',
  pgdn: 'pagedown',
  pgdown: 'pagedown',
  prior: 'pageup',
  next: 'pagedown',
  ppage: 'pageup',
  npage: 'pagedown',
  kpprior: 'kp_pageup',
  kpnext: 'kp_pagedown',
  ins: 'insert',
  ic: 'insert',
  del: 'delete',
  dc: 'delete',
  bs: 'backspace',
  bspace: 'backspace',
  return: 'enter',
  ret: 'enter',
  cr: 'enter',
  esc: 'escape',
  spacebar: 'space',
  leftctrl: 'left_control',
  rightctrl: 'right_control',
};

/** Folds spellings of one name: `Page_Up`, `page-up`, `PAGEUP`. */
const foldName = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

/** The canonical name of every known spelling, folded. */
const spellings: ReadonlyMap<string, string> = new Map([
  ...keyNames.map((name): [string, string] => [foldName(name), name]),
  ...Object.entries(aliases),
]);

/** Returns the canonical name of a key in any spelling; undefined if there is no such key. */
export const findKeyName = (name: string): string | undefined => spellings.get(foldName(name));

// C0, DEL and C1: some keys send them, but none is named by them.
const control = /\p{Cc}/u;

/** Returns whether `text` is one character that can be typed. */
export function isCharacter(text: string): boolean {
  const codePoint = text.codePointAt(0);
  return (
    codePoint !== undefined &&
    String.fromCodePoint(codePoint) === text &&
    !control.test(text) &&
    !/\p{Cs}/u.test(text)
  );
}

const accepted =
  'one character or a key name (enter, f5, pageup), with modifiers before it as in ctrl+c';

export const noSuchKey = 'no key has this name';

/** The most characters of the key in an error message; more than any key has. */
const maxShown = 40;

/** Returns INVALID_KEY with the problem, similar names and a hint. */
export function invalidKey(text: string, problem: string, nearest: readonly string[]): VtrError {
  const key = shortened(text, maxShown);
  const guess = nearest.length > 0 ? `did you mean ${nearest.join(' or ')}? Use` : 'use';
  return new VtrError('INVALID_KEY', `key ${quoted(key)}: ${problem}; ${guess} ${accepted}`, {
    details: { key, nearest },
  });
}

/** Returns the canonical names similar to an unknown name. */
export function nearestKeys(name: string): string[] {
  const close = nearMisses(foldName(name), spellings.keys());
  return [...new Set(close.flatMap((spelling) => spellings.get(spelling) ?? []))];
}
