import { kittyFunctionKeys } from './kitty-codes.ts';

/** The canonical names of all keys that are no character, and `space`; for help and completion. */
export const keyNames: readonly string[] = ['space', ...kittyFunctionKeys.keys()];

/** What else people and other programs call them: X11, the DOM, tmux, vim. */
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
  kpprior: 'kp_pageup',
  kpnext: 'kp_pagedown',
  ins: 'insert',
  del: 'delete',
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

/** `Page_Up`, `page-up` and `PAGEUP` are one name. */
export const foldName = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

/** Every spelling that is understood, folded, with the canonical name. */
export const spellings: ReadonlyMap<string, string> = new Map([
  ...keyNames.map((name): [string, string] => [foldName(name), name]),
  ...Object.entries(aliases),
]);

/** The canonical name of a key, whatever the spelling; undefined when there is no such key. */
export const findKeyName = (name: string): string | undefined => spellings.get(foldName(name));

// C0, DEL and C1: what some keys send, but not what any key is called.
const control = /\p{Cc}/u;

/** Whether `text` is one character that can be typed. */
export function isCharacter(text: string): boolean {
  const codePoint = text.codePointAt(0);
  return (
    codePoint !== undefined &&
    String.fromCodePoint(codePoint) === text &&
    !control.test(text) &&
    !/\p{Cs}/u.test(text)
  );
}
