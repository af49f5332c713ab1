import { sanitize } from '#base';
import {
  type CommandChoice,
  type CommandOutput,
  type CommandOutputRequest,
  type CommandRecord,
  type Coordinator,
  counted,
  type Excerpt,
  type Omitted,
  type RawOutput,
  type ReadBudget,
  type ReadGap,
  VtrError,
  withoutStyles,
} from '#model';
import type { Context } from '../context.ts';
import { printPlain, tellRedacted } from './printing.ts';

/** Prints lines for people. Reports each omission on stderr. */
export function printExcerpt(
  context: Context,
  excerpt: Excerpt,
  print: (context: Context, text: string) => void = printPlain,
): void {
  const line = (text: string) => (text === '' ? '' : `${text}\n`);
  printParts(context, excerpt, (text) => print(context, line(text)));
}

/**
 * Prints a program's output unchanged.
 *
 * @param openEnd whether the output ends without a line end
 * @param budget of the excerpt
 */
export function printExactly(
  context: Context,
  { head, tail, omitted }: Excerpt,
  openEnd: boolean,
  budget: ReadBudget,
): void {
  // With a budget of 0, an empty text has no lines; otherwise it is one empty line.
  const isNothing = [budget.maxLines, budget.maxBytes, budget.maxTokens].includes(0);
  const lineEnd = openEnd ? '' : '\n';
  if (omitted === null) context.out(tail + lineEnd);
  else if (isNothing) printParts(context, { head, tail, omitted }, context.out);
  else if (tail === '') printParts(context, { head: `${head}\n`, tail, omitted }, context.out);
  else {
    const first = head === '' ? '' : `${head}\n`;
    printParts(context, { head: first, tail: tail + lineEnd, omitted }, context.out);
  }
}

function printParts(
  context: Context,
  { head, tail, omitted }: Pick<Excerpt, 'head' | 'tail' | 'omitted'>,
  print: (text: string) => void,
): void {
  if (head !== '') print(head);
  if (omitted !== null) context.say(omittedText(omitted));
  if (tail !== '') print(tail);
}

function omittedText({ lines, bytes, fromLine, toLine }: Omitted): string {
  const amount = `${counted(lines, 'line')}, ${counted(bytes, 'byte')}`;
  const range = fromLine === null || toLine === null ? '' : ` (lines ${fromLine} to ${toLine - 1})`;
  return `omitted: ${amount}${range}; raise the limits to print them`;
}

/**
 * Reports output that is missing before a text.
 *
 * @param howToPrint the command that prints the lines that left the scrollback
 */
export function tellGap(
  context: Context,
  { lines, bytes, earlier = 0, rows = 0, unreadable = 0, cleared = false }: ReadGap,
  howToPrint = 'vtr screen SESSION --scrollback LINES',
): void {
  if (earlier > 0) {
    const what = counted(earlier, 'earlier line');
    context.say(`not printed: ${what} that left the scrollback; to print them: ${howToPrint}`);
  }
  if (rows > 0) {
    const what = `${counted(rows, 'row')} that the command left on the alternate screen`;
    context.say(`not printed: ${what}; to print them: vtr screen SESSION --at command:NUMBER`);
  }
  if (unreadable > 0) {
    const what = counted(unreadable, 'line');
    context.say(`not readable: ${what}, printed as empty lines: the archive of lines is damaged`);
  }
  const what = lines > 0 ? counted(lines, 'line') : counted(bytes, 'byte');
  if (lines + bytes === 0) return;
  if (cleared) context.say(`gone: ${what} of the output, cleared from the screen and not kept`);
  else context.say(`lost before the read: ${what}`);
}

/** Prints raw output unchanged. */
export function printRaw(context: Context, { bytes, omittedBytes }: RawOutput): void {
  if (omittedBytes > 0) context.say(`omitted: ${counted(omittedBytes, 'byte')}`);
  if (bytes.length > 0) context.out(bytes);
}

