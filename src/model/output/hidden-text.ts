/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: the expressions match control sequences */

import { hasWords } from './cell.ts';
import type { Excerpt } from './read.ts';

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
