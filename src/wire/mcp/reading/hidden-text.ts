/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: the expressions match control sequences */

import { type Coordinator, type Excerpt, hasWords, type SessionRef } from '#model';
import { uncounted } from '../redacted-host.ts';

/** The start or end of a hyperlink (OSC 8), as coordinators render it. */
const links = /\u001b\]8;[^\u001b]*\u001b\\/g;
/** A complete style and the text that has it. */
const styled = /\u001b\[([\d;:]*)m([^\u001b]*)/g;

/** Returns the text of a coordinator's rendering with SGR sequences. */
export const withoutStyles = (ansi: string): string =>
  ansi.replace(links, '').replace(styled, '$2');

/**
 * Returns whether a coordinator's rendering with SGR sequences contains invisible text: concealed
 * (SGR 8), or in the colour of its background. Each of its sequences sets a complete style.
 */
export function hidesText(ansi: string): boolean {
  for (const [, codes = '', text = ''] of ansi.replace(links, '').matchAll(styled)) {
    if (hasWords(text) && isHidden(codes.split(';'))) return true;
  }
  return false;
}

function isHidden(codes: readonly string[]): boolean {
  let fg = '';
  let bg = '';
  for (let at = 0; at < codes.length; at++) {
    const code = Number(codes[at]);
    if (code === 8) return true;
    const length = colorLength(code, codes[at + 1]);
    if (length === 0) continue;
    const color = colorOf(codes.slice(at, at + length));
    if (isForeground(code)) fg = color;
    else bg = color;
    at += length - 1;
  }
  return fg !== '' && fg === bg;
}

/** Returns the number of parameters of a colour; 0 if the code is not a colour. ECMA-48, SGR; ISO 8613-6. */
function colorLength(code: number, kind: string | undefined): number {
  if (code === 38 || code === 48) return kind === '2' ? 5 : 3;
  return isForeground(code) || isForeground(code - 10) ? 1 : 0;
}

const isForeground = (code: number): boolean =>
  (code >= 30 && code <= 38) || (code >= 90 && code <= 97);

/** Returns the same value for foreground and background. */
function colorOf([code = '', ...parts]: readonly string[]): string {
  const number = Number(code);
  if (parts.length > 0) return parts.join(';');
  return `5;${number >= 90 ? (number % 10) + 8 : number % 10}`;
}

/** Line numbers, `to` excluded; without `to`, up to the end. */
export interface LineRange {
  readonly from: number;
  readonly to?: number;
}

/** Ranges at most this many lines apart are read in one call. */
const nearLines = 50;

/**
 * Returns whether any of these lines contains invisible text. Lines that were dropped and lines that
 * are too long for a message are not checked.
 */
export async function hiddenInLines(
  coordinator: Coordinator,
  session: SessionRef,
  ranges: readonly LineRange[],
): Promise<boolean> {
  const checks = joinedRanges(ranges).map(async (range) => {
    const read = () => coordinator.readLines(session, { ...range, format: 'ansi' as const });
    const { lines } = await uncounted(read);
    return lines.some(({ text }) => hidesText(text));
  });
  const found = await Promise.allSettled(checks);
  return found.some((check) => check.status === 'fulfilled' && check.value);
}

/** Returns the lines of a range that an excerpt shows, including those that it truncates. */
export function shownLines({ head, tail, omitted }: Excerpt, range: LineRange): LineRange[] {
  if (omitted === null || omitted.fromLine === null || omitted.toLine === null) return [range];
  return [
    ...(head === '' ? [] : [{ ...range, to: omitted.fromLine + 1 }]),
    ...(tail === '' ? [] : [{ ...range, from: omitted.toLine - 1 }]),
  ];
}

/** Returns whether the screen contains invisible text. */
export async function hiddenOnScreen(
  coordinator: Coordinator,
  session: SessionRef,
): Promise<boolean> {
  const read = () => coordinator.screen(session, { format: 'ansi' as const });
  return (await uncounted(read)).text.some(hidesText);
}

/** Returns the ranges in order, near ones joined. */
function joinedRanges(ranges: readonly LineRange[]): readonly LineRange[] {
  const joined: LineRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last === undefined || range.from > endOf(last) + nearLines) joined.push(range);
    else if (endOf(range) > endOf(last)) joined[joined.length - 1] = { ...range, from: last.from };
  }
  return joined;
}

const endOf = ({ to = Number.POSITIVE_INFINITY }: LineRange): number => to;
