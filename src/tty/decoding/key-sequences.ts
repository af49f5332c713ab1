import {
  isCharacter,
  keypadKeys,
  kittyFunctionKeys,
  modifierBits,
  withoutShift,
  withShift,
  xtermFunctionKeys,
} from '#keys';
import type { KeyPress } from '#model';
import { type ControlSequence, parameterOf, parametersOf } from './token.ts';
import { acted, actionOf, heldOf, type KeyEvent, pressed, pressOf } from './tty-event.ts';

const { shift, ctrl } = modifierBits;

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
  const modifiers = heldOf(parameter, false);
  const name = code === 8 ? 'backspace' : keysByCode.get(code);
  if (name !== undefined) return pressed(name, modifiers);
  const char = characterOf(code);
  if (char === undefined) return undefined;
  const base = modifiers & shift ? (withoutShift(char) ?? char) : char;
  return acted(pressOfLayout(base, modifiers, modifiers & shift ? char : undefined), 'press');
}

/** @param shifted what the key types with shift, if that is known */
function pressOfLayout(char: string, modifiers: number, shifted: string | undefined): KeyPress {
  const press = pressOf(char, modifiers);
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
  const modifiers = heldOf(parameterOf(sequence, 1, 1), true);
  const [, shifted, base] = sequence.parameters[0] ?? [];
  // With alternate keys, what has none is the same with shift.
  const other = shifted ?? (flags & reportsAlternates ? code : undefined);
  const presses = pressesOf({ code, shifted: other, base, modifiers: modifiers }, text);
  const action = actionOf(sequence);
  return presses.length === 0 ? undefined : presses.map((press) => acted(press, action));
}

interface KittyKey {
  /** The character of the key without modifiers. */
  readonly code: number;
  readonly shifted: number | undefined;
  /** On a US layout. */
  readonly base: number | null | undefined;
  readonly modifiers: number;
}

