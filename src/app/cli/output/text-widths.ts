/** Characters that take one column in every terminal. */
const narrow = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2500-\u259f]*$/;

/** Whether each character of a text takes one column. */
export const isNarrow = (text: string): boolean => narrow.test(text);

/** What `#vt/widths` has, for texts without control characters. */
export interface TextWidths {
  readonly textWidth: (text: string) => number;
  readonly clustersOf: (
    text: string,
  ) => readonly { readonly text: string; readonly width: number }[];
}

const narrowWidths: TextWidths = {
  textWidth: (text) => text.length,
  clustersOf: (text) => Array.from(text, (character) => ({ text: character, width: 1 })),
};

/** Loads the widths of all characters only if a text needs them: their tables take part of the time of a short verb. */
export const widthsFor = async (texts: readonly string[]): Promise<TextWidths> =>
  texts.every(isNarrow) ? narrowWidths : import('#vt/widths');
