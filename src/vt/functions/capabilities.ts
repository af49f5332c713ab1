import { decodeUtf8 } from '#base';
import type { Params } from '../parser/params.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { dcs } from './control-function.ts';

/**
 * Capabilities by terminfo name; strings with the bytes of ESC, not terminfo's \E, because vim takes
 * those of PS and PE as they are. A reply contains only these names and values, never text of the
 * query.
 */
const capabilities: Readonly<Record<string, string>> = {
  TN: 'xterm-256color',
  name: 'xterm-256color',
  Co: '256',
  colors: '256',
  RGB: '8',
  Tc: '',
  Su: '',
  Smulx: '\x1b[4:%p1%dm',
  Setulc: '\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m',
  setrgbf: '\x1b[38:2:%p1%d:%p2%d:%p3%dm',
  setrgbb: '\x1b[48:2:%p1%d:%p2%d:%p3%dm',
  Ss: '\x1b[%p1%d q',
  Se: '\x1b[2 q',
  Sync: '\x1b[?2026%?%p1%{1}%-%tl%eh%;',
  BE: '\x1b[?2004h',
  BD: '\x1b[?2004l',
  PS: '\x1b[200~',
  PE: '\x1b[201~',
};

const byHex = new Map(Object.entries(capabilities).map(([name, value]) => [hex(name), value]));
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
function reportCapabilities(t: TerminalState, _params: Params, payload: Uint8Array): void {
  const names = decodeUtf8(payload.subarray(0, 1024)).toUpperCase().split(';', maxNames);
  for (const name of names) {
    const value = byHex.get(name);
    if (value === undefined) t.replies.push('\x1bP0+r\x1b\\');
    else t.replies.push(`\x1bP1+r${name}${value === '' ? '' : `=${hex(value)}`}\x1b\\`);
  }
}

// biome-ignore format: one line per function
export const capabilityFunctions = [
  dcs('+ q', 'XTGETTCAP', 'Report capabilities by their names in terminfo', reportCapabilities),
];
