import { defined, textHash } from '#base';
import type { Menu } from '#model';
import { choicesInRow, dialogQuestion, formQuestion } from './dialog-box.ts';
import { highlightedChoices, keyChoices, typedChoices } from './key-choices.ts';
import { lastOptionList } from './option-list.ts';
import {
  hasField,
  hasOwnKey,
  isBlank,
  isKeyHint,
  isLibraryQuestion,
  keysBehind,
  questionAbove,
  questionText,
  type ShownRow,
  type ShownScreen,
  shownRows,
  topOfBox,
} from './shown-rows.ts';

/**
 * How a question is answered:
 *
 * - `list`: the pointer is moved to a choice, up and down. `filter`: the same; what is typed filters the choices.
 * - `row`: the highlight is moved to a choice, left and right.
 * - `number`: the number of the choice is typed, and Enter.
 * - `keys`: each choice is a key, which its text begins with.
 * - `text`: a text is typed, and Enter. `key`: a key, such as `y`, perhaps and Enter.
 */
type AnsweredBy = 'list' | 'filter' | 'row' | 'number' | 'keys' | 'text' | 'key';

/** A question that the screen shows, wherever its cursor is. */
export interface ShownQuestion {
  /** The question in one line, without the choices; empty if it has no text. */
  readonly question: string;
  /** The choices; null if a text or a key is expected. */
  readonly menu: Menu | null;
  readonly by: AnsweredBy;
  /**
   * Names the question: it is the same until the question, its choices or what stands above them change, whichever
   * choice is selected or marked as taken.
   */
  readonly id: string;
}

type Question = Omit<ShownQuestion, 'id'>;

/** Returns the id of a question that only its text tells. */
export const questionId = (text: string): string =>
  textHash(text.replace(/\s+/gu, ' ').trim()).toString(16).padStart(8, '0');

/** The most rows with text above the choices that count for the id of a question. */
const maxAbove = 14;

/** A sign that turns, as that of an agent that works on above its question: neither it nor its text is asked. */
const turning = /^\s*[\u2801-\u28ff◐-◓◴-◷\u{1f311}-\u{1f318}]/u;

/** What OpenCode and Kilo draw behind the choice that was taken, before their question goes. */
const chosenMark = /\s+[✓✔]$/u;

/** What divides the parts of one dialog: a dashed line, as in Claude Code, and the edges of a box in its box, as in Gemini CLI. */
const innerRule = /^\s*(?:[│┃║|]\s*)?[╌╍┄┈]|^\s*[│┃║|]\s*[╭╰┌└┏┗╔╚]/u;

/** What is asked may stand far above the choices: the command of `Do you want to proceed?`. */
function idOf(
  { question, menu }: Question,
  rows: readonly ShownRow[],
  screen: readonly string[],
): string {
  const first = (menu?.options[0] ?? question).slice(0, 20);
  const at = rows.findLastIndex(({ text }) => first !== '' && text.includes(first));
  const above: string[] = [];
  let blanks = 0;
  for (const row of rows.slice(0, Math.max(0, at)).reverse()) {
    blanks = isBlank(row) ? blanks + 1 : 0;
    const isEdge = row.isRule && !innerRule.test(screen[row.row] ?? '');
    if (above.length === maxAbove || (above.length > 0 && (isEdge || blanks > 1))) break;
    if (row.text !== '' && !turning.test(row.text)) above.push(row.text);
  }
  const options = (menu?.options ?? []).filter((option) => hasOwnKey(option) || !isKeyHint(option));
  const texts = options.map((option) => option.replace(chosenMark, ''));
  return questionId([...above.reverse(), question, ...texts].join('\n'));
}

/** The most rows below a menu that are neither empty nor about keys: a status line, a description. */
const maxBelow = 4;
/** A question that is answered by a key; enquirer shows what enter would answer behind it. */
const byKey =
  /[[(](?:y\/n|yes\/no|y\/n\/a)[\])]\s*:?\??$|^\?\s.*\(y\/n\) ‣ (?:true|false)$|\bpress (?:enter|return|any key|y)\b.*\b(?:continue|proceed|confirm|exit|submit)/iu;

