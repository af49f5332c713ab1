/**
 * C0, DEL, C1, and characters that change the direction of text or are invisible (Unicode 23.2,
 * 23.9).
 */
const unseen = /[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/**
 * Returns text from output that a person will read, without controls and truncated.
 *
 * @param maxLength in UTF-16 code units
 */
export function cleanText(text: string, maxLength: number): string {
  return cut(text.replace(unseen, ''), maxLength);
}

/** Truncates text, but not inside a surrogate pair. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}
