/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: the expressions match control sequences */

import { type Coordinator, type Excerpt, hasWords, type SessionRef } from '#model';

/** Where a link begins or ends (OSC 8), as coordinators render it. */
const links = /\u001b\]8;[^\u001b]*\u001b\\/g;
/** A style, set whole, and the text that has it. */
const styled = /\u001b\[([\d;:]*)m([^\u001b]*)/g;

/** The text of a coordinator's rendering with SGR sequences. */
export const withoutStyles = (ansi: string): string =>
  ansi.replace(links, '').replace(styled, '$2');

/**
 * Whether a coordinator's rendering with SGR sequences holds text that nobody sees: concealed
 * (SGR 8), or in the colour of its background. Its sequences set a style whole.
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

/** How many parameters a colour takes; 0 for what is none. ECMA-48, SGR, and ISO 8613-6. */
function colorLength(code: number, kind: string | undefined): number {
  if (code === 38 || code === 48) return kind === '2' ? 5 : 3;
  return isForeground(code) || isForeground(code - 10) ? 1 : 0;
}

const isForeground = (code: number): boolean =>
  (code >= 30 && code <= 38) || (code >= 90 && code <= 97);

/** The same for foreground and background. */
function colorOf([code = '', ...parts]: readonly string[]): string {
  const number = Number(code);
  if (parts.length > 0) return parts.join(';');
  return `5;${number >= 90 ? (number % 10) + 8 : number % 10}`;
}

/** Line numbers, from the first up to and without `to`; up to the end without it. */
export interface LineRange {
  readonly from: number;
  readonly to?: number;
}

/** What lies no further apart is asked for at once. */
const nearLines = 50;

/**
 * Whether any of these lines holds text that nobody sees. Lines that are gone by now hold none, and
 * those that are too long for a message are not looked at.
 */
export async function hiddenInLines(
  coordinator: Coordinator,
  session: SessionRef,
  ranges: readonly LineRange[],
): Promise<boolean> {
  const looks = joinedRanges(ranges).map(async (range) => {
    const { lines } = await coordinator.readLines(session, { ...range, format: 'ansi' });
    return lines.some(({ text }) => hidesText(text));
  });
  const found = await Promise.allSettled(looks);
  return found.some((look) => look.status === 'fulfilled' && look.value);
}

/** The lines that an excerpt shows of a range, those that it cuts included. */
export function shownLines({ head, tail, omitted }: Excerpt, range: LineRange): LineRange[] {
  if (omitted === null || omitted.fromLine === null || omitted.toLine === null) return [range];
  return [
    ...(head === '' ? [] : [{ ...range, to: omitted.fromLine + 1 }]),
    ...(tail === '' ? [] : [{ ...range, from: omitted.toLine - 1 }]),
  ];
}

export async function hiddenOnScreen(
  coordinator: Coordinator,
  session: SessionRef,
): Promise<boolean> {
  return (await coordinator.screen(session, { format: 'ansi' })).text.some(hidesText);
}

/** In their order, and those that lie near each other as one. */
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
