import { type Cell, cellsText, type Menu } from '#model';

/** What a question is about, as the screen shows it above the choices: the command, the diff, the folder. */
export interface AskedScreen {
  /** Without boxes, common indentation and the question itself. Empty: nothing but the question is shown. */
  readonly rows: readonly (readonly Cell[])[];
  /** Whether it may begin above the screen, where nobody sees it. */
  readonly isCut: boolean;
}

/** What is searched for on the screen: the beginning of a choice, or of a question, in UTF-16 code units. */
const soughtLength = 20;
/** Blank rows in a row that end what belongs to a question. */
const gapRows = 2;

const side = /^[│┃║|▏▎▌]$/u;
const topCorner = /^[╭┌╔┏]$/u;
/** A row of nothing but lines: an edge of a box, a divider. Dashed ones stand between the parts of a question. */
const rule = /^[\s─━═╭╮╰╯┌┐└┘╔╗╚╝┏┓┗┛├┤│┃║▔▁▀▄╌╍┄┅]*$/u;
const dashes = /^[\s╌╍┄┅]+$/u;
/** What a person has typed, in the conversation above. */
const prompted = /^\s*[❯›>]\s+\S/u;

/**
 * Returns what a screen shows of a question above its choices. Without choices, above the question itself.
 *
 * @param rows of the screen, from top to bottom
 */
export function askedScreen(
  rows: readonly (readonly Cell[])[],
  question: string,
  menu: Menu | null,
): AskedScreen {
  const texts = rows.map(cellsText);
  const end = rowOf(texts, menu?.options[0] ?? question);
  if (end < 0) return { rows: [], isCut: false };
  const column = sideColumn(rows[end] ?? []);
  const from = column === null ? beginOf(texts, end) : beginInBox(rows, end, column);
  const region = rows.slice(from, end).map(withoutSides);
  const shown = withoutQuestion(region, question);
  return { rows: unindented(shown), isCut: from === 0 && shown.length > 0 && !isEdge(texts[0]) };
}

/** Returns the last row with a choice or a question; a choice may go on in rows below. -1 if no row has it. */
function rowOf(texts: readonly string[], sought: string): number {
  const words = oneSpaced(sought);
  const parts = [words.slice(0, soughtLength), words.split(' ').slice(0, 2).join(' ')];
  for (const part of parts) {
    const at = part === '' ? -1 : texts.findLastIndex((text) => oneSpaced(text).includes(part));
    if (at >= 0) return at;
  }
  return -1;
}

const isEdge = (text = ''): boolean => text.trim() !== '' && rule.test(text);

/** Returns the column of the side of a box left of a row's text; null if it has none. */
function sideColumn(cells: readonly Cell[]): number | null {
  const first = cells.findIndex(({ text }) => text.trim() !== '');
  return first >= 0 && side.test(cells[first]?.text ?? '') ? first : null;
}

/** Returns the first row inside of the box with a side in this column. */
function beginInBox(rows: readonly (readonly Cell[])[], end: number, column: number): number {
  let at = end;
  while (at > 0 && side.test(rows[at - 1]?.[column]?.text ?? '')) at--;
  const above = rows[at - 1]?.[column]?.text ?? '';
  // A box without an upper edge, such as a side bar, may be that of the conversation.
  return at === 0 || topCorner.test(above) ? at : Math.max(at, beginOf(rows.map(barText), end));
}

/** Returns the text of a row without the bar at its left. */
const barText = (cells: readonly Cell[]): string => cellsText(withoutSides(cells));

/** Returns the first row of what belongs to a question: below a rule, a gap, or what a person has typed. */
function beginOf(texts: readonly string[], end: number): number {
  let at = end;
  let blanks = 0;
  let hasText = false;
  while (at > 0) {
    const text = texts[at - 1] ?? '';
    if (text.trim() === '') blanks++;
    else {
      const isEnd = hasText && blanks >= gapRows;
      const isOther = prompted.test(text) || (isEdge(text) && !dashes.test(text));
      if (isEnd || isOther) break;
      blanks = 0;
      hasText = true;
    }
    at--;
  }
  return at;
}

/** Returns cells without the sides of boxes around them. */
function withoutSides(cells: readonly Cell[]): readonly Cell[] {
  const isOutside = ({ text }: Cell) => text.trim() === '' || side.test(text);
  const to = cells.findLastIndex((cell) => !isOutside(cell)) + 1;
  const from = cells.findIndex((cell) => !isOutside(cell));
  // What is left of the text stays as blanks: rows keep their indentation to each other.
  const blank = { text: ' ', width: 1 } as const;
  return cells
    .slice(0, to)
    .map((cell, at) => (at < from && side.test(cell.text) ? { ...cell, ...blank } : cell));
}

/** Leaves out rules, blank rows around, and the question at the end, which is shown apart. */
function withoutQuestion(
  rows: readonly (readonly Cell[])[],
  question: string,
): readonly (readonly Cell[])[] {
  const inner = rows.filter((cells) => !isEdge(cellsText(cells)));
  const whole = oneSpaced(question);
  const isAsked = (cells: readonly Cell[]) => {
    const text = oneSpaced(cellsText(cells));
    return text === '' || whole.includes(text);
  };
  const to = inner.findLastIndex((cells) => !isAsked(cells)) + 1;
  const from = inner.findIndex((cells) => cellsText(cells).trim() !== '');
  return inner.slice(Math.max(0, from), to);
}

const oneSpaced = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** Leaves out the columns that are blank in all rows at their left. */
function unindented(rows: readonly (readonly Cell[])[]): readonly (readonly Cell[])[] {
  const indents = rows.flatMap((cells) => {
    const at = cells.findIndex(({ text }) => text.trim() !== '');
    return at < 0 ? [] : [at];
  });
  const indent = Math.min(...indents, 1_000);
  return rows.map((cells) => cells.slice(indent));
}
