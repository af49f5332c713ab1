import { styleRuns, styleWords } from './style-words.mjs';

/**
 * The screen of a terminal as golden cases contain it.
 *
 * @typedef {object} View
 * @property {string[]} screen rows without trailing spaces, without blank rows at the end
 * @property {Record<string, string>} styles by row, see style-words.mjs, without plain rows
 * @property {{ row: number, col: number, visible: boolean }} cursor
 * @property {boolean} alternate
 * @property {string} title
 */

/**
 * @param {import('#vt').Terminal} terminal
 * @returns {View}
 */
export function viewOf(terminal) {
  const { cursor, alternate, title } = terminal;
  const rows = Array.from({ length: terminal.size.rows }, (_, row) => terminal.readRow(row));
  return {
    screen: withoutBlankEnd(terminal.screenText()),
    styles: stylesByRow(rows.map((row) => row.cells().map((cell) => styleWords(cell.style)))),
    cursor: { row: cursor.row, col: cursor.col, visible: cursor.visible },
    alternate,
    title,
  };
}

/** @param {readonly string[]} rows */
export const withoutBlankEnd = (rows) => rows.slice(0, 1 + rows.findLastIndex((row) => row !== ''));

/** @param {readonly (readonly string[])[]} rows words of the cells of each */
export function stylesByRow(rows) {
  const runs = rows.map((words, row) => [String(row), styleRuns(words)]);
  return Object.fromEntries(runs.filter(([, text]) => text !== ''));
}

/**
 * Describes each difference of two views in a sentence.
 *
 * @param {View} ours
 * @param {View} theirs
 */
export function differences(ours, theirs) {
  /** @type {string[]} */
  const problems = [];
  const compare = (
    /** @type {string} */ what,
    /** @type {unknown} */ a,
    /** @type {unknown} */ b,
  ) => {
    if (JSON.stringify(a) === JSON.stringify(b)) return;
    problems.push(`${what}: vtr ${JSON.stringify(a)}, xterm ${JSON.stringify(b)}`);
  };
  const rows = Math.max(ours.screen.length, theirs.screen.length);
  for (let row = 0; row < rows; row++) compare(`row ${row}`, ours.screen[row], theirs.screen[row]);
  for (const row of new Set([...Object.keys(ours.styles), ...Object.keys(theirs.styles)])) {
    compare(`styles of row ${row}`, asXtermReports(ours.styles[row]), theirs.styles[row]);
  }
  for (const what of /** @type {const} */ (['cursor', 'alternate', 'title'])) {
    compare(what, ours[what], theirs[what]);
  }
  return problems;
}

/**
 * xterm reports that a cell is underlined, without the kind and the colour of the line.
 *
 * @param {string | undefined} styles
 */
const asXtermReports = (styles) =>
  styles?.replace(/ underlineColor=[^ ;]+/g, '').replace(/underline=\w+/g, 'underline=single');
