/** A command in a Markdown file, with the output that it shows. */
export interface TranscriptCommand {
  /** The line of `$`; 1-based. */
  readonly line: number;
  /** What is typed; several lines if some begin with `> `. */
  readonly input: string;
  /** The lines of output, without indentation and trailing spaces. */
  readonly expected: readonly string[];
  /** From the line `? STATUS`, which is before or after the output; null without such a line. */
  readonly status: number | null;
  readonly statusIsFirst: boolean;
  /** The lines of output and status in the file: 0-based, the second exclusive. */
  readonly span: readonly [number, number];
  readonly indent: string;
}

export interface ParsedTranscript {
  readonly lines: readonly string[];
  readonly commands: readonly TranscriptCommand[];
}

/** A mistake in a transcript. */
export class TranscriptError extends Error {
  /** 1-based. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

const fence = /^(\s*)(`{3,}|~{3,})\s*(\S*)/;
const statusLine = /^\? (\d{1,3})$/;

/**
 * Finds the commands in the fences of a Markdown file that are marked `console`.
 *
 * @throws TranscriptError
 */
export function parseTranscript(text: string): ParsedTranscript {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const commands: TranscriptCommand[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', marks = '', info] = fence.exec(lines[at] ?? '') ?? [];
    if (marks === '') continue;
    const end = endOf(lines, at + 1, marks);
    if (info === 'console') commands.push(...commandsIn(lines, at + 1, end, indent));
    at = end;
  }
  return { lines, commands };
}

/** Returns the line that closes a fence; the end of the file if none does. */
function endOf(lines: readonly string[], from: number, marks: string): number {
  for (let at = from; at < lines.length; at++) {
    const line = (lines[at] ?? '').trim();
    if (line.startsWith(marks) && line === marks.charAt(0).repeat(line.length)) return at;
  }
  return lines.length;
}

function commandsIn(
  lines: readonly string[],
  from: number,
  end: number,
  indent: string,
): TranscriptCommand[] {
  const textAt = (at: number) => {
    const line = lines[at] ?? '';
    return (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()).trimEnd();
  };
  const isCommand = (at: number) => at < end && /^\$( |$)/.test(textAt(at));
  const commands: TranscriptCommand[] = [];
  for (let at = from; at < end; ) {
    if (!isCommand(at)) {
      throw new TranscriptError(at + 1, 'a fence marked console begins with a command: $ COMMAND');
    }
    const line = at + 1;
    const input = [textAt(at++).slice(2)];
    while (at < end && textAt(at).startsWith('> ')) input.push(textAt(at++).slice(2));
    const begin = at;
    while (at < end && !isCommand(at)) at++;
    const span = [begin, at] as const;
    const shown = Array.from({ length: at - begin }, (_, index) => textAt(begin + index));
    commands.push({ line, input: input.join('\n'), span, indent, ...outputOf(shown) });
  }
  return commands;
}

function outputOf(shown: readonly string[]) {
  const statusOf = (line: string | undefined) => {
    const [, digits] = statusLine.exec(line ?? '') ?? [];
    return digits === undefined ? null : Number(digits);
  };
  const first = statusOf(shown[0]);
  if (first !== null) return { expected: shown.slice(1), status: first, statusIsFirst: true };
  const last = statusOf(shown.at(-1));
  const expected = last === null ? shown : shown.slice(0, -1);
  return { expected, status: last, statusIsFirst: false };
}

/** Returns a line of output as it can be in a transcript: what would mean something else gets a wildcard. */
export function outputLine(line: string, index: number): string {
  const isOther =
    /^\$( |$)/.test(line) ||
    statusLine.test(line) ||
    fence.test(line) ||
    line === '...' ||
    (index === 0 && line.startsWith('> '));
  return isOther ? `[..]${line.slice(1)}` : line;
}
