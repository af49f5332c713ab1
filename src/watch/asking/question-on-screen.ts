import type { Menu } from '#model';
import { dialogQuestion } from './dialog-box.ts';
import { filterList } from './filter-list.ts';
import { keyChoices } from './key-choices.ts';
import { lastOptionList } from './option-list.ts';
import { isLibraryQuestion, keysBehind, questionAbove, questionText } from './question-above.ts';
import { choicesInRow } from './row-choices.ts';
import {
  hasField,
  isBlank,
  isKeyHint,
  type ShownRow,
  type ShownScreen,
  shownRows,
  topOfBox,
} from './shown-rows.ts';
import { typedChoices } from './typed-choices.ts';

/** A question that the screen shows, wherever its cursor is. */
export interface ShownQuestion {
  /** The question in one line, without the choices; empty if it has no text. */
  readonly question: string;
  /** The choices; null if a text or a key is expected. */
  readonly menu: Menu | null;
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
  const filtered = filterList(screen);
  if (filtered !== null) return { question: filtered.title, menu: filtered };
  return (
    dialogQuestion(rows, screen) ??
    listQuestion(rows, screen) ??
    rowQuestion(rows, screen) ??
    ofMenu(typedChoices(rows, screen)) ??
    libraryField(rows) ??
    ofMenu(keyChoices(rows, screen)) ??
    keyQuestion(rows, screen)
  );
}

const ofMenu = (menu: Menu | null): ShownQuestion | null =>
  menu === null ? null : { question: menu.title, menu };

function listQuestion(rows: readonly ShownRow[], screen: ShownScreen): ShownQuestion | null {
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
  return ofMenu({ title, ...list.menu, keys: [behind, ...hints].filter(Boolean).join(' ') });
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
function rowQuestion(rows: readonly ShownRow[], screen: ShownScreen): ShownQuestion | null {
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at];
    const choices = row === undefined ? null : choicesInRow(row, screen);
    if (choices === null) continue;
    if (!isAtEnd(rows.slice(at + 1), screen)) return null;
    const above = questionAbove(rows, at);
    const title = choices.question || (above === null ? '' : questionText(above.text));
    return ofMenu({ title, ...choices.menu, keys: choices.keys });
  }
  return null;
}

/**
 * The field of @clack: its question is above the text that is typed, the end of its frame below. Or its choices, each
 * with a key.
 */
function libraryField(rows: readonly ShownRow[]): ShownQuestion | null {
  const at = rows.findLastIndex(({ text }) => /^[◆▲]\s+\S/u.test(text));
  const row = rows[at];
  if (row === undefined) return null;
  const title = questionText(row.text);
  const below = rows.slice(at + 1).filter((each) => !isBlank(each) && !each.isRule);
  const options = below.map(({ text }) => text.replace(byOwnKey, '$1 $2'));
  if (below.length > 1 && below.every(({ text }) => byOwnKey.test(text))) {
    return ofMenu({ title, options, selected: null, multiple: false, keys: '' });
  }
  return rows.length - at > 5 ? null : { question: title, menu: null };
}

function keyQuestion(rows: readonly ShownRow[], screen: ShownScreen): ShownQuestion | null {
  const last = rows.filter((row) => !isBlank(row) && !row.isRule).slice(-2);
  const found = last.findLast(({ text }) => byKey.test(text));
  if (found === undefined) return null;
  // In a box, the keys are its last row, and its first one says what they are for.
  const top = topOfBox(screen.rows, found.row);
  const inBox = top < 0 ? [] : rows.slice(top + 1, found.row);
  const heading = inBox.find((row) => !isBlank(row) && !row.isRule) ?? found;
  const question = questionText(heading.text);
  const [keys = ''] = heading === found ? (yesOrNo.exec(found.text) ?? []) : [];
  return { question: question.includes(keys) ? question : `${question} ${keys}`, menu: null };
}
