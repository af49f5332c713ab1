/**
 * A key with its modifiers. The key is a name (`enter`, `f5`, `pageup`, `kp_7`) or the character it
 * types. Names are case-insensitive, characters are not. The keyboard is a US one, unless
 * `shiftedKey` and `baseLayoutKey` say otherwise.
 */
export interface KeyPress {
  readonly key: string;
  /**
   * Default: `press`. A program that has not requested repeats and releases gets repeats as presses,
   * and no releases.
   */
  readonly action?: KeyAction;
  /** The character that the key types with shift. `key` is then the one without shift. */
  readonly shiftedKey?: string;
  /**
   * The character of the key on a US keyboard, for combinations on keyboards without Latin letters:
   * `c` for the Cyrillic `с`.
   */
  readonly baseLayoutKey?: string;
  readonly shift?: boolean;
  readonly alt?: boolean;
  readonly ctrl?: boolean;
  readonly super?: boolean;
  readonly hyper?: boolean;
  readonly meta?: boolean;
}

export type KeyAction = 'press' | 'repeat' | 'release';

/**
 * Whether text is sent as a bracketed paste (mode 2004).
 *
 * - `auto`: if the text has several lines, the program enabled bracketed paste, and the primary screen
 *   is shown. On the alternate screen, lines are commands more often than text: `:wq` in vim.
 * - `supported`: if the program enabled bracketed paste, whatever the text and the screen. If not, it is typed with CR
 *   as line endings, as terminals paste it.
 * - `always`, `never`: regardless of the text and the modes.
 */
export type PasteMode = 'auto' | 'supported' | 'always' | 'never';

/** The terminal modes that determine the bytes of a key. */
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
  /** Whether the alternate screen is shown. */
  readonly alternateScreen: boolean;
  /** xterm's modifyOtherKeys resource, set by `CSI > 4 ; n m`. */
  readonly modifyOtherKeys: 0 | 1 | 2;
  /**
   * The encoding of those keys: 0 as `CSI 27 ; modifiers ; code ~`, 1 as `CSI code ; modifiers u`.
   */
  readonly formatOtherKeys: 0 | 1;
  /** Progressive enhancement flags of the kitty keyboard protocol, 0..31. */
  readonly kittyFlags: number;
}
