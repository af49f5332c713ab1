import type { KeyAction } from '#model';
import {
  encodeFunctionKey,
  type FunctionKey,
  keypadKeys,
  keypadTwins,
  kittyFunctionKeys,
  legacyMenuKey,
  silentKeys,
} from './function-keys.ts';
import { altPrefix, csi, encodeControlKey, esc, kittyControl, modifierBits } from './sequences.ts';

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
  raw: KittyKeyEvent,
  flags: number,
  applicationCursorKeys: boolean,
): string {
  const reported = enhancements(flags);
  const event = applyFlags(raw, flags, reported);
  if (isUnreported(event, reported)) return '';
  if (event.text && sendsText(event, reported)) return event.text;
  const key = kittyFunctionKeys.get(event.key);
  return key
    ? encodeFunctional(event, key, reported, applicationCursorKeys)
    : encodeTextKey(event, reported);
}

/** Removes details that the flags exclude: locks in legacy mode, and the keypad's own key codes. */
function applyFlags(
  event: KittyKeyEvent,
  flags: number,
  enhancements: Enhancements,
): KittyKeyEvent {
  const modifiers = flags === 0 ? event.modifiers & ~locks : event.modifiers;
  const keepsKeypad = enhancements.disambiguate || enhancements.allKeys;
  return { ...event, modifiers, key: keepsKeypad ? event.key : outsideKeypad(event.key) };
}

function outsideKeypad(name: string): string {
  if (name === 'kp_enter') return 'enter';
  return keypadTwins.get(name) ?? keypadKeys.get(name)?.text ?? name;
}

function isUnreported(event: KittyKeyEvent, enhancements: Enhancements): boolean {
  if (silentKeys.has(event.key) && !enhancements.allKeys) return true;
  if (event.action !== 'release') return false;
  return !enhancements.events || (keepsItsByte(event) && !enhancements.allKeys);
}

/**
 * Enter, tab and backspace send their legacy bytes unless all keys are reported, so that the user
 * can type `reset` after a program that crashed with the flags set.
 */
const keepsItsByte = ({ key, modifiers }: KittyKeyEvent): boolean =>
  (key === 'enter' || key === 'tab' || key === 'backspace') && (modifiers & ~locks) === 0;

/** Functional keys with text are on the keypad; they are sent as keys. */
const sendsText = (event: KittyKeyEvent, enhancements: Enhancements): boolean =>
  !enhancements.allKeys && event.action !== 'release' && !kittyFunctionKeys.has(event.key);

function encodeFunctional(
  event: KittyKeyEvent,
  key: FunctionKey,
  enhancements: Enhancements,
  applicationCursorKeys: boolean,
): string {
  if (keepsItsByte(event) && !enhancements.allKeys) return encodeControlKey(event.key, 0, false);
  if (isPlainEscape(event, enhancements)) return esc;
  if (!enhancements.legacy) return kittySequence(event, key, enhancements);
  const legacyKey = event.key === 'menu' ? legacyMenuKey : key;
  return (
    encodeControlKey(event.key, event.modifiers, false) ||
    encodeFunctionKey(legacyKey, event.modifiers + 1, applicationCursorKeys)
  );
}

const isPlainEscape = (event: KittyKeyEvent, enhancements: Enhancements): boolean =>
  event.key === 'escape' &&
  event.modifiers === 0 &&
  event.action !== 'release' &&
  !(enhancements.disambiguate || enhancements.allKeys);

function encodeTextKey(event: KittyKeyEvent, enhancements: Enhancements): string {
  const plain =
    enhancements.allKeys || needsFields(event, enhancements)
      ? undefined
      : plainText(event, enhancements);
  const number = event.key.codePointAt(0) ?? 0;
  return plain ?? kittySequence(event, { number, final: 'u' }, enhancements);
}

function plainText(event: KittyKeyEvent, enhancements: Enhancements): string | undefined {
  if (event.modifiers === 0) return event.key;
  return enhancements.disambiguate ? undefined : legacyText(event);
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

/** One event of the kitty keyboard protocol. */
export interface KittyKeyEvent {
  /** The name of a functional key, or the character of the key without modifiers. */
  readonly key: string;
  /** Bits of `modifierBits`, locks included. */
  readonly modifiers: number;
  readonly action: KeyAction;
  /** The character of the key with shift. */
  readonly shiftedKey?: string;
  /** The character of the key on a US layout, if it differs. */
  readonly baseLayoutKey?: string;
  /** The text that the event types, if any. */
  readonly text?: string;
}

/** The flags, one property per bit ("Progressive enhancement"). */
interface Enhancements {
  readonly disambiguate: boolean;
  readonly events: boolean;
  readonly alternates: boolean;
  readonly allKeys: boolean;
  readonly text: boolean;
  /** No flag that replaces legacy sequences is set. */
  readonly legacy: boolean;
}

const enhancements = (flags: number): Enhancements => ({
  disambiguate: (flags & 0b1) !== 0,
  events: (flags & 0b10) !== 0,
  alternates: (flags & 0b100) !== 0,
  allKeys: (flags & 0b1000) !== 0,
  text: (flags & 0b10000) !== 0,
  legacy: (flags & 0b1011) === 0,
});

const actions = { press: '', repeat: ':2', release: ':3' };

/**
 * Returns `CSI code:shifted:base ; modifiers:action ; text final`. Fields that are empty or not
 * wanted are left out ("An overview").
 */
function kittySequence(
  event: KittyKeyEvent,
  code: { readonly number: number; readonly final: string },
  enhancements: Enhancements,
): string {
  const alternates = code.final === 'u' ? alternateField(event, enhancements) : '';
  const modifiers = modifierField(event, enhancements);
  const text = textField(event, enhancements);
  const rest = text ? `;${modifiers};${text}` : modifiers && `;${modifiers}`;
  const number = code.number === 1 && !rest ? '' : code.number;
  return `${csi}${number}${alternates}${rest}${code.final}`;
}

/** Returns whether an event has wanted fields that a legacy sequence lacks. */
const needsFields = (event: KittyKeyEvent, enhancements: Enhancements): boolean =>
  (enhancements.events && event.action !== 'press') ||
  alternateField(event, enhancements) !== '' ||
  textField(event, enhancements) !== '';

function modifierField(event: KittyKeyEvent, enhancements: Enhancements): string {
  const action = enhancements.events ? actions[event.action] : '';
  return event.modifiers === 0 && action === '' ? '' : `${event.modifiers + 1}${action}`;
}

function alternateField(event: KittyKeyEvent, enhancements: Enhancements): string {
  if (!enhancements.alternates) return '';
  const shifted = event.modifiers & modifierBits.shift ? codePoint(event.shiftedKey) : '';
  const base = codePoint(event.baseLayoutKey);
  if (base) return `:${shifted}:${base}`;
  return shifted && `:${shifted}`;
}

const textField = (event: KittyKeyEvent, enhancements: Enhancements): string =>
  enhancements.text && event.text ? Array.from(event.text, codePoint).join(':') : '';

const codePoint = (char: string | undefined): string => String(char?.codePointAt(0) ?? '');
