import { modifierBits } from './modifiers.ts';
import { csi, esc } from './sequences.ts';

const { shift, alt, ctrl, meta } = modifierBits;

/** ESC if alt or meta is held: the prefix of sequences without a modifier parameter. */
export const altPrefix = (held: number): string => (held & (alt | meta) ? esc : '');

/** Returns DEL, or BS with ctrl; reversed by DECBKM. */
export const backarrow = (held: number, sendsBackspace: boolean): string =>
  ((held & ctrl) !== 0) === sendsBackspace ? '\x7f' : '\b';

/**
 * Encodes keys whose legacy encoding is a control character. Returns an empty string for others.
 */
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