/** What prompt libraries print behind the question, or behind a sign. */
const yesOrNo = /\([yn]\/[yn]\)/iu;
/** A choice of @clack that is taken by its key: `a  Apple`. */
const byOwnKey = /^(\S)\s{2,}(\S.*)$/u;

/**
 * Returns the question that a screen shows by choices or by the name of a key, as coding agents, prompt
 * libraries, dialogs and scripts do. Null if there is none at the end of the screen.
 */
export function questionOnScreen(screen: ShownScreen): ShownQuestion | null {
  const rows = shownRows(screen.rows);
  const question = questionIn(rows, screen);
  return question && { ...question, id: idOf(question, rows, screen.rows) };
}

function questionIn(rows: readonly ShownRow[], screen: ShownScreen): Question | null {
  const typed = () => {
    const menu = typedChoices(rows, screen);
    return ofMenu(menu, menu?.selected == null ? 'number' : 'list');
  };
  return (
    ofMenu(filterList(screen), 'filter') ??
    dialogQuestion(rows, screen) ??
    listQuestion(rows, screen) ??
    rowQuestion(rows, screen) ??
    typed() ??
    ofMenu(highlightedChoices(rows, screen), 'list') ??
    libraryField(rows) ??
    formQuestion(rows, screen) ??
    ofMenu(keyChoices(rows, screen), 'keys') ??
    keyQuestion(rows, screen)
  );
}

const ofMenu = (menu: Menu | null, by: AnsweredBy): Question | null =>
  menu === null ? null : { question: menu.title, menu, by };

function listQuestion(rows: readonly ShownRow[], screen: ShownScreen): Question | null {
  const list = lastOptionList(rows, screen);
  if (list === null || !isAtEnd(rows.slice(list.to), screen)) return null;
  const above = questionAbove(rows, list.from);
  // Some programs tell the keys between the question and the choices. Behind a divider are those of another text.
  const below = rows.slice(list.to);
  const end = list.isSure ? -1 : below.findIndex(({ isRule }) => isRule);
  const between = rows.slice((above?.row ?? list.from) + 1, list.from);
  const around = [...between, ...below.slice(0, end < 0 ? undefined : end)];
  const hints = around.filter(({ text }) => isKeyHint(text)).map(({ text }) => text.trim());
  const behind = above === null ? '' : keysBehind(screen.rows[above.row] ?? '');
  const isMenu = list.isSure || hints.length > 0 || behind !== '';
  if (!isMenu && (above === null || !isLibraryQuestion(above))) return null;
  const title = above === null ? '' : questionText(above.text);
  return ofMenu(
    { title, ...list.menu, keys: [behind, ...hints].filter(Boolean).join(' ') },
    'list',
  );
}

/** Returns whether nothing but keys, a status or a description is below a menu: it is not quoted. */
function isAtEnd(below: readonly ShownRow[], { cursor }: ShownScreen): boolean {
  const texts = below.filter((row) => !isBlank(row) && !row.isRule);
  const isTyping = cursor.visible && cursor.col > 0;
  if (isTyping && below.some(({ row, text }) => row === cursor.row && !isKeyHint(text)))
    return false;
  if (hasField(below)) return false;
  return texts.filter(({ text }) => !isKeyHint(text)).length <= maxBelow;
}

/** The choices of a row at the end of the screen. */
function rowQuestion(rows: readonly ShownRow[], screen: ShownScreen): Question | null {
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at];
    const choices = row === undefined ? null : choicesInRow(row, screen);
    if (choices === null) continue;
    if (!isAtEnd(rows.slice(at + 1), screen)) return null;
    const above = questionAbove(rows, at);
    const title = choices.question || (above === null ? '' : questionText(above.text));
    const isLettered = choices.menu.options.every((option) => /^\[\w\]\s/u.test(option));
    return ofMenu({ title, ...choices.menu, keys: choices.keys }, isLettered ? 'keys' : 'row');
  }
  return null;
}

/**
 * The field of @clack: its question is above the text that is typed, the end of its frame below. Or its choices, each
 * with a key.
 */
