import type { KeyPress } from '#model';

export const esc = '\x1b';
export const csi = `${esc}[`;
export const ss3 = `${esc}O`;

/** Sent in mode 1004 when the terminal gets or loses the focus (ctlseqs, "FocusIn/FocusOut"). */
export const focusIn = `${csi}I`;
export const focusOut = `${csi}O`;

/** Bits of the modifier parameter, as the kitty keyboard protocol numbers them ("Modifiers"). */
export const modifierBits = {
  shift: 1,
  alt: 2,
  ctrl: 4,
  super: 8,
  hyper: 16,
  meta: 32,
  capsLock: 64,
  numLock: 128,
} as const;

/** The modifiers of a {@link KeyPress}, in the order in which they are written. */
export const modifierNames = ['ctrl', 'alt', 'shift', 'super', 'hyper', 'meta'] as const;

export type ModifierName = (typeof modifierNames)[number];

/** Returns the modifiers of a press, as bits. */
export function heldModifiers(press: KeyPress): number {
  return modifierNames.reduce((bits, name) => bits | (press[name] ? modifierBits[name] : 0), 0);
}

const { shift, alt, ctrl, meta } = modifierBits;

/** Removes super and hyper, which xterm does not have. */
export const xtermModifiers = (bits: number): number => bits & (shift | alt | ctrl | meta);

/**
 * Returns xterm's modifier parameter: 1 + shift 1 + alt 2 + ctrl 4 + meta 8 (ctlseqs, "PC-Style
 * Function Keys"). In the kitty protocol, 8 is super.
 */
export const xtermParameter = (bits: number): number =>
  1 + (bits & (shift | alt | ctrl)) + (bits & meta ? 8 : 0);

/** ESC if alt or meta is held: the prefix of sequences without a modifier parameter. */
export const altPrefix = (modifiers: number): string => (modifiers & (alt | meta) ? esc : '');

/** Returns DEL, or BS with ctrl; reversed by DECBKM. */
export const backarrow = (modifiers: number, sendsBackspace: boolean): string =>
  ((modifiers & ctrl) !== 0) === sendsBackspace ? '\x7f' : '\b';

/**
 * Encodes keys whose legacy encoding is a control character. Returns an empty string for others.
 */
export function encodeControlKey(name: string, modifiers: number, sendsBackspace: boolean): string {
  switch (name) {
    case 'enter':
      return `${altPrefix(modifiers)}\r`;
    case 'escape':
      return `${altPrefix(modifiers)}${esc}`;
    case 'tab':
      return altPrefix(modifiers) + (modifiers & shift ? `${csi}Z` : '\t');
    case 'backspace':
      return altPrefix(modifiers) + backarrow(modifiers, sendsBackspace);
    default:
      return '';
  }
}

// The characters below column 4 of ASCII, and their control characters.
const low = ' /2345678';
const lowControls = '\x00\x1f\x00\x1b\x1c\x1d\x1e\x1f\x7f';

/**
 * Returns the control character of a character with ctrl in X (Xlib, XLookupString), if it has one.
 */
export function xlibControl(char: string): string | undefined {
  const code = char.charCodeAt(0);
  if (code >= 0x40 && code < 0x7f) return String.fromCharCode(code & 0x1f);
  return low.includes(char) ? lowControls.charAt(low.indexOf(char)) : undefined;
}

/**
 * As {@link xlibControl}, in xterm, which adds ctrl+? for DEL. Returns other characters unchanged.
 */
export const xtermControl = (char: string): string =>
  char === '?' ? '\x7f' : (xlibControl(char) ?? char);

/**
 * As {@link xtermControl}, without four characters (kitty, "Legacy ctrl mapping of ASCII keys").
 */
export const kittyControl = (char: string): string =>
  '`{|}'.includes(char) ? char : xtermControl(char);
