import { defined } from '#base';
import type { KeyPressJson } from '#messages';
import type { KeyPress } from '#model';

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