export const rawJson = ({ bytes, offset, omittedBytes }: RawOutput) => ({
  base64: Buffer.from(bytes).toString('base64'),
  offset,
  omitted_bytes: omittedBytes,
});

/** Counts the invisible characters in text that is printed unchanged. */
export class InvisibleCharacters {
  #count = 0;

  add(text: string): void {
    this.#count += sanitize(text).removed;
  }

  tell(context: Context): void {
    if (this.#count > 0)
      context.say(`${counted(this.#count, 'invisible character')} in the output`);
  }
}

/** Reports invisible characters in text that is printed unchanged. */
export function tellInvisible(context: Context, text: string): void {
  const characters = new InvisibleCharacters();
  characters.add(text);
  characters.tell(context);
}

/** One call returns at most this much, so that the coordinator does other work between two of them. */
const page = { keep: 'head', maxLines: 4_000, maxBytes: 1024 * 1024 } as const;

/** How much of the output of a command comes with its end, in bytes. */
export const firstBytes = page.maxBytes;

/**
 * Prints all of the output of a command, of any length. What is lost is reported on stderr.
 *
 * @param first the beginning, if that is known: of {@link firstBytes}
 * @throws VtrError COMMAND_NOT_FOUND, SESSION_NOT_FOUND
 */
export async function printWhole(
  context: Context,
  coordinator: Pick<Coordinator, 'commandOutput'>,
  session: string,
  request: Pick<CommandOutputRequest, 'format' | 'redact'> & { readonly command: CommandChoice },
  first: Beginning | null = null,
): Promise<void> {
  const printed = new PrintedOutput(context);
  if (first !== null) printed.add(first);
  while (!printed.isWhole) {
    // The next calls are about the same command, also if another one has ended.
    const command = printed.command ?? request.command;
    const { skipLines } = printed;
    const nextPage = { ...request, ...page, command, skipLines };
    let read = await coordinator.commandOutput(session, nextPage);
    if (read.skippedLines === undefined) {
      if (skipLines > 0) throw unknownRest(session);
      read = await coordinator.commandOutput(session, request);
    }
    printed.add(read);
    await context.flushed();
  }
  printed.tell();
}

/** A part of an output, from a line on. */
type Beginning = Pick<CommandOutput, 'text' | 'gap' | 'openEnd' | 'redacted'> & {
  readonly command: CommandRecord | null;
};

class PrintedOutput {
  readonly #context: Context;
  readonly #invisible = new InvisibleCharacters();
  #redacted: number | undefined;
  command: number | null = null;
  /** Lines before the next one, those that are lost included. */
  skipLines = 0;
  isWhole = false;

  constructor(context: Context) {
    this.#context = context;
  }

  add({ command, text, gap, openEnd, redacted }: Beginning): void {
    const context = this.#context;
    this.command = command?.number ?? null;
    if (this.skipLines === 0) tellGap(context, gap);
    else {
      const { rows: _told, ...more } = gap;
      tellGap(context, { ...more, lines: Math.max(0, gap.lines - this.skipLines) });
    }
    this.isWhole = text.omitted === null;
    const lines = this.isWhole ? text.tail : text.head;
    context.out(lines + (this.isWhole && openEnd ? '' : '\n'));
    this.#invisible.add(withoutStyles(lines));
    if (redacted !== undefined) this.#redacted = (this.#redacted ?? 0) + redacted;
    this.skipLines = Math.max(this.skipLines, gap.lines) + lines.split('\n').length;
  }

  tell(): void {
    this.#invisible.tell(this.#context);
    tellRedacted(this.#context, this.#redacted === undefined ? {} : { redacted: this.#redacted });
  }
}

/** A coordinator that was replaced by one of an older version. */
const unknownRest = (session: string): VtrError =>
  new VtrError(
    'UNAVAILABLE',
    `session ${session}: the coordinator cannot return the rest of the output; use vtr serve --restart`,
  );
