import type { KeyModes } from '#model';
import { xlibControl } from './control-characters.ts';
import { backarrow } from './control-keys.ts';
import { modifierBits, xtermModifiers, xtermParameter } from './modifiers.ts';
import type { CharacterKey, ResolvedKey } from './resolve.ts';
import { csi } from './sequences.ts';

const { shift, alt, ctrl, meta } = modifierBits;

/**
 * Encodes a key that is not a function key by xterm's modifyOtherKeys:
 * `CSI 27 ; modifiers ; code ~`, or with formatOtherKeys 1 `CSI code ; modifiers u`. Returns
 * undefined for a key that keeps its usual encoding: on level 1 combinations that have a meaning
 * already, on level 2 only those of shift (ctlseqs, "Alt and Meta Keys"; xterm(1),
 * modifyOtherKeys).
 */
export function reportOtherKey(key: ResolvedKey, modes: KeyModes): string | undefined {
  const held = xtermModifiers(key.held);
  if (held === 0 || modes.modifyOtherKeys === 0) return undefined;
  const code = codeOf(key, modes.backarrowSendsBackspace);
  if (code === undefined) return undefined;
  const wanted = modes.modifyOtherKeys === 1 ? level1(key, held) : level2(key, held, code);
  const modifiers = key.kind === 'character' ? key.modifiers : held;
  if (!wanted) return undefined;
  const parameter = xtermParameter(modifiers);
  return modes.formatOtherKeys === 1
    ? `${csi}${code};${parameter}u`
    : `${csi}27;${parameter};${code}~`;
}

function codeOf(key: ResolvedKey, backarrowSendsBackspace: boolean): number | undefined {
  if (key.kind === 'character') return key.typed.codePointAt(0);
  switch (key.name) {
    case 'enter':
      return 13;
    case 'tab':
      return 9;
    case 'escape':
      return 27;
    case 'backspace':
      return backarrow(key.held, backarrowSendsBackspace).charCodeAt(0);
    default:
      return undefined;
  }
}

function level1(key: ResolvedKey, held: number): boolean {
  // Alt is the usual ESC prefix.
  const prefixed = (held & (alt | meta)) !== 0;
  if (key.kind === 'character') return (held & ctrl) !== 0 && xlibControl(key.typed) === undefined;
  if (key.name === 'enter') return !prefixed || (held & shift) !== 0;
  return key.name === 'tab' && held === ctrl;
}

function level2(key: ResolvedKey, held: number, code: number): boolean {
  if (key.kind === 'character') return held !== shift || hasControlKey(key, code);
  if (key.name === 'tab') return held !== shift;
  return key.name !== 'backspace' || held !== ctrl;
}

/** Characters that are reported with shift alone too: columns 4 to 7 of ASCII, and space. */
const hasControlKey = (key: CharacterKey, code: number): boolean =>
  (code >= 0x40 && code <= 0x7f) || key.typed === ' ';
