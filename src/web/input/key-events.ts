import { defined } from '#base';
import type { KeyPressJson } from '#messages';
import type { KeyPress } from '#model';
import type { Scrolling } from '../terminal/screen-view.ts';

/** Keys that type no character, by `KeyboardEvent.key`; the service knows these names in lower case. */
const named =
  /^(Enter|Tab|Backspace|Escape|Arrow(Up|Down|Left|Right)|Home|End|Page(Up|Down)|Insert|Delete|Pause|F\d+)$/;

/** Keys with other names in the service. */
const names: Readonly<Record<string, string>> = { ' ': 'space', ContextMenu: 'menu' };

/** The names of the keypad's keys, by `KeyboardEvent.code`. */
const keypad: Readonly<Record<string, string>> = {
  NumpadEnter: 'kp_enter',
  NumpadAdd: 'kp_add',
  NumpadSubtract: 'kp_subtract',
  NumpadMultiply: 'kp_multiply',
  NumpadDivide: 'kp_divide',
  NumpadDecimal: 'kp_decimal',
};

/** What the page needs of a `KeyboardEvent`. */
export interface KeyEvent {
  readonly key: string;
  readonly code: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly repeat: boolean;
  getModifierState(key: string): boolean;
}

/**
 * Returns the key that was pressed, as the service names it; null for a key that types nothing by
 * itself, such as a modifier or a dead key.
 *
 * @param isMac on a Mac, the option key types characters, as AltGr elsewhere
 */
export function keyPressOf(
  event: KeyEvent,
  { isMac }: { readonly isMac: boolean },
): KeyPress | null {
  const { key, code, shiftKey: shift, ctrlKey: ctrl, altKey: alt, metaKey } = event;
  const isCharacter = [...key].length === 1 && key !== ' ';
  const modifiers = {
    ...defined({ ctrl: ctrl || undefined, alt: alt || undefined, super: metaKey || undefined }),
    ...(event.repeat && { action: 'repeat' as const }),
  };
  if (isCharacter && /^Numpad\d$/.test(code) && !shift) {
    return { key: `kp_${code.slice(6)}`, ...modifiers };
  }
  const onKeypad = keypad[code];
  if (onKeypad !== undefined)
    return { key: onKeypad, ...defined({ shift: shift || undefined }), ...modifiers };
  if (isCharacter) {
    const isThirdLevel = event.getModifierState('AltGraph') || (isMac && alt);
    const repeat = event.repeat ? { action: 'repeat' as const } : {};
    // What the third level of a layout types is a character, whatever produced it.
    if (isThirdLevel && !/^[a-z0-9]$/i.test(key)) return { key, ...repeat };
    const base = /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase();
    const isLatin = key.charCodeAt(0) < 0x80;
    const baseLayoutKey = base !== undefined && !isLatin ? { baseLayoutKey: base } : {};
    if (!ctrl && !alt && !metaKey) return { key, ...repeat };
    const lower = key.toLowerCase();
    return {
      key: lower,
      ...defined({ shift: shift || undefined }),
      ...modifiers,
      ...baseLayoutKey,
    };
  }
  const name = names[key] ?? (named.test(key) ? key.toLowerCase() : null);
  return name === null
    ? null
    : { key: name, ...defined({ shift: shift || undefined }), ...modifiers };
}

/** Returns a key press in the message of the service. */
export function keyMessage({ action, ...press }: KeyPress): KeyPressJson {
  return action === 'repeat' ? { ...press, action: 'KEY_ACTION_REPEAT' } : press;
}

/** What the page knows when a key is pressed in a terminal. */
export interface KeyContext {
  readonly isMac: boolean;
  /** Whether the terminal has the keyboard: the person types, or has taken the session over. */
  readonly isTyping: boolean;
  /** Whether there are lines above the screen, and no full-screen program that may want the keys. */
  readonly hasLines: boolean;
  /** Whether text is selected, which Ctrl+C copies. */
  readonly hasSelection: boolean;
}

/**
 * Whom a key is for: the program (`type`), the browser, the page, which leaves the terminal, searches or scrolls; or
 * nobody (`unsent`), because the terminal does not have the keyboard and the key would begin nothing.
 */
export type KeyUse = 'type' | 'browser' | 'leave' | 'search' | 'unsent' | Scrolling;

const scrollings: Readonly<Record<string, Scrolling>> = {
  PageUp: 'pageup',
  PageDown: 'pagedown',
  Home: 'home',
  End: 'end',
};

/** Keys that only programs know. Pressed by accident, they must not begin anything. */
const onlyOfPrograms = /^(Backspace|Delete|Insert|Pause|Arrow(Up|Down|Left|Right))$/;
/** With Ctrl, as above: end, end of input, stop, quit. */
const interrupts = ['c', 'd', 'z', '\\'];

/**
 * Returns whom a key is for. A session that is only watched gets what a person types on purpose: characters, Enter.
 * From then on it gets all keys but those with which one copies, pastes, scrolls, searches and leaves.
 */
export function useOfKey(event: KeyEvent, context: KeyContext): KeyUse {
  const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
  const { isMac, isTyping, hasLines } = context;
  const lower = key.toLowerCase();
  if (key === 'Escape' && shiftKey) return 'leave';
  const isCommand = isMac ? metaKey || ctrlKey : ctrlKey;
  const isSearch = isCommand && !altKey && lower === 'f';
  if (isSearch && (shiftKey || metaKey || !isTyping)) return 'search';
  // The palette: without Shift, the program gets it while a person types.
  if (isCommand && !altKey && lower === 'k' && (shiftKey || !isTyping)) return 'browser';
  // Windows, Linux: the desktop's own keys.
  if (metaKey || isCopyOrPaste(event, context)) return 'browser';
  // People who need larger text must be able to get it.
  if (ctrlKey && !altKey && ['+', '=', '-', '0'].includes(key)) return 'browser';
  const scrolling = scrollings[key];
  if (scrolling !== undefined && !ctrlKey && !altKey && (shiftKey ? hasLines : !isTyping))
    return scrolling;
  return isTyping ? 'type' : useWhileWatching(event, isMac);
}

/** As in other terminals; copy also without shift while text is selected. */
function isCopyOrPaste(
  { key, ctrlKey, shiftKey, altKey }: KeyEvent,
  { hasSelection }: KeyContext,
): boolean {
  const lower = key.toLowerCase();
  if (!ctrlKey || altKey || (lower !== 'c' && lower !== 'v')) return false;
  return shiftKey || (lower === 'c' && hasSelection);
}

function useWhileWatching(event: KeyEvent, isMac: boolean): KeyUse {
  const { key, ctrlKey, altKey } = event;
  const isThirdLevel = event.getModifierState('AltGraph') || (isMac && altKey);
  if (onlyOfPrograms.test(key) && !altKey) return 'unsent';
  if (ctrlKey && !isThirdLevel)
    return interrupts.includes(key.toLowerCase()) ? 'unsent' : 'browser';
  if (altKey && !isThirdLevel) return 'browser';
  return key === 'Enter' || [...key].length === 1 ? 'type' : 'browser';
}

/** Returns what turns a text that was typed into another one: how many characters are deleted, and what is typed. */
export function typedChange(
  before: string,
  after: string,
): { readonly backspaces: number; readonly text: string } {
  const [old, target] = [[...before], [...after]];
  const first = old.findIndex((character, at) => character !== target[at]);
  const same = first === -1 ? old.length : first;
  return { backspaces: old.length - same, text: target.slice(same).join('') };
}
