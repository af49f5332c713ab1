/** Rows of the screen, and lines above it. */
const rows = '.row';

/**
 * Returns what is selected in a terminal, as its lines: a browser leaves out those that are empty, and ends
 * one where the screen wraps it.
 *
 * @param selected what the selection contains. `data-behind` of a line above the screen is what is behind it
 * @param behind returns what is behind a row of the screen: a line feed, or blanks at which it is wrapped
 */
export function copiedText(selected: DocumentFragment, behind: (row: number) => string): string {
  const found = [...selected.querySelectorAll<HTMLElement>(rows)];
  // A part of one row.
  if (found.length === 0) return selected.textContent ?? '';
  const texts = found.map(({ textContent, dataset: { row, behind: blanks = '\n' } }, at) => {
    if (at === found.length - 1) return textContent;
    return textContent + (row === undefined ? blanks : behind(Number(row)));
  });
  return texts.join('');
}
