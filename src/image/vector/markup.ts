import { directions } from '#base';

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/**
 * Escapes text for XML and HTML. Characters that XML 1.0 does not allow are replaced by U+FFFD. Those that change the
 * direction of text are removed: a browser would move the cells after them, and show another screen.
 *
 * https://www.w3.org/TR/xml/#charsets
 */
export const escaped = (text: string): string =>
  text
    .replace(directions, '')
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replace(/[&<>"]/g, (each) => escapes[each] ?? each);

/** Returns a colour as `#rrggbb`. */
export const hex = (rgb: number): string => `#${rgb.toString(16).padStart(6, '0')}`;

/** Fonts of the same width as far as possible; the first is that of bitmaps. */
export const fontFamily =
  "'JetBrains Mono','Cascadia Mono','SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace";

/** At this size, characters of these fonts are ten pixels wide, or nearly. */
export const fontSize = 16.6;

/** From the top of a cell. */
export const baseline = 15.4;
