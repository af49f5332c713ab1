import { sanitize } from '#base';
import type { Excerpt, ExitStatus } from '#model';

/** Of the output, its end: more belongs into a terminal. */
export const shownBudget = { maxLines: 60, maxBytes: 8 * 1024, keep: 'tail' } as const;

export interface ShownTerminal {
  readonly name: string;
  readonly output: Excerpt;
  /** Null while the program runs. */
  readonly exitStatus: ExitStatus | null;
  /** The session was removed: there is no more to see. */
  readonly isGone?: boolean;
}

/** A terminal for an editor that has none, in Markdown: the end of its output, and how to see all of it. */
export function terminalText({ name, output, exitStatus, isGone }: ShownTerminal): string {
  const text = sanitize(output.tail).text.trimEnd();
  const { omitted } = output;
  // By number: the oldest may be gone from the scrollback too.
  const left = omitted === null ? [] : [`... ${omitted.toLine ?? omitted.lines} lines before`];
  const lines = [...left, ...(text === '' ? [] : [text])].join('\n');
  const fence = fenceFor(lines);
  const shown = lines === '' ? '' : `${fence}\n${lines}\n${fence}\n`;
  if (isGone) return `${shown}${exitStatus === null ? 'ended' : stateText(exitStatus)}`;
  return `${shown}${stateText(exitStatus)} · \`vtr attach ${name}\` · \`vtr screen ${name}\``;
}

function stateText(status: ExitStatus | null): string {
  if (status === null) return 'running';
  return status.signal === null ? `exited ${status.code}` : `killed by ${status.signal}`;
}

/** Longer than any row of backticks in the text (CommonMark 4.5). */
function fenceFor(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((max, [run]) => Math.max(max, run.length), 2);
  return '`'.repeat(longest + 1);
}
