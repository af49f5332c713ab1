import { modifierBits } from '#keys';
import { parameterOf } from './control-sequence.ts';
import { keypadByFinal, keysByFinal, keysByNumber } from './function-key-names.ts';
import { acted, type KeyEvent, pressed, pressOf } from './key-event.ts';
import { actionOf, heldOf } from './key-parameters.ts';
import type { ControlSequence } from './token.ts';

const { shift, ctrl } = modifierBits;

/** Returns the key of a control character. */
export function keyOfControl(code: number, backspaceCode: number, alt: boolean): KeyEvent {
  const held = alt ? modifierBits.alt : 0;
  if (code === backspaceCode) return pressed('backspace', held);
  switch (code) {
    case 0x00:
      return pressed(' ', held | ctrl);
    case 0x09:
      return pressed('tab', held);
    case 0x0d:
      return pressed('enter', held);
    case 0x1b:
      return pressed('escape', held);
    case 0x7f:
      return pressed('backspace', held | ctrl);
    default:
      return pressed(String.fromCharCode(code + 0x40).toLowerCase(), held | ctrl);
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
  const held = heldOf(Number(/\d*$/.exec(parameter)), false);
  const rxvtKey = rxvtCursorKeys[final];
  if (rxvtKey !== undefined) return pressed(rxvtKey, held | ctrl);
  if (final === 'I') return pressed('tab', held);
  if (final === ' ') return pressed(' ', held);
  const name = keysByFinal.get(final) ?? keypadByFinal.get(final);
  return name === undefined ? undefined : pressed(name, held);
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
  const held = rxvtModifiers[final];
  if (held !== undefined && parameters.length === 1) {
    const name = keysByNumber.get(parameterOf(sequence, 0));
    return name === undefined ? undefined : pressed(name, held);
  }
  const rxvtKey = rxvtCursorKeys[final];
  if (rxvtKey !== undefined) return plain(rxvtKey, sequence, shift);
  return modifiedKey(sequence, speaksKitty);
}

const plain = (name: string | undefined, { parameters }: ControlSequence, held = 0) =>
  name === undefined || parameters.length > 0 ? undefined : pressed(name, held);

function modifiedKey(sequence: ControlSequence, speaksKitty: boolean): KeyEvent | undefined {
  const { final } = sequence;
  const tab = tabOf(sequence);
  const name = tab ?? (final === '~' ? keyOfNumber(sequence) : keyOfFinal(sequence));
  if (name === undefined) return undefined;
  const held = heldOf(modifiersOf(sequence), speaksKitty) | (final === 'Z' ? shift : 0);
  return acted(pressOf(name, held), actionOf(sequence));
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
