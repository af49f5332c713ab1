import type { Enhancements, KittyKeyEvent } from './kitty-event.ts';
import { modifierBits } from './modifiers.ts';
import { csi } from './sequences.ts';

const actions = { press: '', repeat: ':2', release: ':3' };

/**
 * Returns `CSI code:shifted:base ; modifiers:action ; text final`. Fields that are empty or not
 * wanted are left out ("An overview").
 */
export function kittySequence(
  event: KittyKeyEvent,
  code: { readonly number: number; readonly final: string },
  wanted: Enhancements,
): string {
  const alternates = code.final === 'u' ? alternateField(event, wanted) : '';
  const modifiers = modifierField(event, wanted);
  const text = textField(event, wanted);
  const rest = text ? `;${modifiers};${text}` : modifiers && `;${modifiers}`;
  const number = code.number === 1 && !rest ? '' : code.number;
  return `${csi}${number}${alternates}${rest}${code.final}`;
}

/** Returns whether an event has wanted fields that a legacy sequence lacks. */
export const needsFields = (event: KittyKeyEvent, wanted: Enhancements): boolean =>
  (wanted.events && event.action !== 'press') ||
  alternateField(event, wanted) !== '' ||
  textField(event, wanted) !== '';

function modifierField(event: KittyKeyEvent, wanted: Enhancements): string {
  const action = wanted.events ? actions[event.action] : '';
  return event.modifiers === 0 && action === '' ? '' : `${event.modifiers + 1}${action}`;
}

function alternateField(event: KittyKeyEvent, wanted: Enhancements): string {
  if (!wanted.alternates) return '';
  const shifted = event.modifiers & modifierBits.shift ? codePoint(event.shiftedKey) : '';
  const base = codePoint(event.baseLayoutKey);
  if (base) return `:${shifted}:${base}`;
  return shifted && `:${shifted}`;
}

const textField = (event: KittyKeyEvent, wanted: Enhancements): string =>
  wanted.text && event.text ? Array.from(event.text, codePoint).join(':') : '';

const codePoint = (char: string | undefined): string => String(char?.codePointAt(0) ?? '');
