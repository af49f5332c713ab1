/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: the expressions match control sequences */

import { type Cell, hasWords } from './cell.ts';
import type { Excerpt } from './read.ts';
import { shortened } from './words.ts';

/** Text of a row that stands out by its background: the selection of a menu, a status line. */
export interface Highlight {
  /** Counted from 0. */
  readonly row: number;
  /** The first column, and one past the last; counted from 0. */
  readonly from: number;
  readonly to: number;
  /** Without blanks at its ends. */
  readonly text: string;
}

/** Higher blocks of one background are windows, not highlights. */
const maxHeight = 2;
/** What covers more of the screen is a window, too. */
const maxShare = 1 / 6;

/** Neighbouring cells of a row that have one background. */
interface Span {
  readonly from: number;
  /** One past the last column. */
  readonly to: number;
  readonly background: string;
}

/**
 * Returns the texts that stand out, in reverse or on another background than what is around them: to
 * both sides in their row, and above or below them. The background of most of the screen does so only
 * inside a box.
 */
export function highlightsOf(rows: readonly (readonly Cell[])[]): Highlight[] {
  const spans = rows.map(spansOf);
  const common = commonBackground(spans);
  return spans.flatMap((row, index) =>
    row.flatMap((span, at): Highlight[] => {
      const { from, to, background } = span;
      const text = textOf(rows[index] ?? [], from, to).trim();
      if (text === '') return [];
      const isInBox = at > 0 && row[at - 1]?.background === row[at + 1]?.background;
      if (background === common && !isInBox) return [];
      return isBlock(spans, index, span) ? [] : [{ row: index, from, to, text }];
    }),
  );
}

function spansOf(cells: readonly Cell[]): Span[] {
  const spans: Span[] = [];
  for (const [col, cell] of cells.entries()) {
    const background = backgroundOf(cell);
    const last = spans.at(-1);
    if (last?.background === background) spans[spans.length - 1] = { ...last, to: col + 1 };
    else spans.push({ from: col, to: col + 1, background });
  }
  return spans;
}

/** The colour behind the text, which reverse video exchanges with that of the text. */
const backgroundOf = ({ style: { inverse, fg, bg } }: Cell): string =>
  inverse ? `inverse ${fg}` : `${bg}`;

function commonBackground(rows: readonly (readonly Span[])[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { from, to, background } of rows.flat()) {
    counts.set(background, (counts.get(background) ?? 0) + to - from);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** Whether a span is part of a block of its background that is too high or too large for a highlight. */
function isBlock(rows: readonly (readonly Span[])[], row: number, span: Span): boolean {
  let height = 1;
  for (let above = row - 1; above >= 0 && covers(rows[above], span); above--) height++;
  for (let below = row + 1; below < rows.length && covers(rows[below], span); below++) height++;
  const cells = rows.reduce((sum, each) => sum + (each.at(-1)?.to ?? 0), 0);
  return height > maxHeight || height * (span.to - span.from) > cells * maxShare;
}

/** Whether most of the columns of a span have its background in another row. */
function covers(row: readonly Span[] = [], { from, to, background }: Span): boolean {
  const same = row.filter((each) => each.background === background);
  const shared = same.map((each) => Math.min(to, each.to) - Math.max(from, each.from));
  const width = shared.reduce((sum, each) => sum + Math.max(0, each), 0);
  return width * 2 > to - from;
}

const textOf = (cells: readonly Cell[], from: number, to: number): string =>
  cells
    .slice(from, to)
    .map(({ text }) => text)
    .join('');

const maxRows = 10;
const maxChars = 60;

/** Returns the rows with highlights, at most ten. Several of a row are joined with two spaces. */
export function highlightedRows(
  rows: readonly (readonly Cell[])[],
): { readonly row: number; readonly text: string }[] {
  const texts = new Map<number, string>();
  for (const { row, text } of highlightsOf(rows)) {
    const before = texts.get(row);
    texts.set(row, before === undefined ? text : `${before}  ${text}`);
  }
  return [...texts]
    .slice(0, maxRows)
    .map(([row, text]) => ({ row, text: shortened(text, maxChars) }));
}

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

/** Returns the lines of a range that an excerpt shows, including those that it truncates. */
export function shownLines({ head, tail, omitted }: Excerpt, range: LineRange): LineRange[] {
  if (omitted === null || omitted.fromLine === null || omitted.toLine === null) return [range];
  return [
    ...(head === '' ? [] : [{ ...range, to: omitted.fromLine + 1 }]),
    ...(tail === '' ? [] : [{ ...range, from: omitted.toLine - 1 }]),
  ];
}
