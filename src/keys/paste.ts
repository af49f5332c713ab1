import { encodeUtf8 } from '#base';
import type { KeyModes, PasteMode } from '#model';
import { csi } from './sequences.ts';

/** The marks before and after pasted text in mode 2004 (ctlseqs, "Bracketed Paste Mode"). */
const pasteBegin = `${csi}200~`;
export const pasteEnd = `${csi}201~`;

/** The end mark with an 8-bit control. */
const c1PasteEnd = '\u009b201~';

/** The modes that determine whether text is pasted. */
type PasteModes = Pick<KeyModes, 'bracketedPaste' | 'alternateScreen'>;

/**
 * Encodes `text` as UTF-8. An unpaired surrogate becomes U+FFFD.
 *
 * - `never`: only the text.
 * - `always`: as a paste, between the marks. Line endings become CR, which is enter. End marks in
 *   the text are removed, so that the text cannot end its paste and continue as typed input.
 * - `supported`: as `always` if the program enabled bracketed paste; else the text with CR as line endings, as xterm
 *   and kitty paste it.
 * - `auto`: as `always` if {@link isPasted}, else as `never`. Trailing line endings are sent after the end mark,
 *   where they act as enter.
 */
export function encodeText(text: string, paste: PasteMode, modes: PasteModes): Uint8Array {
  if (paste === 'supported' && !modes.bracketedPaste) return encodeUtf8(asEnter(text));
  if (!isPasted(text, paste, modes)) return encodeUtf8(text);
  if (paste !== 'auto') return encodeUtf8(bracketed(text));
  const end = endOfLastLine(text);
  return encodeUtf8(bracketed(text.slice(0, end)) + asEnter(text.slice(end)));
}

/** Returns whether {@link encodeText} sends the text between the marks of a paste. See {@link PasteMode}. */
export function isPasted(text: string, paste: PasteMode, modes: PasteModes): boolean {
  if (paste === 'always' || paste === 'never') return paste === 'always';
  if (paste === 'supported') return modes.bracketedPaste && text !== '';
  const isText = !modes.alternateScreen && hasSeveralLines(text) && endOfLastLine(text) > 0;
  return isText && modes.bracketedPaste;
}

/** Returns the index of the trailing line endings. */
export function endOfLastLine(text: string): number {
  let end = text.length;
  while (end > 0 && isLineEnd(text.charAt(end - 1))) end--;
  return end;
}

const isLineEnd = (char: string): boolean => char === '\r' || char === '\n';

const asEnter = (text: string): string => text.replace(/\r?\n/g, '\r');

const bracketed = (text: string): string =>
  `${pasteBegin}${withoutEndMarks(asEnter(text))}${pasteEnd}`;

/** Returns whether there is a line ending before the last one. */
const hasSeveralLines = (text: string): boolean => /[\r\n]/.test(text.replace(/(\r\n|\r|\n)$/, ''));

/**
 * Removes end marks from `text`, including those that form when an inner one is removed. Runs in
 * one pass: the text kept so far never ends in a mark, so it never contains one.
 */
function withoutEndMarks(text: string): string {
  if (!text.includes('201~')) return text;
  const parts: string[] = [];
  for (const unit of text.split('')) {
    parts.push(unit);
    if (unit === '~') dropEndMark(parts);
  }
  return parts.join('');
}

function dropEndMark(parts: string[]): void {
  for (const mark of [pasteEnd, c1PasteEnd]) {
    if (parts.slice(-mark.length).join('') === mark) parts.length -= mark.length;
  }
}
