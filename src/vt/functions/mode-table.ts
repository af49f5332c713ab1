import type { MouseEncoding, MouseTracking } from '#model';
import { eraseScreen } from '../editing/erasing.ts';
import { moveToAddress, resetMargins, resetSideMargins } from '../editing/movement.ts';
import {
  clearAlternate,
  enterAlternate,
  leaveAlternate,
  restoreCursor,
  saveCursor,
} from '../editing/screens.ts';
import type { Modes } from '../state/modes.ts';
import type { TerminalState } from '../state/terminal-state.ts';

/** A mode: its number in SM and RM (ANSI) or in DECSET and DECRST (DEC private). */
export interface Mode {
  readonly number: number;
  readonly mnemonic: string;
  readonly meaning: string;
  readonly get: (t: TerminalState) => boolean;
  readonly set: (t: TerminalState, on: boolean) => void;
  /** Dumps restore it by other sequences, or at another place. */
  readonly derived?: true;
}

type Flag = { [K in keyof Modes]: Modes[K] extends boolean ? K : never }[keyof Modes];

function flag(number: number, mnemonic: string, meaning: string, name: Flag): Mode {
  const get = (t: TerminalState) => t.modes[name];
  const set = (t: TerminalState, on: boolean) => {
    t.modes[name] = on;
  };
  return { number, mnemonic, meaning, get, set };
}

function tracking(number: number, mnemonic: string, meaning: string, value: MouseTracking): Mode {
  const get = (t: TerminalState) => t.modes.mouseTracking === value;
  const set = (t: TerminalState, on: boolean) => {
    t.modes.mouseTracking = on ? value : 'none';
  };
  return { number, mnemonic, meaning, get, set };
}

function encoding(number: number, mnemonic: string, meaning: string, value: MouseEncoding): Mode {
  const get = (t: TerminalState) => t.modes.mouseEncoding === value;
  const set = (t: TerminalState, on: boolean) => {
    t.modes.mouseEncoding = on ? value : 'default';
  };
  return { number, mnemonic, meaning, get, set };
}

function screen(
  number: number,
  mnemonic: string,
  meaning: string,
  set: (t: TerminalState, on: boolean) => void,
): Mode {
  return { number, mnemonic, meaning, get: (t) => t.onAlternate, set, derived: true };
}

function setOrigin(t: TerminalState, on: boolean): void {
  t.modes.origin = on;
  moveToAddress(t, 0, 0);
}

/** As in the VT510 manual, except that the size does not change. */
function setColumns(t: TerminalState, on: boolean): void {
  const { modes } = t;
  if (!modes.allowsColumnMode) return;
  modes.wideColumns = on;
  modes.sideMargins = false;
  resetMargins(t);
  if (!modes.keepsOnColumnMode) eraseScreen(t);
  moveToAddress(t, 0, 0);
}

function setKeepsOnColumnMode(t: TerminalState, on: boolean): void {
  if (t.modes.conformanceLevel >= 5) t.modes.keepsOnColumnMode = on;
}

function setSideMargins(t: TerminalState, on: boolean): void {
  if (t.modes.conformanceLevel < 4) return;
  t.modes.sideMargins = on;
  if (!on) resetSideMargins(t);
}

function switchScreen(t: TerminalState, on: boolean): void {
  if (on) enterAlternate(t);
  else leaveAlternate(t);
}

function switchAndClear(t: TerminalState, on: boolean): void {
  if (!on) clearAlternate(t);
  switchScreen(t, on);
}

function switchSaveAndClear(t: TerminalState, on: boolean): void {
  if (on) {
    if (t.onAlternate) return;
    saveCursor(t);
    enterAlternate(t);
    clearAlternate(t);
  } else {
    leaveAlternate(t);
    restoreCursor(t);
  }
}

function saveOrRestore(t: TerminalState, on: boolean): void {
  if (on) saveCursor(t);
  else restoreCursor(t);
}

/** Reports at once that nobody sees the terminal; otherwise the program learns of changes only. */
function setFocusReporting(t: TerminalState, on: boolean): void {
  if (on && !t.modes.focusReporting && !t.attended) t.replies.push('\x1b[O');
  t.modes.focusReporting = on;
}

/** Stops the feed, so that readers see the boundary between two frames. */
function setSynchronized(t: TerminalState, on: boolean): void {
  t.modes.synchronizedOutput = on;
  t.stop.now = true;
}

/** Defines a DEC mode that is stored and reported but has no effect. */
function storedOnly(number: number, mnemonic: string, meaning: string): Mode {
  return {
    number,
    mnemonic,
    meaning: `${meaning}; stored and reported only`,
    get: (t) => t.modes.storedOnly.has(number),
    set: (t, on) => {
      if (on) t.modes.storedOnly.add(number);
      else t.modes.storedOnly.delete(number);
    },
  };
}

