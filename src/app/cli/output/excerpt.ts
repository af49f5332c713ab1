import { sanitize } from '#base';
import type { Excerpt, Omitted, ReadGap } from '#model';
import type { Context } from '../context.ts';
import { printPlain } from './plain-text.ts';

/** Prints lines for people; what is left out is said in its place. */
export function printExcerpt(
  context: Context,
  excerpt: Excerpt,
  print: (context: Context, text: string) => void = printPlain,
): void {
  const line = (text: string) => (text === '' ? '' : `${text}\n`);
  printParts(context, excerpt, (text) => print(context, line(text)));
}

/**
 * Prints a program's output as it was, and adds nothing.
 *
 * @param openEnd whether no line end belongs to its end
 */
export function printExactly(
  context: Context,
  { head, tail, omitted }: Excerpt,
  openEnd: boolean,
): void {
  const lineEnd = openEnd ? '' : '\n';
  if (omitted === null) context.out(tail + lineEnd);
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

/** Nobody takes for all what is not. */
function omittedText({ lines, bytes, fromLine, toLine }: Omitted): string {
  const amount = `${counted(lines, 'line')} of ${counted(bytes, 'byte')}`;
  const place =
    fromLine === null || toLine === null ? '' : `, numbers ${fromLine} to ${toLine - 1}`;
  return `left out: ${amount}${place}; larger limits give all`;
}

export function tellGap(context: Context, { lines, bytes }: ReadGap): void {
  const what = lines > 0 ? counted(lines, 'line') : counted(bytes, 'byte');
  if (lines + bytes > 0) context.say(`gone before it was read: ${what}`);
}

export const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

/** What is printed exactly may hold what nobody sees, besides the colours that were asked for. */
export function tellInvisible(context: Context, text: string): void {
  const { removed } = sanitize(text);
  if (removed > 0) context.say(`${counted(removed, 'invisible character')} in it`);
}
