import type { CursorShape, MouseEncoding, MouseTracking } from '#model';

/** Which protected cells erasing skips, see `erasing.ts`. */
export type Protection = 'off' | 'dec' | 'iso';

/** DECARM is initially on. */
const initiallyStored: readonly number[] = [8];

/** The modes that programs set and reset. Their numbers are in `functions/mode-table.ts`. */
export class Modes {
  /** IRM: characters move the rest of the row to the right. */
  insert = false;
  /** LNM: a line feed returns to the first column, and enter sends CR LF. */
  newLine = false;
  /** KAM: the keyboard is locked. Stored only: input to a session is always sent. */
  keyboardLocked = false;
  /** SRM: the terminal does not echo input, as in every pseudo-terminal. Stored only. */
  sendReceive = true;
  /** DECCKM */
  applicationCursorKeys = false;
  /** DECSCNM */
  reverseVideo = false;
  /**
   * DECOM: rows and columns are counted from the margins, and the cursor stays between the margins.
   */
  origin = false;
  /** DECLRMM: left and right margins can be set. */
  sideMargins = false;
  /** DECAWM */
  autowrap = true;
  /** 45: moving left from the first column continues in the previous row if that row wraps. */
  reverseWrap = false;
  /** 1045: like 45, but in every row, and from the top of the screen to the bottom. */
  reverseWrapAnywhere = false;
  /** 41: a tab while a wrap is pending wraps first, as more(1) once relied on. */
  moreFix = false;
  /** 40: DECCOLM is enabled. */
  allowsColumnMode = false;
  /**
   * DECCOLM: 132 columns. All effects apply except the change of size, which programs cannot make.
   */
  wideColumns = false;
  /** DECNCSM: DECCOLM does not clear the screen. */
  keepsOnColumnMode = false;
  /** DECSCL, 1..5 for VT100 to VT500. Functions that came with a later level are ignored. */
  conformanceLevel = 4;
  /** DECNKM, DECKPAM */
  applicationKeypad = false;
  /** DECBKM */
  backarrowSendsBackspace = false;
  /** DECTCEM */
  cursorVisible = true;
  cursorBlinking = true;
  cursorShape: CursorShape = 'block';
  mouseTracking: MouseTracking = 'none';
  mouseEncoding: MouseEncoding = 'default';
  protection: Protection = 'off';
  /** DECSACE */
  rectangularExtent = false;
  /** XTCHECKSUM, 0..63; see `rectangle-reports.ts`. */
  checksumFlags = 0;
  /** 1004 */
  focusReporting = false;
  /** 1007 */
  alternateScroll = false;
  /** 2004 */
  bracketedPaste = false;
  /** 2026: output becomes visible when the frame is complete. */
  synchronizedOutput = false;
  /**
   * 2027: a grapheme cluster takes one or two cells in all, instead of the cells of each character.
   */
  graphemeClusters: boolean;
  /** The numbers of the modes that are set but have no effect. */
  readonly storedOnly = new Set<number>(initiallyStored);

  /** @param graphemeClusters mode 2027 after a reset */
  constructor(graphemeClusters: boolean) {
    this.graphemeClusters = graphemeClusters;
  }
}

/** How the program requested keys to be encoded, apart from DECCKM and the keypad mode. */
export class KeyboardState {
  /** xterm's modifyOtherKeys. */
  modifyOtherKeys: 0 | 1 | 2 = 0;
  /** xterm's formatOtherKeys. */
  formatOtherKeys: 0 | 1 = 0;
  /** Flags of the kitty keyboard protocol; each screen has its own stack. */
  readonly primaryFlags = new FlagStack();
  readonly alternateFlags = new FlagStack();
}

/** A further entry drops the oldest, as the protocol allows. */
const maxEntries = 16;
const allFlags = 0x1f;

/** A stack of progressive enhancement flags, for one screen. */
export class FlagStack {
  #entries: number[] = [0];

  get current(): number {
    return this.#entries[this.#entries.length - 1];
  }

  /** All entries, the current one last. */
  get entries(): readonly number[] {
    return this.#entries;
  }

  push(flags: number): void {
    if (this.#entries.length === maxEntries) this.#entries.shift();
    this.#entries.push(flags & allFlags);
  }

  pop(count: number): void {
    this.#entries.length = Math.max(0, this.#entries.length - count);
    if (this.#entries.length === 0) this.#entries.push(0);
  }

  /** @param how 1 sets the flags, 2 adds them, 3 removes them */
  set(flags: number, how: number): void {
    const { current } = this;
    const last = this.#entries.length - 1;
    if (how === 1) this.#entries[last] = flags & allFlags;
    if (how === 2) this.#entries[last] = (current | flags) & allFlags;
    if (how === 3) this.#entries[last] = current & ~flags;
  }
}