function libraryField(rows: readonly ShownRow[]): Question | null {
  const at = rows.findLastIndex(({ text }) => /^[◆▲]\s+\S/u.test(text));
  const row = rows[at];
  if (row === undefined) return null;
  const title = questionText(row.text);
  const below = rows.slice(at + 1).filter((each) => !isBlank(each) && !each.isRule);
  const options = below.map(({ text }) => text.replace(byOwnKey, '$1 $2'));
  if (below.length > 1 && below.every(({ text }) => byOwnKey.test(text))) {
    return ofMenu({ title, options, selected: null, multiple: false, keys: '' }, 'keys');
  }
  return rows.length - at > 5 ? null : { question: title, menu: null, by: 'text' };
}

function keyQuestion(rows: readonly ShownRow[], screen: ShownScreen): Question | null {
  const last = rows.filter((row) => !isBlank(row) && !row.isRule).slice(-2);
  const hint = last.findLast(({ text }) => byKey.test(text));
  if (hint === undefined) return null;
  // In a box, the keys are its last row, and its first one says what they are for.
  const top = topOfBox(screen.rows, hint.row);
  const inBox = top < 0 ? [] : rows.slice(top + 1, hint.row);
  const heading = inBox.find((row) => !isBlank(row) && !row.isRule) ?? hint;
  const question = questionText(heading.text);
  const [keys = ''] = heading === hint ? (yesOrNo.exec(hint.text) ?? []) : [];
  const full = question.includes(keys) ? question : `${question} ${keys}`;
  return { question: full, menu: null, by: 'key' };
}

/** The row with how many lines match, of how many, and how many are marked: `3/3 (0) ───`. */
const counter = /^\s*(?:\S\s+)?(\d+)\/\d+(?:\s+\((\d+)\))?(?:\s*─*)$/u;
const pointer = /^[>▌❯➜▶]/u;
/** What fzf shows between the pointer and a marked line. */
const marker = /^[>┃•*+]/u;
const scrollbar = /^[│┃|▌▐█]$/u;

const side = /[│┃║|]/u;
/** The edges of a box: of the list, or of a preview right of it. */
const edge = /[│┃║|╭╮╰╯┌┐└┘╔╗╚╝┏┓┗┛]/u;

/** Returns the list of `fzf` or `sk`, of which the lines that match are shown; null if it is none. */
export const filterList = (screen: ShownScreen): Menu | null => listIn(insideOfBox(screen));

/** Returns a screen without what is outside of the box in which its cursor stands. */
function insideOfBox(screen: ShownScreen): ShownScreen {
  const { rows, cursor } = screen;
  const { row: at } = cursor;
  const isSide = (row: number, col: number) => side.test(rows[row]?.[col] ?? '');
  const isBeside = (col: number, from: number, by: 1 | -1) =>
    isSide(from + by, col) && isSide(from + 2 * by, col);
  const isEdge = (col: number) =>
    edge.test(rows[at]?.[col] ?? '') && (isBeside(col, at, -1) || isBeside(col, at, 1));
  let left = cursor.col - 1;
  while (left >= 0 && !isEdge(left)) left--;
  const width = Math.max(...rows.map(({ length }) => length));
  let right = cursor.col + 1;
  while (right < width && !isEdge(right)) right++;
  if (left < 0 && right >= width) return screen;
  const isInside = (row: number) => left < 0 || isSide(row, left);
  let [from, to] = [at, at];
  while (from > 0 && isInside(from - 1)) from--;
  while (to < rows.length && isInside(to)) to++;
  return {
    rows: rows.map((row, index) =>
      index < from || index >= to ? '' : row.slice(left + 1, right).trimEnd(),
    ),
    cells: (row) => screen.cells(row).slice(left + 1, right),
    cursor: { ...cursor, col: cursor.col - left - 1 },
  };
}

