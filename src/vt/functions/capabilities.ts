import { decodeUtf8 } from '#base';
import { type Choice, type DcsRun, dcs, type Operation, when } from './control-function.ts';

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
