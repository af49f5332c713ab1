/**
 * The content of a cell is one 32-bit word: a code point or the index of a cluster, and flags. Its
 * style is a second word, see `style-word.ts`. A word of 0 is a cell that has not been written to
 * since it was erased.
 */
export const emptyCell = 0;

/** The code point or, with {@link clusterFlag}, the index of the cluster. */
export const codeMask = 0x1f_ffff;
/** The cell contains several code points; the code is their index in the cluster table. */
export const clusterFlag = 1 << 21;
/** The first of the two cells of a wide character. */
export const wideFlag = 1 << 22;
/** The spacer in the second cell of a wide character; the other bits are 0. */
export const spacerTail = 1 << 23;
/**
 * A spacer at the end of a row, where a wide character did not fit and wrapped; the other bits are
 * 0.
 */
export const spacerHead = 1 << 24;

/**
 * The cells that a tab moved over while they were empty: the first, those between, and the last; or
 * the only one. They look empty. If one of them is written to or erased, the others count as empty.
 */
export const tabStart = 4;
export const tabMiddle = 5;
export const tabEnd = 6;
export const tabAlone = 7;

/** The lowest code of a character. Cells with lower codes look empty. */
export const firstCharacter = 0x20;
