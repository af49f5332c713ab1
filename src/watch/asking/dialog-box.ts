import { highlightsOf, type Menu } from '#model';
import { lastOptionList } from './option-list.ts';
import { choicesInRow, hasButtons } from './row-choices.ts';
import { isBlank, type ShownRow, type ShownScreen, topOfBox } from './shown-rows.ts';

/** What a dialog asks. */
export interface DialogQuestion {
  readonly question: string;
  /** Null if the dialog has a field for a text. */
  readonly menu: Menu | null;
}

/** In UTF-16 code units. */
const maxQuestion = 500;
/** A field of whiptail: `Alice_______` */
const filledField = /\S_{3,}$/u;

/** A list inside a dialog, and the row of its first choice. */
interface DialogList {
  readonly menu: Omit<Menu, 'title' | 'keys'>;
  readonly from: number;
}

/** Returns the question of a box with buttons, as `dialog` and `whiptail` show it; null if there is none. */
export function dialogQuestion(
  rows: readonly ShownRow[],
  screen: ShownScreen,
): DialogQuestion | null {
  const at = rows.findLastIndex(hasButtons);
  const buttonRow = rows[at];
  const buttons = buttonRow === undefined ? null : choicesInRow(buttonRow, screen);
  if (buttonRow === undefined || buttons === null) return null;
  const begin = topOfBox(screen.rows, buttonRow.row);
  if (begin < 0) return null;
  const inside = rows.slice(begin + 1, at);
  const marked = lastOptionList(inside, screen, true);
  const isField = marked === null && isTyping(inside, screen);
  const list = marked ?? (isField ? null : highlightedList(inside, screen));
  const { cursor } = screen;
  const end = list?.from ?? (isField ? cursor.row : buttonRow.row);
  const question = questionIn(inside, end) || titleIn(screen.rows[begin] ?? '');
  if (isField) return { question, menu: null };
  if (list === null) return { question, menu: { title: question, ...buttons.menu, keys: '' } };
  const keys = buttonRow.text.replace(/\s{2,}/gu, ' ').trim();
  const button = buttons.menu.options[buttons.menu.selected ?? -1];
  const menu = {
    title: question,
    ...list.menu,
    options: withoutScrollbar(list.menu.options),
    keys,
  };
  return { question, menu: button === undefined ? menu : { ...menu, button } };
}

/** Whether the cursor stands in a field: it is empty, or the cursor is behind its text. In a list it is before that. */
function isTyping(inside: readonly ShownRow[], { cursor }: ShownScreen): boolean {
  const row = inside.find((each) => each.row === cursor.row);
  if (row === undefined || !cursor.visible) return false;
  const typed = row.text.replace(/[_\s]+$/u, '');
  return typed === '' || cursor.col >= row.col + typed.length;
}

/** Returns choices without the scroll bar of whiptail at their right, from `↑` to `↓`. */
const withoutScrollbar = (options: readonly string[]): readonly string[] =>
  /\s↑$/u.test(options[0] ?? '') && /\s↓$/u.test(options.at(-1) ?? '')
    ? options.map((option) => option.replace(/\s+\S$/u, ''))
    : options;

/** The list whose selected choice is only highlighted, such as that of `dialog --menu`. */
function highlightedList(inside: readonly ShownRow[], screen: ShownScreen): DialogList | null {
  const cells = screen.rows.map((_, row) => screen.cells(row));
  const highlights = highlightsOf(cells).filter(({ text }) => !filledField.test(text));
  const lit = new Set(highlights.map(({ row }) => row));
  const at = inside.findIndex((each) => lit.has(each.row) && !isBlank(each) && !each.isRule);
  if (at < 0) return null;
  const isEnd = (each: ShownRow) => isBlank(each) || each.isRule;
  const begin = inside.slice(0, at).findLastIndex(isEnd) + 1;
  const after = inside.slice(at).findIndex(isEnd);
  const choices = inside.slice(begin, after < 0 ? undefined : at + after);
  const options = choices.map(({ text }) => text.replace(/\s{2,}/gu, ' '));
  const menu = { options, selected: at - begin, multiple: false };
  return { menu, from: choices[0]?.row ?? 0 };
}

/** Returns the text of a dialog above a row. */
const questionIn = (inside: readonly ShownRow[], end: number): string =>
  inside
    .filter(
      (each) => each.row < end && !isBlank(each) && !each.isRule && !filledField.test(each.text),
    )
    .map(({ text }) => text)
    .join(' ')
    .slice(0, maxQuestion);

/** Returns the title in the top of a box: `┌──┤ Main ├──┐`. */
const titleIn = (row: string): string => row.replace(/[^\p{L}\p{N}\p{P} ]+/gu, '').trim();
