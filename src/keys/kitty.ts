import { kittyControl } from './control-characters.ts';
import { altPrefix, encodeControlKey } from './control-keys.ts';
import { encodeFunctionKey, type FunctionKey } from './function-keys.ts';
import { keypadKeys, keypadTwins } from './keypad.ts';
import { kittyFunctionKeys, legacyMenuKey, silentKeys } from './kitty-codes.ts';
import { type Enhancements, enhancements, type KittyKeyEvent } from './kitty-event.ts';
import { kittySequence, needsFields } from './kitty-sequence.ts';
import { modifierBits } from './modifiers.ts';
import { esc } from './sequences.ts';

const { shift, alt, ctrl, capsLock, numLock } = modifierBits;
const locks = capsLock | numLock;

/**
 * Encodes an event in the kitty keyboard protocol with these flags (0..31). Returns an empty string
 * for an event that is not reported.
 *
 * With flags 0 this is kitty's legacy encoding. It is xterm's, except that key presses that are
 * ambiguous in xterm are sent as `CSI u`, and F3 with modifiers as `CSI 13 ~`.
 */
export function encodeKitty(
  given: KittyKeyEvent,
  flags: number,
  applicationCursorKeys: boolean,
): string {
  const wanted = enhancements(flags);
  const event = applyFlags(given, flags, wanted);
  if (isUnreported(event, wanted)) return '';
  if (event.text && sendsText(event, wanted)) return event.text;
  const key = kittyFunctionKeys.get(event.key);
  return key
    ? encodeFunctional(event, key, wanted, applicationCursorKeys)
    : encodeTextKey(event, wanted);
}

/** Removes details that the flags exclude: locks in legacy mode, and the keypad's own key codes. */
function applyFlags(event: KittyKeyEvent, flags: number, wanted: Enhancements): KittyKeyEvent {
  const modifiers = flags === 0 ? event.modifiers & ~locks : event.modifiers;
  const keepsKeypad = wanted.disambiguate || wanted.allKeys;
  return { ...event, modifiers, key: keepsKeypad ? event.key : outsideKeypad(event.key) };
}

function outsideKeypad(name: string): string {
  if (name === 'kp_enter') return 'enter';
  return keypadTwins.get(name) ?? keypadKeys.get(name)?.text ?? name;
}

function isUnreported(event: KittyKeyEvent, wanted: Enhancements): boolean {
  if (silentKeys.has(event.key) && !wanted.allKeys) return true;
  if (event.action !== 'release') return false;
  return !wanted.events || (keepsItsByte(event) && !wanted.allKeys);
}

/**
 * Enter, tab and backspace send their legacy bytes unless all keys are reported, so that the user
 * can type `reset` after a program that crashed with the flags set.
 */
const keepsItsByte = ({ key, modifiers }: KittyKeyEvent): boolean =>
  (key === 'enter' || key === 'tab' || key === 'backspace') && (modifiers & ~locks) === 0;

/** Functional keys with text are on the keypad; they are sent as keys. */
const sendsText = (event: KittyKeyEvent, wanted: Enhancements): boolean =>
  !wanted.allKeys && event.action !== 'release' && !kittyFunctionKeys.has(event.key);

function encodeFunctional(
  event: KittyKeyEvent,
  key: FunctionKey,
  wanted: Enhancements,
  applicationCursorKeys: boolean,
): string {
  if (keepsItsByte(event) && !wanted.allKeys) return encodeControlKey(event.key, 0, false);
  if (isPlainEscape(event, wanted)) return esc;
  if (!wanted.legacy) return kittySequence(event, key, wanted);
  const legacyKey = event.key === 'menu' ? legacyMenuKey : key;
  return (
    encodeControlKey(event.key, event.modifiers, false) ||
    encodeFunctionKey(legacyKey, event.modifiers + 1, applicationCursorKeys)
  );
}

const isPlainEscape = (event: KittyKeyEvent, wanted: Enhancements): boolean =>
  event.key === 'escape' &&
  event.modifiers === 0 &&
  event.action !== 'release' &&
  !(wanted.disambiguate || wanted.allKeys);

function encodeTextKey(event: KittyKeyEvent, wanted: Enhancements): string {
  const plain = wanted.allKeys || needsFields(event, wanted) ? undefined : plainText(event, wanted);
  const number = event.key.codePointAt(0) ?? 0;
  return plain ?? kittySequence(event, { number, final: 'u' }, wanted);
}

function plainText(event: KittyKeyEvent, wanted: Enhancements): string | undefined {
  if (event.modifiers === 0) return event.key;
  return wanted.disambiguate ? undefined : legacyText(event);
}

/** "Legacy text keys"; undefined for a press that is ambiguous and needs `CSI u`. */
function legacyText({ key, shiftedKey = key, modifiers }: KittyKeyEvent): string | undefined {
  if (!isAscii(key) && !isAscii(shiftedKey)) return undefined;
  if (modifiers === shift) return shiftedKey;
  const typesShifted =
    modifiers & shift && shiftedKey !== key && !(modifiers & ctrl && isLetter(key));
  const char = typesShifted ? shiftedKey : key;
  const left = typesShifted || key === ' ' ? modifiers & ~shift : modifiers;
  if (left & ~(alt | ctrl)) return undefined;
  return altPrefix(left) + (left & ctrl ? kittyControl(char) : char);
}

const isAscii = (char: string): boolean => /^[ -~]$/.test(char);
const isLetter = (char: string): boolean => /^[a-z]$/.test(char);
