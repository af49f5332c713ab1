/**
 * One press: a key by name (`enter`, `f5`, `pageup`, `kp_7`) or by the character that it types,
 * with the modifiers held. Names do not care about case, characters do.
 */
export interface KeyPress {
  readonly key: string;
  readonly shift?: boolean;
  readonly alt?: boolean;
  readonly ctrl?: boolean;
  readonly super?: boolean;
  readonly hyper?: boolean;
  readonly meta?: boolean;
}

/**
 * Whether text goes in between the marks of bracketed paste (mode 2004).
 * `auto`: when the text has several lines and the program asked for the marks.
 */
export type PasteMode = 'auto' | 'always' | 'never';

/** The modes of a terminal that decide which bytes a key sends. */
export interface KeyModes {
  /** DECCKM: cursor keys send SS3 instead of CSI. */
  readonly applicationCursorKeys: boolean;
  /** DECNKM, DECKPAM: the keypad sends SS3 sequences. */
  readonly applicationKeypad: boolean;
  /** DECBKM: the backarrow key sends BS instead of DEL. */
  readonly backarrowSendsBackspace: boolean;
  /** LNM: enter sends CR LF. */
  readonly newLine: boolean;
  /** Mode 2004. */
  readonly bracketedPaste: boolean;
  /** xterm's modifyOtherKeys resource, set by `CSI > 4 ; n m`. */
  readonly modifyOtherKeys: 0 | 1 | 2;
  /** How those keys are written: 0 as `CSI 27 ; modifiers ; code ~`, 1 as `CSI code ; modifiers u`. */
  readonly formatOtherKeys: 0 | 1;
  /** Progressive enhancement flags of the kitty keyboard protocol, 0..31. */
  readonly kittyFlags: number;
}
