import { version } from '#model';
import type { Params } from '../parser/params.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { csi, esc } from './control-function.ts';

/**
 * A VT420 with the extensions that vtr supports: 6 selective erase, 9 national character sets, 15
 * technical characters, 17 state reports, 21 horizontal scrolling, 22 colour, 28 rectangles.
 */
const primaryAttributes = '\x1b[?64;6;9;15;17;21;22;28c';
/**
 * VT420. Programs interpret the second number as xterm's patch level and expect the features of
 * that level.
 */
const secondaryAttributes = '\x1b[>41;380;0c';
const unitId = '\x1bP!|00000000\x1b\\';

/** Replies if the only parameter is 0. */
function answer(reply: string): (t: TerminalState, params: Params) => void {
  return (t, params) => {
    if (params.get(0) === 0) t.replies.push(reply);
  };
}

/** Returns the 1-based row and column of the cursor; counted from the margins in origin mode. */
function cursorPosition(t: TerminalState): string {
  const { marginTop, marginLeft } = t.modes.origin ? t : { marginTop: 0, marginLeft: 0 };
  return `${t.cursor.row - marginTop + 1};${t.cursor.col - marginLeft + 1}`;
}

function deviceStatus(t: TerminalState, params: Params): void {
  if (params.get(0) === 5) t.replies.push('\x1b[0n');
  if (params.get(0) === 6) t.replies.push(`\x1b[${cursorPosition(t)}R`);
}

/**
 * The status of a terminal without a printer, locator, macros or sessions of its own (VT420, DSR).
 */
const constantStatus: Readonly<Record<number, string>> = {
  /** Printer: none. */
  15: '\x1b[?13n',
  /** User-defined keys: locked. */
  25: '\x1b[?21n',
  /** Keyboard: language unknown, ready, LK401. */
  26: '\x1b[?27;0;0;1n',
  /** Locator: none; DEC's number and xterm's. */
  53: '\x1b[?50n',
  55: '\x1b[?50n',
  /** Type of locator: none. */
  56: '\x1b[?57;0n',
  /** Space for macros: none. */
  62: '\x1b[0*{',
  /** No transmission errors. */
  75: '\x1b[?70n',
  /** The terminal is not configured for multiple sessions on one line. */
  85: '\x1b[?83n',
};

function privateDeviceStatus(t: TerminalState, params: Params): void {
  const request = params.get(0);
  if (request === 6) t.replies.push(`\x1b[?${cursorPosition(t)};1R`);
  // The checksum of the macros, of which there are none. The reply repeats the number of the
  // request.
  else if (request === 63) t.replies.push(`\x1bP${params.get(1)}!~0000\x1b\\`);
  else if (request === 996) t.replies.push(`\x1b[?997;${t.palette.isDark ? 1 : 2}n`);
  else if (Object.hasOwn(constantStatus, request)) t.replies.push(constantStatus[request]);
}

/**
 * DECREPTPARM of a line with no parity, 8 bits, 38,400 baud in both directions (VT100 user guide).
 */
function terminalParameters(t: TerminalState, params: Params): void {
  const request = params.get(0);
  if (request <= 1) t.replies.push(`\x1b[${request + 2};1;1;128;128;1;0x`);
}

/** DECRPDE: rows and columns, and the first column, row and page. */
function displayedExtent(t: TerminalState): void {
  t.replies.push(`\x1b[${t.rows};${t.cols};1;1;1"w`);
}

/** XTSMGRAPHICS: 1 for an unknown item, 3 for a failure. All graphics fail. */
function graphicsAttribute(t: TerminalState, params: Params): void {
  const item = params.get(0);
  t.replies.push(`\x1b[?${item};${item >= 1 && item <= 3 ? 3 : 1};0S`);
}

// biome-ignore format: one line per function
export const reportFunctions = [
  csi('Ps c', 'DA1', 'Report the kind of terminal', answer(primaryAttributes)),
  csi('> Ps c', 'DA2', 'Report the version', answer(secondaryAttributes)),
  csi('= Ps c', 'DA3', 'Report the unit id', answer(unitId)),
  csi('> Ps q', 'XTVERSION', 'Report the name and version of the terminal', answer(`\x1bP>|vtr ${version}\x1b\\`)),
  csi('Ps n', 'DSR', 'Report the status (5) or the position of the cursor (6)', deviceStatus),
  csi('? Ps n', 'DECDSR', 'Report the cursor with its page (6), devices, macros or the colour scheme (996)', privateDeviceStatus),
  csi('? Pm S', 'XTSMGRAPHICS', 'Report that there are no graphics', graphicsAttribute),
  csi('" v', 'DECRQDE', 'Report the visible part of the page, which is the whole page', displayedExtent),
  csi('Ps x', 'DECREQTPARM', 'Report the parameters of the line', terminalParameters),
  esc('Z', 'DECID', 'As DA1', (t) => t.replies.push(primaryAttributes)),
  esc('SP F', 'S7C1T', 'Reply with 7-bit controls; accept C1 controls in UTF-8 only', (t) => { t.replies.eightBit = false; }),
  esc('SP G', 'S8C1T', 'Reply with 8-bit controls; accept the single bytes 0x80 to 0x9F as C1 controls, too', (t) => { t.replies.eightBit = true; }),
  csi('Ps i', 'MC', 'Print the screen'),
  csi('? Ps i', 'MC', 'Print the screen'),
];
