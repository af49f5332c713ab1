/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: sequences are what is looked at */

import { hasWords } from '#model';

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
