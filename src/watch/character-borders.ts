/** `index`, or the one before where that would cut a character in two. */
export function characterStart(text: string, index: number): number {
  return isLowSurrogate(text, index) ? index - 1 : index;
}

/** `index`, or the one behind where that would cut a character in two. */
export function characterEnd(text: string, index: number): number {
  return isLowSurrogate(text, index) ? index + 1 : index;
}

/** Whether the second half of a pair stands there; text of a terminal has no halves alone. */
function isLowSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}
