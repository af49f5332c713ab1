import { positionAt } from '../reading/output-position.ts';
import { publish, type TerminalState } from '../state/terminal-state.ts';
import { type OscRun, osc } from './osc-function.ts';

/** The longest path on Linux (PATH_MAX). */
const maxPathLength = 4096;
/** The longest host name (RFC 1035, 2.3.4). */
const maxHostLength = 255;
const controls = /[\0-\x1f\x7f-\x9f]/;

/** Reports an absolute path. A path that is too long or contains controls is ignored. */
export function reportCwd(
  t: TerminalState,
  cwd: string,
  host: string,
  offset: number,
  nonce?: string,
): void {
  if (!cwd.startsWith('/') || cwd.length > maxPathLength || host.length > maxHostLength) return;
  if (controls.test(cwd) || controls.test(host)) return;
  t.reports.cwd = { cwd, host };
  const proof = nonce === undefined ? {} : { nonce };
  publish(t, { type: 'cwd', cwd, host, ...proof, position: positionAt(t, offset) });
}

const cwdUri: OscRun = (t, text, { offset }) => {
  // The fragment is vtr's own. Other shells may leave a `#` in the path unencoded.
  const uri = /^(file|kitty-shell-cwd):\/\/([^/]*)(\/.*?)(?:#nonce=([\d.]{1,64}))?$/s.exec(text);
  if (uri === null) return;
  const [, scheme, host, path, nonce] = uri;
  const plainHost = decoded(host);
  // kitty's shell integration writes the path without encoding.
  const plainPath = scheme === 'file' ? decoded(path) : path;
  if (plainPath !== null && plainHost !== null) reportCwd(t, plainPath, plainHost, offset, nonce);
};

/** Decodes percent-encoding (RFC 3986, 2.1). Returns null if it is ill-formed. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

// biome-ignore format: one line per function
export const workingDirectoryFunctions = [
  osc(7, 'Report the working directory', cwdUri),
];
