import { highlightsOf, type Menu } from '#model';
import { emphasized, lastOptionList } from './option-list.ts';
import {
  isBlank,
  isKeyHint,
  questionAbove,
  questionText,
  type ShownRow,
  type ShownScreen,
  topOfBox,
} from './shown-rows.ts';

/** What a dialog asks. */
export interface DialogQuestion {
  readonly question: string;
  /** Null if the dialog has a field for a text. */
  readonly menu: Menu | null;
  /** `row`: it has only buttons. */
  readonly by: 'list' | 'row' | 'text';
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
  if (isField) return { question, menu: null, by: 'text' };
  if (list === null) {
    return { question, menu: { title: question, ...buttons.menu, keys: '' }, by: 'row' };
  }
  const keys = buttonRow.text.replace(/\s{2,}/gu, ' ').trim();
  const button = buttons.menu.options[buttons.menu.selected ?? -1];
  const menu = {
    title: question,
    ...list.menu,
    options: withoutScrollbar(list.menu.options),
    keys,
  };
  return { question, menu: button === undefined ? menu : { ...menu, button }, by: 'list' };
}

/**
 * Returns the question of a field between two edges, above keys that accept and leave it and a divider, as in the forms of
 * Copilot CLI; null if there is none, or the cursor is not in it.
 */
export function formQuestion(
  rows: readonly ShownRow[],
  screen: ShownScreen,
): DialogQuestion | null {
  const at = rows.findLastIndex(({ text }) => text !== '');
  const keys = rows[at]?.text ?? '';
  const isForm = /\benter\b/iu.test(keys) && /\besc\b/iu.test(keys) && isKeyHint(keys);
  if (!isForm || !rows.slice(at + 1).some(({ isRule }) => isRule)) return null;
  const bottom = rows.slice(0, at).findLastIndex((row) => !isBlank(row));
  const top = rows.slice(0, Math.max(0, bottom)).findLastIndex(({ isRule }) => isRule);
  const { cursor } = screen;
  const hasCursor = cursor.visible && cursor.row > top && cursor.row < bottom;
  const above = hasCursor && rows[bottom]?.isRule === true ? questionAbove(rows, top) : null;
  return above === null ? null : { question: questionText(above.text), menu: null, by: 'text' };
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

/** Choices beside one another in a row. */
export interface RowChoices {
  readonly menu: Omit<Menu, 'title' | 'keys'>;
  readonly keys: string;
  /** The question in the same row; empty if there is none. */
  readonly question: string;
}

/** `● Yes / ○ No` */
const radios = /^[●○]\s+\S+(?:\s\S+)*?(?:\s+\/\s+[●○]\s+\S+(?:\s\S+)*?)+$/u;
/** `? Use it? › no / yes`, `? Use it? ‣ Nope / Yep` */
const toggle = /^\?\s+(.*?)\s*[›‣]\s+(\S+)\s\/\s(\S+)$/u;
/** `[y] Approve   [n] Deny` */
const lettered = /^\[\w\]\s+\S+(?:\s\S+)*(?:\s{2,}\[\w\]\s+\S+(?:\s\S+)*)+$/u;
/** `<Yes>  <No>`, `<  OK  >` */
const buttons = /^(?:<\s*[^<>]{1,24}?\s*>\s*)+$/u;
/** `Allow once   Allow always   Reject      ⇆ select  enter confirm` */
const answer = /^(?:yes|no|allow|deny|approve|reject|cancel|accept|decline|confirm)\b/iu;

/** Returns whether a row has the buttons of a dialog. */
const hasButtons = ({ text }: ShownRow): boolean => buttons.test(text);

/** Returns the choices of a row; null if it has none. */
export function choicesInRow(shown: ShownRow, screen: ShownScreen): RowChoices | null {
  const { text } = shown;
  if (radios.test(text)) return radioChoices(text);
  const toggled = toggle.exec(text);
  if (toggled !== null) {
    const [, question = '', one = '', other = ''] = toggled;
    const menu = menuOf([one, other], shown, screen, text.lastIndexOf(`${one} / `));
    return { question, menu, keys: '' };
  }
  if (lettered.test(text)) {
    const options = text.split(/\s{2,}(?=\[)/u);
    return { question: '', menu: { options, selected: null, multiple: false }, keys: '' };
  }
  if (hasButtons(shown)) {
    const options = [...text.matchAll(/<\s*([^<>]+?)\s*>/gu)].map(([, label = '']) => label);
    return { question: '', menu: menuOf(options, shown, screen), keys: '' };
  }
  return tabChoices(shown, screen);
}

function radioChoices(text: string): RowChoices {
  const parts = text.split(/\s+\/\s+/u);
  const selected = parts.findIndex((part) => part.startsWith('●'));
  const options = parts.map((part) => part.slice(1).trim());
  const menu = { options, selected: selected < 0 ? null : selected, multiple: false };
  return { question: '', menu, keys: '' };
}

function tabChoices(shown: ShownRow, screen: ShownScreen): RowChoices | null {
  const parts = shown.text.split(/\s{2,}/u);
  const at = parts.findIndex((part) => /^(?:ctrl|alt|[⇆↑←]|enter|esc|tab)/iu.test(part));
  const options = at < 0 ? [] : parts.slice(0, at);
  const keys = at < 0 ? '' : parts.slice(at).join(' ');
  const isMenu = options.length > 1 && options.some((each) => answer.test(each));
  if (!isMenu || !isKeyHint(keys)) return null;
  return { question: '', menu: menuOf(options, shown, screen), keys };
}

/** @param from where the choices begin in the text */
function menuOf(
  options: readonly string[],
  { row, col, text }: ShownRow,
  screen: ShownScreen,
  from = 0,
): RowChoices['menu'] {
  let at = Math.max(0, from);
  const parts = options.map((option) => {
    const begin = text.indexOf(option, at);
    at = begin + option.length;
    return { row, from: col + begin, to: col + at };
  });
  return { options, selected: emphasized(parts, screen), multiple: false };
}
