import { decodeUtf8 } from '#base';
import { isProtecting } from '../editing/protection.ts';
import type { Params } from '../parser/params.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { reportedSgr } from '../style/sgr-text.ts';
import { dcs } from './control-function.ts';
import { cursorStyle } from './cursor-style.ts';

/**
 * By the intermediates and final of the function that sets it: the parameters that would set the
 * current value.
 */
const settings: Readonly<Record<string, (t: TerminalState) => string>> = {
  /** SGR */
  m: ({ pen }) => reportedSgr(pen.fg, pen.bg, pen.underlineColor, pen.attributes),
  /** DECSTBM */
  r: (t) => `${t.marginTop + 1};${t.marginBottom + 1}`,
  /** DECSLRM */
  s: (t) => `${t.marginLeft + 1};${t.marginRight + 1}`,
  /** DECSCL */
  '"p': ({ modes, replies }) => `${60 + modes.conformanceLevel};${replies.eightBit ? 0 : 1}`,
  /** DECSLPP */
  t: (t) => `${t.rows}`,
  /** DECSCUSR */
  ' q': (t) => `${cursorStyle(t.modes)}`,
  /** DECSCA */
  '"q': (t) => (isProtecting(t) ? '1' : '0'),
  /** DECSACE */
  '*x': ({ modes }) => (modes.rectangularExtent ? '2' : '0'),
  /** DECSNLS */
  '*|': (t) => `${t.rows}`,
  /** DECSCPP */
  '$|': (t) => `${t.cols}`,
  /** DECSASD: output goes to the screen. */
  '$}': () => '0',
  /** DECSSDT: there is no status line. */
  '$~': () => '0',
};

/** DECRPSS. A reply contains a known name, never text of the query. */
function reportSetting(t: TerminalState, _params: Params, payload: Uint8Array): void {
  const name = decodeUtf8(payload.subarray(0, 4));
  const known = Object.hasOwn(settings, name) && payload.length <= 4;
  t.replies.push(known ? `\x1bP1$r${settings[name](t)}${name}\x1b\\` : '\x1bP0$r\x1b\\');
}

// biome-ignore format: one line per function
export const settingReportFunctions = [
  dcs('$ q', 'DECRQSS', 'Report a setting: SGR, margins, size, cursor shape and others', reportSetting),
];
