import type { Cell } from './screen.ts';

/** A row or a line as text, without trailing blanks. */
export const cellsText = (cells: readonly Cell[]): string =>
  cells
    .map(({ text }) => text)
    .join('')
    .trimEnd();

/** Text that is there and that nobody sees: concealed (SGR 8), or in the colour of its background. */
export const isHidden = ({ text, style: { hidden, fg, bg } }: Cell): boolean =>
  hasWords(text) && (hidden || (fg !== null && fg === bg));

/** Brackets in the colour of a bar, as htop draws them, hide nothing from anybody. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
