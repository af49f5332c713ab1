/**
 * Returns the rows of the tables of a Markdown text whose headers begin with the given cells.
 *
 * @param {string} text
 * @param {readonly string[]} header
 * @returns {string[][]} cells, trimmed, with `\|` as `|` and without backticks
 */
export function tableRows(text, header) {
  /** @type {string[][]} */
  const rows = [];
  let inside = false;
  for (const line of text.split('\n')) {
    const cells = cellsOf(line);
    if (cells === undefined) inside = false;
    else if (header.every((cell, index) => cells[index] === cell)) inside = true;
    else if (inside && !cells.every((cell) => /^:?-+:?$/.test(cell))) rows.push(cells);
  }
  return rows;
}

/** @param {string} line */
function cellsOf(line) {
  const inner = /^\|(.*)\|\s*$/.exec(line)?.[1];
  return inner
    ?.split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').replaceAll('`', '').trim());
}
