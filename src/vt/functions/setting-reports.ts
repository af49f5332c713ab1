import { decodeUtf8 } from '#base';
import { isProtecting } from '../editing/protection.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { reportedSgr } from '../style/sgr-text.ts';
import { type Choice, type DcsRun, dcs, type Operation, when } from './control-function.ts';
import { cursorStyle } from './cursor-style.ts';

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
