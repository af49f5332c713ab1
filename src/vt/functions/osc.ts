import { decodeUtf8 } from '#base';
import { compactLinks } from '../state/memory.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { noLink } from '../style/link-table.ts';
import { desktopFunctions } from './desktop.ts';
import { colorFunctions } from './osc-colors.ts';
import { type OscContext, type OscFunction, type OscRun, osc } from './osc-function.ts';
import { shellMarkFunctions } from './shell-marks.ts';
import { workingDirectoryFunctions } from './working-directory.ts';

function setBothTitles(t: TerminalState, text: string): void {
  t.titles.setWindow(text);
  t.titles.setIcon(text);
}

/** The longest URI that browsers and terminals accept. A longer one is ignored. */
const maxUriLength = 2083;

/** The characters of a URI (RFC 3986, 2); others are percent-encoded. */
const uriForm = /^[!-~]+$/;
const idForm = /^[!-~]{1,250}$/;

/** `parameters ; URI`; the only supported parameter is `id`. Without a valid URI, the link ends. */
const setLink: OscRun = (t, text) => {
  const [, parameters = '', uri = ''] = /^([^;]*);(.*)$/s.exec(text) ?? [];
  const isLink = uri.length <= maxUriLength && uriForm.test(uri);
  t.pen.link = isLink ? t.links.begin(uri, idOf(parameters)) : noLink;
  // At once, so that which links are dropped does not depend on how the output is split.
  if (t.links.isFull) compactLinks(t);
};

function idOf(parameters: string): string {
  const option = parameters.split(':', 32).find((parameter) => parameter.startsWith('id='));
  const id = option?.slice('id='.length) ?? '';
  return idForm.test(id) ? id : '';
}

// biome-ignore format: one line per function
export const oscFunctions: readonly OscFunction[] = [
  osc(0, 'Set the titles of the window and the icon', setBothTitles),
  osc(1, 'Set the title of the icon', (t, text) => t.titles.setIcon(text)),
  osc(2, 'Set the title of the window', (t, text) => t.titles.setWindow(text)),
  ...colorFunctions,
  osc(8, 'Begin or end a hyperlink', setLink),
  ...desktopFunctions,
  ...shellMarkFunctions,
  ...workingDirectoryFunctions,
  osc(21, 'Set or report colours by name (kitty)'),
  osc(22, 'Set the shape of the pointer'),
];

const byNumber = new Map(oscFunctions.map((entry) => [entry.number, entry]));
const semicolon = 0x3b;

/** Runs `Ps ; Pt`. */
export function runOsc(t: TerminalState, payload: Uint8Array, context: OscContext): void {
  const length = payload.indexOf(semicolon);
  const head = decodeUtf8(length < 0 ? payload : payload.subarray(0, length));
  if (!/^\d{1,5}$/.test(head)) return;
  const run = byNumber.get(Number(head))?.run;
  if (run === undefined) return;
  run(t, length < 0 ? '' : decodeUtf8(payload.subarray(length + 1)), context);
}
