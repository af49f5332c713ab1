import { decodeUtf8 } from '#base';
import { version } from '#model';
import { isProtecting } from '../editing/erasing.ts';
import type { Params } from '../parser/params.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { reportedSgr } from '../style/sgr-text.ts';
import {
  byParameter,
  type Choice,
  csi,
  type DcsRun,
  dcs,
  esc,
  type Operation,
  type Run,
  when,
} from './control-function.ts';
import { cursorStyle } from './modes.ts';

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

const reply =
  (text: string): Run =>
  (t) =>
    t.replies.push(text);

// biome-ignore format: one line per operation
const deviceStatus = byParameter([
  when(5, 'Report that the terminal works', reply('\x1b[0n')),
  when(6, 'Report the position of the cursor (CPR)', (t) => t.replies.push(`\x1b[${cursorPosition(t)}R`)),
]);

/** The status of a terminal without a printer, locator, macros or sessions of its own (VT420, DSR). */
// biome-ignore format: one line per operation
const privateDeviceStatus = byParameter([
  when(6, 'Report the position of the cursor and its page, always 1 (DECXCPR)', (t) => t.replies.push(`\x1b[?${cursorPosition(t)};1R`)),
  when(15, 'Report that there is no printer', reply('\x1b[?13n')),
  when(25, 'Report that keys cannot be defined', reply('\x1b[?21n')),
  when(26, 'Report the keyboard: an LK401 of unknown language', reply('\x1b[?27;0;0;1n')),
  when(53, 'As 55, in the numbering of xterm', reply('\x1b[?50n')),
  when(55, 'Report that there is no locator', reply('\x1b[?50n')),
  when(56, 'Report the kind of the locator: none', reply('\x1b[?57;0n')),
  when(62, 'Report the space for macros: none', reply('\x1b[0*{')),
  when(63, 'Report the checksum of the macros, always 0; the reply has the second parameter (DECCKSR)', (t, params) => t.replies.push(`\x1bP${params.get(1)}!~0000\x1b\\`)),
  when(75, 'Report that the line has no errors', reply('\x1b[?70n')),
  when(85, 'Report that there are no sessions on the line', reply('\x1b[?83n')),
  when(996, 'Report whether the background is dark (1) or light (2)', (t) => t.replies.push(`\x1b[?997;${t.palette.isDark ? 1 : 2}n`)),
]);

/** DECREPTPARM of a line with no parity, 8 bits, 38,400 baud in both directions (VT100 user guide). */
// biome-ignore format: one line per operation
const lineParameters = byParameter([
  when(0, 'Report them, also later without a request', reply('\x1b[2;1;1;128;128;1;0x')),
  when(1, 'Report them, later only on request', reply('\x1b[3;1;1;128;128;1;0x')),
]);

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
  csi('Ps n', 'DSR', 'Report the status or the position of the cursor', deviceStatus),
  csi('? Ps n', 'DECDSR', 'Report the cursor, devices, macros or the colour scheme', privateDeviceStatus),
  csi('? Pm S', 'XTSMGRAPHICS', 'Report that there are no graphics', graphicsAttribute),
  csi('" v', 'DECRQDE', 'Report the visible part of the page, which is the whole page', displayedExtent),
  csi('Ps x', 'DECREQTPARM', 'Report the parameters of the line', lineParameters),
  esc('Z', 'DECID', 'As DA1', (t) => t.replies.push(primaryAttributes)),
  esc('SP F', 'S7C1T', 'Reply with 7-bit controls; accept C1 controls in UTF-8 only', (t) => { t.replies.eightBit = false; }),
  esc('SP G', 'S8C1T', 'Reply with 8-bit controls; accept the single bytes 0x80 to 0x9F as C1 controls, too', (t) => { t.replies.eightBit = true; }),
  csi('Ps i', 'MC', 'Print the screen'),
  csi('? Ps i', 'MC', 'Print the screen'),
];

/**
 * Capabilities by terminfo name; strings with the bytes of ESC, not terminfo's \E, because vim takes
 * those of PS and PE as they are. A reply contains only these names and values, never text of the
 * query.
 */
