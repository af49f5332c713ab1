import { isCharacter, keypadKeys, modifierBits, withoutShift, withShift } from '#keys';
import type { KeyPress } from '#model';
import { parameterOf, parametersOf } from './control-sequence.ts';
import { keysByCode } from './function-key-names.ts';
import { acted, type KeyEvent, pressed, pressOf } from './key-event.ts';
import { actionOf, heldOf } from './key-parameters.ts';
import type { ControlSequence } from './token.ts';

const { shift } = modifierBits;

/** The flag of the kitty keyboard protocol. */
const reportsAlternates = 4;

/** A key of xterm's modifyOtherKeys: `CSI 27 ; modifiers ; code ~`, or as `CSI code ; modifiers u`. */
export function keyOfTypedCode(sequence: ControlSequence): KeyEvent | undefined {
  const values = parametersOf(sequence);
  if (sequence.final === 'u' && values.length <= 2) return typedKey(values[0], values[1]);
  const isReport = sequence.final === '~' && values.length === 3 && values[0] === 27;
  return isReport ? typedKey(values[2], values[1]) : undefined;
}

/** @param code the character that the key types with its modifiers */
function typedKey(code = 0, parameter = 1): KeyEvent | undefined {
  const held = heldOf(parameter, false);
  const name = code === 8 ? 'backspace' : keysByCode.get(code);
  if (name !== undefined) return pressed(name, held);
  const char = characterOf(code);
  if (char === undefined) return undefined;
  const base = held & shift ? (withoutShift(char) ?? char) : char;
  return acted(pressOfLayout(base, held, held & shift ? char : undefined), 'press');
}

/** @param shifted what the key types with shift, if that is known */
function pressOfLayout(char: string, held: number, shifted: string | undefined): KeyPress {
  const press = pressOf(char, held);
  const isAsUs = shifted === undefined || shifted === (withShift(char) ?? char);
  // On a US layout, such a character needs shift. Here it does not, as on a French keyboard.
  const needsShift = withoutShift(char) !== undefined && !isLetter(char);
  return isAsUs && !needsShift ? press : { ...press, shiftedKey: shifted ?? char };
}

const isLetter = (char: string): boolean => /\p{L}/u.test(char);

/**
 * The keys of an event of the kitty keyboard protocol:
 * `CSI code : shifted : base ; modifiers : action ; text u`. Text of several characters, as input
 * methods send it, is that many keys.
 */
export function keysOfKittyCode(sequence: ControlSequence, flags: number): KeyEvent[] | undefined {
  const text = textOf(sequence);
  const code = parameterOf(sequence, 0, 1);
  const held = heldOf(parameterOf(sequence, 1, 1), true);
  const [, shifted, base] = sequence.parameters[0] ?? [];
  // With alternate keys, what has none is the same with shift.
  const other = shifted ?? (flags & reportsAlternates ? code : undefined);
  const presses = pressesOf({ code, shifted: other, base, held }, text);
  const action = actionOf(sequence);
  return presses.length === 0 ? undefined : presses.map((press) => acted(press, action));
}

interface KittyKey {
  /** The character of the key without modifiers. */
  readonly code: number;
  readonly shifted: number | undefined;
  /** On a US layout. */
  readonly base: number | null | undefined;
  readonly held: number;
}

function pressesOf(key: KittyKey, text: readonly string[]): KeyPress[] {
  const name = keysByCode.get(key.code);
  if (name !== undefined && !typesOther(name, text)) return [pressOf(name, key.held)];
  const [only] = text;
  const press = pressOfKittyKey(key, text.length === 1 ? only : undefined);
  if (only === undefined) return press ? [press] : [];
  const isUsKey = text.length === 1 && press !== undefined && typedBy(press) === only;
  return isUsKey ? [press] : text.map((char) => pressOf(char));
}

/** Whether a key of the keypad types another character than on a US layout. */
const typesOther = (name: string, [char]: readonly string[]): boolean =>
  char !== undefined && keypadKeys.get(name)?.text !== char;

function pressOfKittyKey(
  { code, shifted, base, held }: KittyKey,
  text: string | undefined,
): KeyPress | undefined {
  const char = characterOf(code);
  if (char === undefined) return undefined;
  const baseLayoutKey = characterOf(base ?? 0);
  const typed = characterOf(shifted ?? 0) ?? text;
  const press = pressOfLayout(char, held, held & shift ? typed : undefined);
  return baseLayoutKey === undefined ? press : { ...press, baseLayoutKey };
}

const typedBy = ({ key, shift: isShifted, shiftedKey }: KeyPress): string =>
  (isShifted ? (shiftedKey ?? withShift(key)) : undefined) ?? key;

/** The characters of the third parameter. */
function textOf({ parameters }: ControlSequence): string[] {
  return (parameters[2] ?? []).flatMap((code) => characterOf(code ?? 0) ?? []);
}

/** The characters from U+E000 to U+F8FF have other meanings in the protocol. */
const isPrivate = (code: number): boolean => code >= 0xe000 && code <= 0xf8ff;

function characterOf(code: number): string | undefined {
  if (code > 0x10ffff || isPrivate(code)) return undefined;
  const char = String.fromCodePoint(code);
  return isCharacter(char) ? char : undefined;
}
