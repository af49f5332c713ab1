import type { Terminal } from '#vt';

/** Rows of the screen, and lines above it. */
const rows = '.row';

/**
 * Copies what is selected in a terminal as its lines: a browser leaves out those that are empty, and ends one
 * where the screen wraps it.
 *
 * @param source returns what the rows of the screen show
 */
export function copyLines(element: HTMLElement, source: () => Terminal | null): void {
  element.addEventListener('copy', (event) => {
    const selection = getSelection();
    if (selection === null || selection.isCollapsed || event.clipboardData === null) return;
    const text = textOf(selection.getRangeAt(0).cloneContents(), source());
    event.clipboardData.setData('text/plain', text);
    event.preventDefault();
  });
}

/** @param selected `data-behind` of a line above the screen is what is behind it in place of a line feed */
function textOf(selected: DocumentFragment, source: Terminal | null): string {
  const found = [...selected.querySelectorAll<HTMLElement>(rows)];
  // A part of one row.
  if (found.length === 0) return selected.textContent ?? '';
  const texts = found.map(({ textContent, dataset: { row, behind = '\n' } }, at) => {
    if (at === found.length - 1) return textContent;
    return textContent + (row === undefined ? behind : behindRow(source, Number(row)));
  });
  return texts.join('');
}

/** Returns what is behind the text of a row in its line: a line feed, or blanks at which it is wrapped. */
function behindRow(source: Terminal | null, row: number): string {
  if (source === null || row >= source.size.rows || !source.wrapsAt(row)) return '\n';
  const text = source.readRow(row).text();
  return text.slice(text.trimEnd().length);
}