function listIn(screen: ShownScreen): Menu | null {
  const rows = shownRows(screen.rows);
  const at = rows.findIndex(({ row }) => counter.test(screen.rows[row] ?? ''));
  const prompt = [rows[at - 1], rows[at + 1]].find((each) => each?.row === screen.cursor.row);
  if (at < 0 || prompt === undefined) return null;
  const isAbove = prompt.row > at;
  const beside = isAbove ? rows.slice(0, at).reverse() : rows.slice(at + 1);
  const end = beside.findIndex(isBlank);
  const listed = beside.slice(0, end < 0 ? undefined : end);
  const counted = screen.rows[at] ?? '';
  const [, matches, marks] = counter.exec(counted) ?? [];
  const nearest = [prompt, ...listed.slice(0, Number(matches))];
  const left = Math.min(...nearest.map(({ row }) => indent(screen.rows[row] ?? '')));
  const inList = ({ row }: ShownRow) => (screen.rows[row] ?? '').slice(left);
  const hasGutter = ({ row }: ShownRow) => (screen.cells(row)[left]?.style.bg ?? null) !== null;
  // A header is nearest to the counter, without the column in which fzf points. Only colours show that column.
  const isItem = (row: ShownRow) =>
    hasGutter(row) || pointer.test(inList(row)) || (Number(marks) > 0 && isFilled(inList(row), 1));
  const spare = listed.length - Number(matches);
  const position = listed.findIndex(isItem);
  const first = spare < 0 ? position : Math.min(position, spare);
  const header = listed.slice(0, Math.max(0, first)).map(({ text }) => text);
  // A list may fill only a part of the screen (`--height`). The rows after it are not items, unless items have
  // several rows.
  const listRows = listed.slice(Math.max(0, first));
  const items = listRows.filter((row, nth) => nth < Number(matches) || hasGutter(row));
  if (isAbove) items.reverse();
  const pointed = items.flatMap((row, index) => (pointer.test(inList(row)) ? [index] : []));
  if (!screen.cursor.visible || pointed.length === 0) return null;
  const whole = items.map(inList);
  const lines =
    Number(matches) > items.length ? withoutScrollbar(whole, counted.length - left) : whole;
  const checked = marks === undefined ? undefined : markedIn(lines, Number(marks));
  const question = (screen.rows[prompt.row] ?? '').slice(0, screen.cursor.col).trim();
  return {
    title: header.join(' ') || (/^[>❯]?$/u.test(question) ? '' : question),
    options: lines.map((line, index) => {
      const text = line.replace(pointer, ' ').slice(1);
      if (checked?.includes(index)) return text.slice(1).trim();
      const isUnsure = checked === undefined && marks !== undefined;
      return (isUnsure ? text.replace(marker, '') : text).trim();
    }),
    selected: onlyOne(pointed, (index) =>
      JSON.stringify(screen.cells(items[index]?.row ?? 0)[left]?.style),
    ),
    multiple: marks !== undefined,
    ...defined({ checked }),
    keys: '',
  };
}

const indent = (line: string): number => (line.trim() === '' ? Infinity : line.search(/\S/u));

const isFilled = (line: string, col: number): boolean => (line[col] ?? ' ') !== ' ';

/**
 * Returns which of these lines are marked, the first of their columns being that of the pointer; undefined if another
 * layout could look the same.
 */
function markedIn(lines: readonly string[], marks: number): readonly number[] | undefined {
  const filled = (col: number) =>
    lines.flatMap((line, index) => (isFilled(line, col) ? [index] : []));
  if (marks === 0) return [];
  const rows = filled(1);
  const isSure = rows.length === 0 ? filled(2).length > marks : rows.length <= marks;
  return isSure ? rows : undefined;
}

/** Removes the bar that fzf draws right of some of the lines, from column `from` on, if not all are shown. */
function withoutScrollbar(lines: readonly string[], from: number): readonly string[] {
  const col = Math.max(...lines.map((line) => line.length)) - 1;
  const bars = lines.flatMap((line, index) => (isFilled(line, col) ? [index] : []));
  const isBar = bars.every((index, nth) => {
    const sign = lines[index]?.[col] ?? '';
    return scrollbar.test(sign) && index === (bars[0] ?? 0) + nth;
  });
  return isBar && col >= from ? lines.map((line) => line.slice(0, col).trimEnd()) : lines;
}

/** Returns the row of the pointer, also if each row has its sign, but in another style; null if that is unknown. */
function onlyOne(pointed: readonly number[], styleOf: (index: number) => string): number | null {
  if (pointed.length === 1) return pointed[0] ?? null;
  const styles = pointed.map(styleOf);
  const alone = pointed.filter(
    (_, nth) => styles.filter((each) => each === styles[nth]).length < 2,
  );
  return alone.length === 1 ? (alone[0] ?? null) : null;
}