/**
 * Modes of keyboards, printers, lines and bells, which a headless terminal lacks. Programs set
 * them, save them, and query whether that worked (VT510, DECRQM).
 */
// biome-ignore format: one line per mode
const storedOnlyModes: readonly Mode[] = [
  storedOnly(4, 'DECSCLM', 'Smooth scrolling'),
  storedOnly(8, 'DECARM', 'Keys repeat'),
  storedOnly(18, 'DECPFF', 'A form feed ends printed output'),
  storedOnly(19, 'DECPEX', 'Printing includes the whole screen'),
  storedOnly(35, 'DECHEBM', 'Hebrew keyboard'),
  storedOnly(36, 'DECHEM', 'Hebrew encoding'),
  storedOnly(42, 'DECNRCM', 'National character sets (they can always be designated)'),
  storedOnly(57, 'DECNAKB', 'Greek keyboard'),
  storedOnly(61, 'DECVCCM', 'The view follows the cursor'),
  storedOnly(64, 'DECPCCM', 'The view follows the cursor to other pages'),
  storedOnly(68, 'DECKBUM', 'Data processing keyboard'),
  storedOnly(73, 'DECXRLM', 'XON and XOFF control input'),
  storedOnly(81, 'DECKPM', 'Keys are sent by their positions'),
  storedOnly(96, 'DECRLCM', 'Copied text is read from right to left'),
  storedOnly(97, 'DECCRTSM', 'Screen saver'),
  storedOnly(98, 'DECARSM', 'The size of the screen follows the size of the page'),
  storedOnly(99, 'DECMCM', 'Modem control lines are used'),
  storedOnly(100, 'DECAAM', 'The answerback is sent automatically'),
  storedOnly(101, 'DECCANSM', 'The answerback is hidden'),
  storedOnly(102, 'DECNULM', 'NUL is ignored'),
  storedOnly(103, 'DECHDPXM', 'Half duplex'),
  storedOnly(104, 'DECESKM', 'Secondary keyboard language'),
  storedOnly(106, 'DECOSCNM', 'Overscan'),
];

// biome-ignore format: one line per mode
export const ansiModes: readonly Mode[] = [
  flag(2, 'KAM', 'The keyboard is locked; stored and reported only', 'keyboardLocked'),
  flag(4, 'IRM', 'Insert: characters move the rest of the row to the right', 'insert'),
  flag(12, 'SRM', 'No local echo; stored and reported only', 'sendReceive'),
  flag(20, 'LNM', 'New line: a line feed moves to the first column, and enter sends CR LF', 'newLine'),
];

