import { kittyFunctionKeys } from './kitty-codes.ts';

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
export const foldName = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

/** The canonical name of every known spelling, folded. */
export const spellings: ReadonlyMap<string, string> = new Map([
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