function pressesOf(key: KittyKey, text: readonly string[]): KeyPress[] {
  const name = keysByCode.get(key.code);
  if (name !== undefined && !typesOther(name, text)) return [pressOf(name, key.modifiers)];
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
  { code, shifted, base, modifiers }: KittyKey,
  text: string | undefined,
): KeyPress | undefined {
  const char = characterOf(code);
  if (char === undefined) return undefined;
  const baseLayoutKey = characterOf(base ?? 0);
  const typed = characterOf(shifted ?? 0) ?? text;
  const press = pressOfLayout(char, modifiers, modifiers & shift ? typed : undefined);
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

/** Returns the key of a control character. */
export function keyOfControl(code: number, backspaceCode: number, alt: boolean): KeyEvent {
  const modifiers = alt ? modifierBits.alt : 0;
  if (code === backspaceCode) return pressed('backspace', modifiers);
  switch (code) {
    case 0x00:
      return pressed(' ', modifiers | ctrl);
    case 0x09:
      return pressed('tab', modifiers);
    case 0x0d:
      return pressed('enter', modifiers);
    case 0x1b:
      return pressed('escape', modifiers);
    case 0x7f:
      return pressed('backspace', modifiers | ctrl);
    default:
      return pressed(String.fromCharCode(code + 0x40).toLowerCase(), modifiers | ctrl);
  }
}

const rxvtModifiers: Readonly<Record<string, number>> = {
  $: shift,
  '^': ctrl,
  '@': shift | ctrl,
};

const rxvtCursorKeys: Readonly<Record<string, string>> = {
  a: 'up',
  b: 'down',
  c: 'right',
  d: 'left',
};

const linuxFunctionKeys: Readonly<Record<string, string>> = {
  A: 'f1',
  B: 'f2',
  C: 'f3',
  D: 'f4',
  E: 'f5',
};

/** Returns the function key of `SS3 parameter final`; undefined if there is none. */
export function keyOfSs3(parameter: string, final: string): KeyEvent | undefined {
  // `SS3 5 P` and `SS3 1 ; 5 P` are ctrl+F1.
  const modifiers = heldOf(Number(/\d*$/.exec(parameter)), false);
  const rxvtKey = rxvtCursorKeys[final];
  if (rxvtKey !== undefined) return pressed(rxvtKey, modifiers | ctrl);
  if (final === 'I') return pressed('tab', modifiers);
  if (final === ' ') return pressed(' ', modifiers);
  const name = keysByFinal.get(final) ?? keypadByFinal.get(final);
  return name === undefined ? undefined : pressed(name, modifiers);
}

/**
 * Returns the key of a CSI sequence of xterm, the VT220, rxvt or the Linux console; undefined if
 * there is none.
 */
export function keyOfCsi(sequence: ControlSequence, speaksKitty: boolean): KeyEvent | undefined {
  const { prefix, parameters, intermediates, final } = sequence;
  if (intermediates !== '' || parameters.length > 2) return undefined;
  if (prefix === '[') return plain(linuxFunctionKeys[final], sequence);
  if (prefix !== '') return undefined;
  const modifiers = rxvtModifiers[final];
  if (modifiers !== undefined && parameters.length === 1) {
    const name = keysByNumber.get(parameterOf(sequence, 0));
    return name === undefined ? undefined : pressed(name, modifiers);
  }
  const rxvtKey = rxvtCursorKeys[final];
  if (rxvtKey !== undefined) return plain(rxvtKey, sequence, shift);
  return modifiedKey(sequence, speaksKitty);
}

const plain = (name: string | undefined, { parameters }: ControlSequence, modifiers = 0) =>
  name === undefined || parameters.length > 0 ? undefined : pressed(name, modifiers);

function modifiedKey(sequence: ControlSequence, speaksKitty: boolean): KeyEvent | undefined {
  const { final } = sequence;
  const tab = tabOf(sequence);
  const name = tab ?? (final === '~' ? keyOfNumber(sequence) : keyOfFinal(sequence));
  if (name === undefined) return undefined;
  const modifiers = heldOf(modifiersOf(sequence), speaksKitty) | (final === 'Z' ? shift : 0);
  return acted(pressOf(name, modifiers), actionOf(sequence));
}

const keyOfNumber = (sequence: ControlSequence): string | undefined =>
  keysByNumber.get(parameterOf(sequence, 0));

/** `CSI Z` is shift+tab; mintty sends `CSI 1 ; 5 I` for ctrl+tab. `CSI I` is the focus. */
function tabOf({ final, parameters }: ControlSequence): string | undefined {
  return final === 'Z' || (final === 'I' && parameters.length === 2) ? 'tab' : undefined;
}

/** Older terminals send `CSI 5 A` for `CSI 1 ; 5 A`. */
const modifiersOf = (sequence: ControlSequence): number =>
  sequence.final !== '~' && sequence.parameters.length === 1
    ? parameterOf(sequence, 0, 1)
    : parameterOf(sequence, 1, 1);

function keyOfFinal(sequence: ControlSequence): string | undefined {
  if (sequence.parameters.length === 2 && parameterOf(sequence, 0, 1) !== 1) return undefined;
  // `CSI 1 ; column R` is also a cursor position, which is not asked for. With the locks, the
  // modifiers of the kitty protocol are at most 256.
  if (sequence.final === 'R' && modifiersOf(sequence) > 256) return undefined;
  return keysByFinal.get(sequence.final);
}

/** Codes of `CSI number ~` that xterm does not send: of the VT220, rxvt, PuTTY and older xterms. */
const otherNumbers: [number, string][] = [
  [1, 'home'],
  [4, 'end'],
  [7, 'home'],
  [8, 'end'],
  [11, 'f1'],
  [12, 'f2'],
  [13, 'f3'],
  [14, 'f4'],
];

const xtermEntries = [...xtermFunctionKeys];
const kittyEntries = [...kittyFunctionKeys];

/** Keys by the number of `CSI number ~`. 29 is menu rather than F16. */
const keysByNumber: ReadonlyMap<number, string> = new Map([
  ...xtermEntries
    .filter(([, key]) => key.final === '~')
    .map(([name, key]): [number, string] => [key.number, name]),
  ...otherNumbers,
]);

/** Keys by the final of `CSI 1 ; modifiers final` and `SS3 final`. */
const keysByFinal: ReadonlyMap<string, string> = new Map(
  xtermEntries
    .filter(([, key]) => key.number === 1)
    .map(([name, key]): [string, string] => [key.final, name]),
);

/** Functional keys by their code in the kitty keyboard protocol. */
const keysByCode: ReadonlyMap<number, string> = new Map(
  kittyEntries
    .filter(([, key]) => key.final === 'u')
    .map(([name, key]): [number, string] => [key.number, name]),
);

/** Keys of the keypad by the final of `SS3 final`, in application mode. */
const keypadByFinal: ReadonlyMap<string, string> = new Map(
  [...keypadKeys].map(([name, key]): [string, string] => [key.final, name]),
);