// biome-ignore format: one line per operation
const capabilities: readonly Operation<string>[] = [
  when('TN', 'The name of the terminal: xterm-256color', 'xterm-256color'),
  when('name', 'As TN', 'xterm-256color'),
  when('Co', 'The number of colours: 256', '256'),
  when('colors', 'As Co', '256'),
  when('RGB', 'Direct colours have 8 bits for each part', '8'),
  when('Tc', 'There are direct colours', ''),
  when('Su', 'There are styled underlines', ''),
  when('Smulx', 'Set the style of the underline', '\x1b[4:%p1%dm'),
  when('Setulc', 'Set the colour of the underline', '\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m'),
  when('setrgbf', 'Set the foreground to a direct colour', '\x1b[38:2:%p1%d:%p2%d:%p3%dm'),
  when('setrgbb', 'Set the background to a direct colour', '\x1b[48:2:%p1%d:%p2%d:%p3%dm'),
  when('Ss', 'Set the shape of the cursor', '\x1b[%p1%d q'),
  when('Se', 'Reset the shape of the cursor', '\x1b[2 q'),
  when('Sync', 'Begin or end synchronized output', '\x1b[?2026%?%p1%{1}%-%tl%eh%;'),
  when('BE', 'Enable bracketed paste', '\x1b[?2004h'),
  when('BD', 'Disable bracketed paste', '\x1b[?2004l'),
  when('PS', 'What precedes pasted text', '\x1b[200~'),
  when('PE', 'What follows pasted text', '\x1b[201~'),
];

const byHex = new Map(capabilities.map(({ value, effect }) => [hex(String(value)), effect]));
/** Maximum number of names answered per query. */
const maxNames = 32;

function hex(text: string): string {
  return [...text]
    .map((character) => character.charCodeAt(0).toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
}

/**
 * Replies to each name in a list of hexadecimal names separated by semicolons. A reply does not
 * repeat an unknown name.
 */
const reportCapabilities: Choice<DcsRun> = {
  operations: capabilities,
  run(t, _params, payload) {
    const names = decodeUtf8(payload.subarray(0, 1024)).toUpperCase().split(';', maxNames);
    for (const name of names) {
      const value = byHex.get(name);
      if (value === undefined) t.replies.push('\x1bP0+r\x1b\\');
      else t.replies.push(`\x1bP1+r${name}${value === '' ? '' : `=${hex(value)}`}\x1b\\`);
    }
  },
};

// biome-ignore format: one line per function
export const capabilityFunctions = [
  dcs('+ q', 'XTGETTCAP', 'Report capabilities by their names in terminfo, in hexadecimal digits', reportCapabilities),
];

/** Returns the parameters that would set the current value. */
type Read = (t: TerminalState) => string;

/** By the intermediates and the final character of the function that sets each. */
// biome-ignore format: one line per operation
const settings: readonly Operation<Read>[] = [
  when('m', 'SGR', ({ pen }) => reportedSgr(pen.fg, pen.bg, pen.underlineColor, pen.attributes)),
  when('r', 'DECSTBM', (t) => `${t.marginTop + 1};${t.marginBottom + 1}`),
  when('s', 'DECSLRM', (t) => `${t.marginLeft + 1};${t.marginRight + 1}`),
  when('"p', 'DECSCL', ({ modes, replies }) => `${60 + modes.conformanceLevel};${replies.eightBit ? 0 : 1}`),
  when('t', 'DECSLPP, the number of rows', (t) => `${t.rows}`),
  when(' q', 'DECSCUSR', (t) => `${cursorStyle(t.modes)}`),
  when('"q', 'DECSCA', (t) => (isProtecting(t) ? '1' : '0')),
  when('*x', 'DECSACE', ({ modes }) => (modes.rectangularExtent ? '2' : '0')),
  when('*|', 'DECSNLS, the number of rows', (t) => `${t.rows}`),
  when('$|', 'DECSCPP, the number of columns', (t) => `${t.cols}`),
  when('$}', 'DECSASD: output always goes to the screen', () => '0'),
  when('$~', 'DECSSDT: there is no status line', () => '0'),
];

const settingsByName = new Map(settings.map(({ value, effect }) => [value, effect]));
const longestName = 2;

/** Returns the sequence that sets a setting to its current value. @param name of {@link settings} */
export function settingSequence(t: TerminalState, name: 'r' | 's' | ' q' | '*x'): string {
  return `\x1b[${settingsByName.get(name)?.(t)}${name}`;
}

/** DECRPSS. A reply contains a known name, never text of the query. */
const reportSetting: Choice<DcsRun> = {
  operations: settings,
  run(t, _params, payload) {
    const name = payload.length > longestName ? '' : decodeUtf8(payload);
    const read = settingsByName.get(name);
    t.replies.push(read === undefined ? '\x1bP0$r\x1b\\' : `\x1bP1$r${read(t)}${name}\x1b\\`);
  },
};

// biome-ignore format: one line per function
export const settingReportFunctions = [
  dcs('$ q', 'DECRQSS', 'Report a setting, by the end of the function that sets it', reportSetting),
];
