/** C0, DEL, C1, and what turns the direction of text around or cannot be seen (Unicode 23.2, 23.9). */
const unseen = /[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/**
 * Text that output chose and a person will read: without controls, and cut.
 *
 * @param maxLength in UTF-16 code units
 */
export function cleanText(text: string, maxLength: number): string {
  return cut(text.replace(unseen, ''), maxLength);
}

/** Cuts text, not through the middle of a surrogate pair. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}
