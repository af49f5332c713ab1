import { encodeUtf8 } from '#base';
import type { KeyModes, PasteMode } from '#model';
import { csi } from './sequences.ts';

/** What goes before and after pasted text in mode 2004 (ctlseqs, "Bracketed Paste Mode"). */
const pasteBegin = `${csi}200~`;
const pasteEnd = `${csi}201~`;

/** As a program that knows 8-bit controls would read it. */
const c1PasteEnd = '\u009b201~';

/**
 * The bytes of `text`, as UTF-8. A surrogate without its partner becomes U+FFFD.
 *
 * - `never`: the text and nothing else.
 * - `always`: as a paste, between the marks. Line ends become CR, what enter sends; end marks
 *   inside the text are removed, so that the text cannot end its own paste and go on as typed.
 * - `auto`: as `always` where the program has asked for the marks and the text has several lines,
 *   else as `never`. Line ends at the very end come after the end mark, where they still are enter.
 */
export function encodeText(
  text: string,
  paste: PasteMode,
  modes: Pick<KeyModes, 'bracketedPaste'>,
): Uint8Array {
  if (paste === 'never') return encodeUtf8(text);
  if (paste === 'always') return encodeUtf8(bracketed(text));
  const end = endOfLastLine(text);
  if (!modes.bracketedPaste || !hasSeveralLines(text) || end === 0) return encodeUtf8(text);
  return encodeUtf8(bracketed(text.slice(0, end)) + asEnter(text.slice(end)));
}

/** Where the line ends begin that `text` closes with. */
function endOfLastLine(text: string): number {
  let end = text.length;
  while (end > 0 && isLineEnd(text.charAt(end - 1))) end--;
  return end;
}

const isLineEnd = (char: string): boolean => char === '\r' || char === '\n';

const asEnter = (text: string): string => text.replace(/\r?\n/g, '\r');

const bracketed = (text: string): string =>
  `${pasteBegin}${withoutEndMarks(asEnter(text))}${pasteEnd}`;

/** Whether a line end comes before the last one. */
const hasSeveralLines = (text: string): boolean => /[\r\n]/.test(text.replace(/(\r\n|\r|\n)$/, ''));

/**
 * `text` without end marks, and without those that come together only when one between them goes:
 * what is kept never ends in a mark, so no mark is ever in it. One pass, however they are nested.
 */
function withoutEndMarks(text: string): string {
  if (!text.includes('201~')) return text;
  const kept: string[] = [];
  for (const unit of text.split('')) {
    kept.push(unit);
    if (unit === '~') dropEndMark(kept);
  }
  return kept.join('');
}

function dropEndMark(kept: string[]): void {
  for (const mark of [pasteEnd, c1PasteEnd]) {
    if (kept.slice(-mark.length).join('') === mark) kept.length -= mark.length;
  }
}
