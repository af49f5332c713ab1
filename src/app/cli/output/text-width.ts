/** Characters that a terminal shows two columns wide: East Asian wide ones (UAX 11) and emoji. */
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
/** Combining marks. */
const zero = /\p{M}/u;

const isAscii = /^[\0-\x7F]*$/;

/** Returns the number of columns that a text occupies in most terminals. */
export function textWidth(text: string): number {
  if (isAscii.test(text)) return text.length;
  return [...text].reduce((sum, character) => sum + characterWidth(character), 0);
}

const characterWidth = (character: string): number => {
  if (zero.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
};

/** Truncates a text to at most `width` columns and marks the place with an ellipsis. */
export function truncatedText(text: string, width: number, keep: 'start' | 'end'): string {
  if (textWidth(text) <= width) return text;
  const characters = keep === 'start' ? [...text] : [...text].reverse();
  let left = width - 1;
  const kept: string[] = [];
  for (const character of characters) {
    left -= characterWidth(character);
    if (left < 0) break;
    kept.push(character);
  }
  return keep === 'start' ? `${kept.join('')}…` : `…${kept.reverse().join('')}`;
}
