import { sanitize } from '#base';
import {
  counted,
  type Excerpt,
  type Omitted,
  type RawOutput,
  type ReadBudget,
  type ReadGap,
} from '#model';
import type { Context } from '../context.ts';
import { printPlain } from './plain-text.ts';

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
  const found = new InvisibleCharacters();
  found.add(text);
  found.tell(context);
}
