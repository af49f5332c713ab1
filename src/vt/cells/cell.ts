/**
 * The content of a cell is one 32-bit word: a code point, or the index of a cluster, and flags. How
 * the cell looks is another word beside it, see `style-word.ts`. A word of 0 is a cell that nothing
 * has been written to since it was erased.
 */
export const emptyCell = 0;

/** The code point, or with {@link clusterFlag} the index. */
export const codeMask = 0x1f_ffff;
/** Several code points share the cell; the code is their index in the table of clusters. */
export const clusterFlag = 1 << 21;
/** The first of the two cells of a wide character. */
export const wideFlag = 1 << 22;
/** The second of them; the rest of the word is 0. */
export const spacerTail = 1 << 23;
/** The last cell of a row that was left free because a wide character did not fit; the rest is 0. */
export const spacerHead = 1 << 24;
