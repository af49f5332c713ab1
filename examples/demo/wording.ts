import type { ExitStatus, WaitResult } from 'vtr';

/** Input as it is typed: enter as the sign on its key. */
const keyCaps = (text: string): string => text.replaceAll('\r', '⏎');

export const statusText = ({ code, signal }: ExitStatus): string =>
  signal === null ? `code ${code}` : signal;

/** What came of a wait, e.g. `matched "42" after 3 ms`. */
export function resultText({ outcome, match, exitStatus, elapsedMs }: WaitResult): string {
  const word = outcome === 'timed_out' ? 'timed out' : outcome;
  if (match !== undefined) return `${word} "${match.matched}" after ${milliseconds(elapsedMs)}`;
  if (outcome === 'exited' && exitStatus !== null) return `${word}, ${statusText(exitStatus)}`;
  return `${word} after ${milliseconds(elapsedMs)}`;
}

export const milliseconds = (ms: number): string => `${Math.round(ms).toLocaleString('en')} ms`;

/** e.g. `1 line`, `5,000 lines`. */
export const counted = (count: number, thing: string): string =>
  `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;

/** As one would type it in a shell; no word of the demo has a single quote. */
export const commandLine = (words: readonly string[]): string =>
  words.map((word) => (/^[\w./:+-]+$/.test(word) ? word : `'${keyCaps(word)}'`)).join(' ');