// biome-ignore format: one line per mode
export const decModes: readonly Mode[] = [
  flag(1, 'DECCKM', 'Application cursor keys', 'applicationCursorKeys'),
  { number: 3, mnemonic: 'DECCOLM', meaning: '132 columns: clears the screen and resets the margins, but does not change the size', get: (t) => t.modes.wideColumns, set: setColumns, derived: true },
  flag(5, 'DECSCNM', 'Reverse video', 'reverseVideo'),
  { number: 6, mnemonic: 'DECOM', meaning: 'Origin: rows and columns are counted from the margins', get: (t) => t.modes.origin, set: setOrigin, derived: true },
  flag(7, 'DECAWM', 'Autowrap', 'autowrap'),
  tracking(9, 'X10_MOUSE', 'Report mouse presses', 'x10'),
  flag(12, 'ATT610_BLINK', 'Blinking cursor', 'cursorBlinking'),
  flag(25, 'DECTCEM', 'Visible cursor', 'cursorVisible'),
  flag(40, 'ALLOW_DECCOLM', 'DECCOLM is enabled', 'allowsColumnMode'),
  flag(41, 'MORE_FIX', 'A tab while a wrap is pending wraps first', 'moreFix'),
  flag(45, 'REVERSE_WRAP', 'Moves to the left continue in the previous row if it wraps', 'reverseWrap'),
  screen(47, 'ALTBUF', 'Alternate screen', switchScreen),
  flag(66, 'DECNKM', 'Application keypad', 'applicationKeypad'),
  flag(67, 'DECBKM', 'Backarrow key sends BS', 'backarrowSendsBackspace'),
  { number: 69, mnemonic: 'DECLRMM', meaning: 'Left and right margins', get: (t) => t.modes.sideMargins, set: setSideMargins },
  { number: 95, mnemonic: 'DECNCSM', meaning: 'DECCOLM does not clear the screen', get: (t) => t.modes.keepsOnColumnMode, set: setKeepsOnColumnMode },
  tracking(1000, 'VT200_MOUSE', 'Report mouse presses and releases', 'normal'),
  tracking(1002, 'BTN_EVENT_MOUSE', 'Report mouse motion with a button held, too', 'button'),
  tracking(1003, 'ANY_EVENT_MOUSE', 'Report all mouse motion', 'any'),
  { number: 1004, mnemonic: 'FOCUS_EVENT', meaning: 'Report focus in and out', get: (t) => t.modes.focusReporting, set: setFocusReporting },
  encoding(1005, 'EXT_MODE_MOUSE', 'Mouse positions in UTF-8', 'utf8'),
  encoding(1006, 'SGR_EXT_MODE_MOUSE', 'Mouse reports in SGR form', 'sgr'),
  flag(1007, 'ALTERNATE_SCROLL', 'The wheel sends cursor keys on the alternate screen', 'alternateScroll'),
  encoding(1015, 'URXVT_EXT_MODE_MOUSE', 'Mouse reports in urxvt form', 'urxvt'),
  encoding(1016, 'PIXEL_POSITION_MOUSE', 'Mouse reports in SGR form, in pixels', 'sgrPixels'),
  flag(1045, 'REVERSE_WRAP_ANYWHERE', 'Moves to the left continue in the previous row, and from the first row in the last', 'reverseWrapAnywhere'),
  screen(1047, 'OPT_ALTBUF', 'Alternate screen; cleared on reset', switchAndClear),
  { number: 1048, mnemonic: 'SAVE_CURSOR', meaning: 'Save the cursor; restore it on reset', get: () => false, set: saveOrRestore, derived: true },
  screen(1049, 'OPT_ALTBUF_CURSOR', 'Save the cursor and switch to the cleared alternate screen', switchSaveAndClear),
  flag(2004, 'BRACKETED_PASTE', 'Bracketed paste', 'bracketedPaste'),
  { number: 2026, mnemonic: 'SYNCHRONIZED_OUTPUT', meaning: 'Output becomes visible when the mode is reset', get: (t) => t.modes.synchronizedOutput, set: setSynchronized, derived: true },
  { ...flag(2027, 'GRAPHEME_CLUSTERS', 'A grapheme cluster takes one or two cells, and VS15 makes a wide emoji narrow, as in kitty; set by default', 'graphemeClusters'), derived: true },
  ...storedOnlyModes,
];

/** A mode that cannot be changed and is reported as always reset (DECRPM 4). */
export interface FixedMode {
  readonly number: number;
  readonly mnemonic: string;
  readonly meaning: string;
}

const fixed = (number: number, mnemonic: string, meaning: string): FixedMode => ({
  number,
  mnemonic,
  meaning,
});

/** ECMA-48 7.2: modes that select ways of transmission and editing. Only one way is supported. */
// biome-ignore format: one line per mode
export const fixedAnsiModes: readonly FixedMode[] = [
  fixed(1, 'GATM', 'Guarded areas are transmitted'),
  fixed(3, 'CRM', 'Controls are shown'),
  fixed(5, 'SRTM', 'Status reports are sent by DCS'),
  fixed(6, 'ERM', 'Protected characters are erased, too'),
  fixed(7, 'VEM', 'Lines are inserted above'),
  fixed(10, 'HEM', 'Characters are inserted to the left'),
  fixed(11, 'PUM', 'Positions are measured in units'),
  fixed(13, 'FEAM', 'Format effectors are stored'),
  fixed(14, 'FETM', 'Format effectors are not transmitted'),
  fixed(15, 'MATM', 'Several areas are transmitted'),
  fixed(16, 'TTM', 'The whole screen is transmitted'),
  fixed(17, 'SATM', 'Selected areas are transmitted'),
  fixed(18, 'TSM', 'Tab stops belong to a line'),
  fixed(19, 'EBM', 'Editing is limited to a page'),
];

// biome-ignore format: one line per mode
export const fixedDecModes: readonly FixedMode[] = [
  fixed(34, 'DECRLM', 'Text runs from right to left'),
  fixed(60, 'DECHCCM', 'The view follows the cursor horizontally'),
];

const byNumber = (modes: readonly Mode[]) => new Map(modes.map((mode) => [mode.number, mode]));
const ansiByNumber = byNumber(ansiModes);
const decByNumber = byNumber(decModes);

export function ansiMode(number: number): Mode | undefined {
  return ansiByNumber.get(number);
}

export function decMode(number: number): Mode | undefined {
  return decByNumber.get(number);
}
