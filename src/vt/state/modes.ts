import type { CursorShape } from '#model';

/** Which mouse events the program asked for: modes 9, 1000, 1002, 1003. */
export type MouseTracking = 'none' | 'x10' | 'normal' | 'button' | 'any';

/** How it wants them written: modes 1005, 1006, 1015, 1016. */
export type MouseEncoding = 'default' | 'utf8' | 'sgr' | 'urxvt' | 'sgrPixels';

/** Which cells erasing spares: see `protection.ts`. */
export type Protection = 'off' | 'dec' | 'iso';

/** DECARM is on to begin with. */
const initiallyStored: readonly number[] = [8];

/** What programs switch on and off. The numbers stand in `functions/mode-table.ts`. */
export class Modes {
  /** IRM: characters push the rest of the row to the right. */
  insert = false;
  /** LNM: a line feed returns to the first column, and enter sends CR LF. */
  newLine = false;
  /** KAM: the keyboard is locked. Noted only: what is sent to a session is sent. */
  keyboardLocked = false;
  /** SRM: what is typed is not shown but by the program, as in every pseudo-terminal. Noted only. */
  sendReceive = true;
  /** DECCKM */
  applicationCursorKeys = false;
  /** DECSCNM */
  reverseVideo = false;
  /** DECOM: rows and columns count from the margins, and the cursor stays between the margins. */
  origin = false;
  /** DECLRMM: there may be margins at the sides. */
  sideMargins = false;
  /** DECAWM */
  autowrap = true;
  /** 45: moves to the left go back into the row before, where a line wrapped into this one. */
  reverseWrap = false;
  /** 1045: as 45, whether it wrapped or not, and from the top to the bottom. */
  reverseWrapAnywhere = false;
  /** 41: a tab while a wrap is pending wraps first, as more(1) once relied on. */
  moreFix = false;
  /** 40: DECCOLM is obeyed. */
  allowsColumnMode = false;
  /** DECCOLM: 132 columns asked for. The size is not the program's to change; all else is done. */
  wideColumns = false;
  /** DECNCSM: DECCOLM does not clear the screen. */
  keepsOnColumnMode = false;
  /** DECSCL, 1..5: what the VT100, VT220 and so on did not know yet is not known. */
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
  /** XTCHECKSUM, 0..63; see `checksum.ts`. */
  checksumFlags = 0;
  /** 1004 */
  focusReporting = false;
  /** 1007 */
  alternateScroll = false;
  /** 2004 */
  bracketedPaste = false;
  /** 2026: what is drawn is shown when it is complete. */
  synchronizedOutput = false;
  /** 2027: a grapheme cluster takes one or two cells, and not those of its characters. */
  graphemeClusters = false;
  /** Numbers of the modes that are on and change nothing. */
  readonly storedOnly = new Set<number>(initiallyStored);
}
