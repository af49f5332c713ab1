import { sanitize } from '#base';
import { type Excerpt, type ExitStatus, exitText } from '#model';

/** The end of the output; for more, people use `vtr attach`, or `vtr screen`. */
export const shownBudget = { maxLines: 60, maxBytes: 8 * 1024, keep: 'tail' } as const;

export interface ShownTerminal {
  readonly name: string;
  readonly output: Excerpt;
  /** Null while the program runs. */
  readonly exitStatus: ExitStatus | null;
  /** Whether the session was removed. */
  readonly isGone?: boolean;
}

/** Returns a terminal as Markdown: the end of its output, its state, and the commands that show all of it. */
export function terminalText({ name, output, exitStatus, isGone }: ShownTerminal): string {
  const text = sanitize(output.tail).text.trimEnd();
  const { omitted } = output;
  // The line number counts lines that the scrollback has dropped, too.
  const left = omitted === null ? [] : [`... ${omitted.toLine ?? omitted.lines} lines before`];
  const lines = [...left, ...(text === '' ? [] : [text])].join('\n');
  const fence = fenceFor(lines);
  const shown = lines === '' ? '' : `${fence}\n${lines}\n${fence}\n`;
  if (isGone) return `${shown}${exitStatus === null ? 'ended' : exitText(exitStatus)}`;
  return `${shown}${exitStatus === null ? 'running' : exitText(exitStatus)} · \`vtr attach ${name}\` · \`vtr screen ${name}\``;
}

/** Returns a fence longer than any run of backticks in the text (CommonMark 4.5). */
function fenceFor(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((max, [run]) => Math.max(max, run.length), 2);
  return '`'.repeat(longest + 1);
}
