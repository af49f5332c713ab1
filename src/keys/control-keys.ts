import { modifierBits } from './modifiers.ts';
import { csi, esc } from './sequences.ts';

const { shift, alt, ctrl, meta } = modifierBits;

/** The ESC that stands for alt, and for meta, before what has no modifier parameter. */
export const altPrefix = (held: number): string => (held & (alt | meta) ? esc : '');

/** DEL, and BS with ctrl; the other way round by DECBKM. */
export const backarrow = (held: number, sendsBackspace: boolean): string =>
  ((held & ctrl) !== 0) === sendsBackspace ? '\x7f' : '\b';

/** Keys whose legacy encoding is a control character; nothing for all others. */
export function encodeControlKey(name: string, held: number, sendsBackspace: boolean): string {
  switch (name) {
    case 'enter':
      return `${altPrefix(held)}\r`;
    case 'escape':
      return `${altPrefix(held)}${esc}`;
    case 'tab':
      return altPrefix(held) + (held & shift ? `${csi}Z` : '\t');
    case 'backspace':
      return altPrefix(held) + backarrow(held, sendsBackspace);
    default:
      return '';
  }
}
