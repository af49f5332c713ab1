/** Returns `index`, or the index before it if `index` is inside a surrogate pair. */
export function characterStart(text: string, index: number): number {
  return isLowSurrogate(text, index) ? index - 1 : index;
}

/** Returns `index`, or the index after it if `index` is inside a surrogate pair. */
export function characterEnd(text: string, index: number): number {
  return isLowSurrogate(text, index) ? index + 1 : index;
}

/** Whether a low surrogate is at `index`. Text of a terminal has no lone surrogates. */
function isLowSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}
