import { cellsText, counted } from '#model';
import type { Cols, Row } from './row-cells.ts';
import {
  type CopyTarget,
  comparePlaces,
  lineOf,
  type Place,
  type Scroll,
  type SelectionKind,
  type ViewLine,
} from './scroll.ts';
import { type Step, step, type ViewState, withNotice } from './view-state.ts';

/** A selection from its first to its last character, both included. */
export interface Selected {
  readonly kind: SelectionKind;
  readonly from: Place;
  readonly to: Place;
}

/** Returns what is selected; null if nothing is. */
export function selected({ selection, cursor }: Scroll): Selected | null {
  if (selection === null) return null;
  const { kind, anchor } = selection;
  const [from, to] = comparePlaces(anchor, cursor) <= 0 ? [anchor, cursor] : [cursor, anchor];
  return { kind, from, to };
}

/** Returns the columns of a line that are selected; null if none are. */
export function selectedCols({ kind, from, to }: Selected, line: number, cells: Row): Cols | null {
  if (line < from.line || line > to.line) return null;
  const { length } = cells;
  if (kind === 'lines') return { from: 0, to: Math.max(1, length) };
  const first = kind === 'block' ? Math.min(from.col, to.col) : from.col;
  const last = kind === 'block' ? Math.max(from.col, to.col) : to.col;
  const cols =
    kind === 'block'
      ? { from: first, to: last + 1 }
      : {
          from: line === from.line ? first : 0,
          // The end of a line is selected, too: it is seen as one column.
          to: line === to.line ? last + 1 : Math.max(1, length),
        };
  return { from: cols.from, to: cols.to + (cells[cols.to]?.width === 0 ? 1 : 0) };
}

/** Whether all lines of a selection have been read. */
function isRead(scroll: Scroll, { from, to }: Selected): boolean {
  for (let line = from.line; line <= to.line; line++) {
    if (lineOf(scroll, line) === undefined) return false;
  }
  return true;
}

/**
 * Returns the text of a selection: lines that are wrapped are one, without blanks at their ends.
 *
 * @param texts lines that have not been read, from the one after the first
 */
function selectedText(scroll: Scroll, selection: Selected, texts: readonly string[] = []): string {
  const { from, to } = selection;
  const lines: string[] = [];
  for (let line = from.line; line <= to.line; line++) {
    const read = lineOf(scroll, line);
    const text = texts[line - from.line - 1];
    const isInner = line > from.line && line < to.line;
    if (isInner && text !== undefined) lines.push(text.trimEnd());
    else if (read !== undefined)
      lines.push(partOf(read, selectedCols(selection, line, read.cells)));
  }
  return lines.join('\n');
}

const noCols: Cols = { from: 0, to: 0 };

/** Returns the text of a part of a line, with the tabs of which all columns are selected. */
function partOf(line: ViewLine, cols: Cols | null): string {
  const { from, to } = cols ?? noCols;
  const text = tabbedPart(line, from, to) ?? cellsText(line.cells.slice(from, to));
  return text.trimEnd();
}

/** Columns between tab stops, as programs expect them. */
const tabCols = 8;

/** Returns null if the line has no tabs, or if the terminal had other tab stops. */
function tabbedPart({ cells, tabbed }: ViewLine, from: number, to: number): string | null {
  if (!tabbed.includes('\t')) return null;
  let text = '';
  let col = 0;
  for (let at = 0; at < tabbed.length && col < cells.length; ) {
    const isTab = tabbed[at] === '\t';
    const own = isTab ? '\t' : (cells[col]?.text ?? '');
    if (!tabbed.startsWith(own, at)) return null;
    at += own.length;
    const end = isTab ? (Math.floor(col / tabCols) + 1) * tabCols : col + (cells[col]?.width ?? 1);
    if (col >= from && end <= to) text += own;
    else if (isTab) text += ' '.repeat(Math.max(0, Math.min(end, to) - Math.max(col, from)));
    col = end;
  }
  return text;
}

const wordCharacter = /[\p{L}\p{N}\p{M}_]/u;

type CharacterClass = 'blank' | 'word' | 'other';

function classAt(cells: Row, col: number): CharacterClass {
  const text = cells[cells[col]?.width === 0 ? col - 1 : col]?.text ?? ' ';
  if (text.trim() === '') return 'blank';
  return wordCharacter.test(text) ? 'word' : 'other';
}

/** Returns the columns of the word at a column, or of the blanks. */
export function wordAt(cells: Row, col: number): Cols {
  const kind = classAt(cells, col);
  let from = col;
  let to = col + 1;
  while (from > 0 && classAt(cells, from - 1) === kind) from--;
  while (to < cells.length && classAt(cells, to) === kind) to++;
  return { from, to };
}

/** Returns the column of the next word's start, or of a word's end; null if there is none. */
export function nextWord(cells: Row, col: number, part: 'start' | 'end'): number | null {
  if (part === 'start') {
    for (let at = wordAt(cells, col).to; at < cells.length; at = wordAt(cells, at).to) {
      if (classAt(cells, at) !== 'blank') return at;
    }
    return null;
  }
  for (let at = col + 1; at < cells.length; at++) {
    if (classAt(cells, at) !== 'blank') return wordAt(cells, at).to - 1;
  }
  return null;
}

/** Returns the column where the word before starts; null if there is none. */
export function wordBefore(cells: Row, col: number): number | null {
  for (let at = col - 1; at >= 0; at--) {
    if (classAt(cells, at) !== 'blank') return wordAt(cells, at).from;
  }
  return null;
}

const clipboard: CopyTarget = { type: 'clipboard' };

/** Copies what is selected. Lines that have not been read are read first. */
export function withCopy(state: ViewState, scroll: Scroll, target: CopyTarget = clipboard): Step {
  const selection = selected(scroll);
  if (selection === null) return step(state);
  if (isRead(scroll, selection)) {
    return copied({ ...state, scroll }, selectedText(scroll, selection), { target });
  }
  if (selection.kind === 'block') {
    return step(withNotice(state, 'this block is too long to copy; select lines with V'));
  }
  const id = (scroll.copying?.id ?? 0) + 1;
  const copying = { id, target, ...selection };
  const from = selection.from.line + 1;
  const to = Math.min(selection.to.line, scroll.frozen.from);
  return step({ ...state, scroll: { ...scroll, copying } }, { type: 'readTexts', id, from, to });
}

/** The lines of a long selection have been read. */
export function withTexts(
  state: ViewState,
  scroll: Scroll,
  id: number,
  texts: readonly string[],
): Step {
  const { copying } = scroll;
  if (copying?.id !== id) return step(state);
  const selection: Selected = copying;
  const next = { ...state, scroll: { ...scroll, copying: null } };
  return copied(next, selectedText(scroll, selection, texts), { target: copying.target });
}

/**
 * Copies a text. How much it is, is told when something has it.
 *
 * @param of what it is, such as ` of ls`
 */
export function copied(
  state: ViewState,
  text: string,
  { target = clipboard, of = '' }: { readonly target?: CopyTarget; readonly of?: string } = {},
): Step {
  if (text === '') return step(withNotice(state, `nothing to copy${of}`));
  const lines = text.split('\n').length;
  const size = lines === 1 ? counted([...text].length, 'character') : `${lines} lines`;
  return step(state, { type: 'copy', text, size: `${size}${of}`, to: target });
}
