import type { Cell, Style } from '#model';
import type { ShownScreen } from '#watch';

/** The field at the end of an agent's screen in which its next prompt is typed. */
export interface Composer {
  /** The first row inside the frame. */
  readonly top: number;
  /** One past the last row, with the frame. */
  readonly bottom: number;
  /** What is in it, without frame and sign: a draft, or a hint. */
  readonly text: string;
  /** Whether the cursor is in it, also if it is hidden. */
  readonly hasCursor: boolean;
}

/** A cell of the screen, counted from 0. */
interface Position {
  readonly row: number;
  readonly col: number;
}

/** The top or the bottom of a field: a row of one line-drawing character, which may contain a label. */
const edge = /^\s*[╭╰┌└┏┗╹╻╔╚▗▝▖▘]?([─━═▀▄▔▁╌])(?:\1{8,}|\1+ \S.{0,60} \1{3,}[╮╯┐┘┓┛╗╝]?\s*$)/u;
/** The left side of a field. */
const side = /^\s*([│┃║▌▏▎])(?:\s|$)/u;
/** A character of the frame. */
const bar = /^[│┃║▌▐▏▎▕]$/u;
const rightSide = /[\s│┃║▐▕]+$/u;
/** The sign before a prompt. */
const sign = /^(?:[❯›>»●!$#/*?]|\(.{1,20}\)\s?>)(?:\s|$)/u;
/** An option of a menu. */
const option = /^(?:[❯›>▸▶➤→●○◉◯☐☑]\s+)?(?:\d{1,2}[.)]|\[[ x\d]\]|\[y\])\s/iu;
/** An option with the pointer of a menu, which a text behind the sign of a prompt is not. */
const pointed = /^[▸▶➤→]\s/u;
/** Keys of a menu. */
const menuKeys =
  /(?:\benter|\breturn|⏎|↵)\b.{0,16}\b(?:select|confirm|choose|submit answer|submit|continue|allow|save|accept)\b|↑↓|↑\/↓|\besc(?:ape)?\b.{0,4}\b(?:back|go back|close|dismiss)\b/iu;

/** A sign that turns while the agent works. */
const turning = /^[\u2801-\u28ff]\s/u;

/** The most rows with text below a field. */
const maxFooter = 6;
/** The most rows of a field, its frame included. */
const maxRows = 16;

/** Whether a row is the top or the bottom of a field. */
export const isEdge = (row: string): boolean => edge.test(row);

/** A label in an edge may have characters of two columns. */
const maxWider = 4;

/** Whether two edges can be those of one field; rules that are typed into it are shorter. */
const isAsWide = (one: string, other: string): boolean =>
  Math.abs(one.trimEnd().length - other.trimEnd().length) <= maxWider;

const isText = (row: string | undefined): row is string =>
  row !== undefined && row.trim() !== '' && !edge.test(row);

/** Returns the field at the end of a screen; null if there is none, as below a dialog. */
export function findComposer(screen: ShownScreen): Composer | null {
  return framed(screen) ?? barred(screen) ?? signed(screen);
}

/** A field between two edges, in a box, or with a bar at its left side. */
function framed(screen: ShownScreen): Composer | null {
  const { rows } = screen;
  let footer = 0;
  for (let bottom = rows.length - 1; bottom > 0; bottom--) {
    const row = rows[bottom] as string;
    if (!edge.test(row)) {
      if (isText(row) && ++footer > maxFooter) return null;
      continue;
    }
    const top = topOf(rows, bottom);
    if (top === null) continue;
    const inner = rows.slice(top, bottom).map(inside);
    if (inner.length === 0) continue;
    const first = inner.find((each) => each !== '') ?? '';
    const hasCursor = holdsCursor(screen, top, bottom) || leavesCursor(screen, first);
    const isDraft = (screen.cursor.visible || sign.test(first)) && isDrafted(screen, top, bottom);
    // A dialog, perhaps with a field in it.
    const isDialog = inner.some(isEdge) || (!isDraft && isMenu(inner));
    const painted = isDialog ? paintedDraft(screen, top, bottom) : null;
    if (isMenu(rows.slice(bottom + 1)) || (isDialog && painted === null)) return null;
    if (!hasCursor && !sign.test(first)) continue;
    const isSure = hasCursor && painted !== 'doubtful';
    return { top, bottom: bottom + 1, text: textOf(inner), hasCursor: isSure };
  }
  return null;
}

const holdsCursor = ({ cursor }: ShownScreen, top: number, bottom: number): boolean =>
  cursor.row >= top && cursor.row < bottom;

/**
 * Whether the cursor is hidden at the beginning of the row below all text, where some libraries leave it, wherever one
 * types. A field then shows the sign of a prompt, and a dialog a question.
 *
 * @param first what the field shows first
 */
function leavesCursor({ rows, cursor }: ShownScreen, first: string): boolean {
  const last = rows.findLastIndex((row) => row.trim() !== '');
  return sign.test(first) && !cursor.visible && cursor.col === 0 && cursor.row > last;
}

/** Characters that may take two columns. */
const wide = /[\u1100-\u{1ffff}]/gu;

/**
 * Whether the cursor stands in or behind a text that is typed into a field, which may look as a dialog does. In a
 * dialog, the cursor is before a choice or elsewhere.
 */
function isTyped(
  { rows, cursor }: Pick<ShownScreen, 'rows'> & { readonly cursor: Position },
  top: number,
  bottom: number,
): boolean {
  const row = (rows[cursor.row] ?? '').replace(rightSide, '');
  const text = inside(row).replace(sign, '');
  if (cursor.row < top || cursor.row >= bottom || text === '') return false;
  const spare = text.match(wide)?.length ?? 0;
  return cursor.col > row.length - text.length && cursor.col <= row.length + spare + 1;
}

/** Whether a text that may look as a dialog does is typed: behind a field of a dialog are choices, painted otherwise. */
function isDrafted(screen: ShownScreen, top: number, bottom: number): boolean {
  const { rows, cursor } = screen;
  if (!isTyped(screen, top, bottom)) return false;
  if (isLastRow(screen, cursor.row, bottom)) return true;
  if (isPaintedAlike(screen, top, bottom, cursor)) return true;
  // Below the draft and a blank row, some fields name their model.
  const end = rows.findIndex((row, at) => at > cursor.row && inside(row) === '');
  const isLast = end === cursor.row + 1 && end < bottom;
  return isLast && isPaintedAlike(screen, top, end, cursor) && !isMenu(rows.slice(end, bottom));
}

/** Whether no text follows a row of a field. */
const isLastRow = ({ rows }: ShownScreen, row: number, bottom: number): boolean =>
  rows.slice(row + 1, bottom).every((each) => inside(each) === '');

/**
 * Tells a draft that looks as a dialog does from a dialog, by the cursor that the program paints itself: it stands in or
 * behind the text, and all of the text is painted alike. A dialog paints its choice in another way. Doubtful if the
 * cursor is not behind the text, or behind a choice, where a dialog without colours may have a field. Null if it is a
 * dialog.
 */
function paintedDraft(
  screen: ShownScreen,
  top: number,
  bottom: number,
): 'sure' | 'doubtful' | null {
  const { rows } = screen;
  const cursor = paintedCursor(screen, top, bottom);
  if (cursor === null || !isTyped({ rows, cursor }, top, bottom)) return null;
  if (!isPaintedAlike(screen, top, bottom, cursor)) return null;
  const isLast = isLastRow(screen, cursor.row, bottom);
  const row = inside(rows[cursor.row] ?? '');
  return isLast && !option.test(row) && !pointed.test(row) ? 'sure' : 'doubtful';
}

/** Returns the only cell of some rows that is inverse, or has a background, alone in its row; null if there is none. */
function paintedCursor(screen: ShownScreen, top: number, bottom: number): Position | null {
  const cursors: Position[] = [];
  for (let row = top; row < bottom; row++) {
    const cells = [...screen.cells(row).entries()].filter(
      ([, { text, width }]) => width > 0 && !bar.test(text),
    );
    const paints = cells.map(([, { style }]) => `${style.inverse} ${style.bg}`);
    for (const [at, [col]] of cells.entries()) {
      const isAlone = paints[at] !== paints[at - 1] && paints[at] !== paints[at + 1];
      if (isAlone) cursors.push({ row, col });
    }
  }
  const [cursor = null] = cursors;
  return cursors.length === 1 ? cursor : null;
}

/** Whether all characters of a field have one style, but for its frame, its sign and the cursor. */
function isPaintedAlike(
  screen: ShownScreen,
  top: number,
  bottom: number,
  cursor: Position,
): boolean {
  const styles = new Set<string>();
  for (let row = top; row < bottom; row++) {
    const begin = row === top ? textBegin(screen.rows[row] ?? '') : 0;
    for (const [col, { text, style }] of screen.cells(row).entries()) {
      const isCursor = row === cursor.row && col === cursor.col;
      if (col < begin || isCursor || text.trim() === '' || bar.test(text)) continue;
      styles.add(JSON.stringify(style));
    }
  }
  return styles.size === 1;
}

/** Returns the first row inside a frame whose bottom is known; null if it has no top. */
function topOf(rows: readonly string[], bottom: number): number | null {
  const isBarred = side.test(rows[bottom - 1] ?? '');
  for (let top = bottom - 1; top >= Math.max(0, bottom - maxRows); top--) {
    const row = rows[top] as string;
    if (isEdge(row) && isAsWide(row, rows[bottom] as string)) return top + 1;
    if (isBarred && !side.test(row)) return top + 1;
  }
  return null;
}

/**
 * A field with no more than a bar at its left side, a blank row above its text, and a sign before that, while the cursor
 * is hidden below all text. Some show the sign before a hint only, and paint a cursor behind a draft. Messages above it
 * may have such a bar, too.
 */
function barred(screen: ShownScreen): Composer | null {
  const { rows } = screen;
  const end = rows.findLastIndex((row) => side.test(row)) + 1;
  const footer = rows.slice(end).filter(isText);
  const top = rows.slice(0, end).findLastIndex((row) => !side.test(row)) + 1;
  const inner = rows.slice(top, end).map(inside);
  const [first = ''] = inner.filter((each) => each !== '');
  const isBelow = !screen.cursor.visible && screen.cursor.row > end;
  const isDraft = isBelow && !sign.test(first) && paintedDraft(screen, top, end) === 'sure';
  const isField =
    inner[0] === '' && inner.length <= maxRows && (isDraft || leavesCursor(screen, first));
  const isDialog =
    footer.some((row) => menuKeys.test(row)) || inner.some((row) => option.test(row));
  if (!isField || isDialog || footer.length > 2) return null;
  const hasCursor = !inner.some((row) => turning.test(row));
  return { top, bottom: end, text: textOf(inner.slice(1)), hasCursor };
}

/** A field without a frame: a sign at the beginning of a row, and the cursor behind it. */
function signed(screen: ShownScreen): Composer | null {
  const { rows, cursor } = screen;
  if (!cursor.visible) return null;
  let top = cursor.row;
  while (top > 0 && /^(?:\s{2,}\S|$)/u.test(rows[top] ?? '')) top--;
  const first = rows[top] ?? '';
  if (!/^[❯›>»](?:\s|$)/u.test(first) || (top === cursor.row && cursor.col < 2)) return null;
  const below = rows.slice(cursor.row + 1);
  const next = below.findIndex((row) => row.trim() === '' || edge.test(row));
  const near = next < 0 ? rows.length : cursor.row + 1 + next;
  const bottom = isMenu(rows.slice(near).filter(isText)) ? draftEnd(screen, near) : near;
  const footer = rows.slice(bottom).filter(isText);
  const inner = rows.slice(top, bottom).map((row) => row.trim());
  if (footer.length > maxFooter || isMenu(footer)) return null;
  const field = { top, bottom, text: textOf(inner), hasCursor: true };
  // Behind a blank row, it may be a dialog below an earlier prompt.
  const mayBeEarlier = inner.includes('');
  if (!isMenu(inner)) return { ...field, hasCursor: !mayBeEarlier || inner.length <= maxRows };
  // Among other choices, it is the field of a dialog.
  if (!isTyped(screen, top, bottom) || option.test((rows[top - 1] ?? '').trim())) return null;
  return { ...field, hasCursor: !mayBeEarlier };
}

/**
 * Returns where a draft ends whose paragraphs go on below the cursor: one past the last row that is indented and painted
 * as the text at the cursor is, unlike a footer.
 *
 * @param from the first blank row below the cursor
 */
function draftEnd(screen: ShownScreen, from: number): number {
  const { rows, cursor } = screen;
  const styleIn = (row: number) => {
    const cell = screen.cells(row).find(({ text }, col) => col > 1 && text.trim() !== '');
    return cell && JSON.stringify(cell.style);
  };
  const typed = styleIn(cursor.row);
  let end = from;
  for (let at = from; at < rows.length; at++) {
    if ((rows[at] ?? '').trim() === '') continue;
    if (!/^\s{2}/u.test(rows[at] ?? '') || styleIn(at) !== typed) break;
    end = at + 1;
  }
  return end;
}

/** Returns whether rows are those of a dialog: options, or the keys that choose one. */
function isMenu(rows: readonly string[]): boolean {
  const texts = rows.map((row) => inside(row));
  const options = texts.filter((text) => option.test(text)).length;
  return options > 1 || texts.some((text) => pointed.test(text) || menuKeys.test(text));
}

/** Returns the text of a row without the frame around it. */
const inside = (row: string): string => row.replace(/^[\s│┃║▌▏▎]+/u, '').replace(rightSide, '');

/** Returns the column behind the frame and the sign of a row. */
const textBegin = (row: string): number =>
  row.length - row.replace(/^[\s│┃║▌▏▎]+/u, '').replace(sign, '').length;

const textOf = (inner: readonly string[]): string =>
  inner
    .map((row, at) => (at === 0 ? row.replace(sign, '') : row).trim())
    .join('\n')
    .trim();

/** A hint is painted in a grey between these lightnesses, 0..255, or in a colour that differs from it by at most `tint`. */
const grey = { from: 0x40, to: 0xc8, tint: 0x28 } as const;

/** Whether a cell is painted as programs paint hints: dim, or in grey. */
function isFaint(cell: Cell | undefined): boolean {
  const { dim = false, fg = null }: Partial<Style> = cell?.style ?? {};
  if (typeof fg === 'number') return dim || fg === 8 || (fg >= 238 && fg <= 250);
  if (fg === null) return dim;
  const parts = [1, 3, 5].map((at) => Number.parseInt(fg.slice(at, at + 2), 16));
  const [most, least] = [Math.max(...parts), Math.min(...parts)];
  return dim || (most - least <= grey.tint && most >= grey.from && most <= grey.to);
}

/**
 * Returns the text that somebody has typed into a field, and has not submitted; empty if there is none. The cursor stands
 * behind it; at the beginning of a hint it stands before a text that is painted faintly.
 */
export function draftIn(screen: ShownScreen, { top, bottom, text }: Composer): string {
  const { rows, cursor } = screen;
  if (text === '') return '';
  const isInside = cursor.row >= top && cursor.row < bottom;
  const row = isInside
    ? cursor.row
    : rows.findIndex((each, at) => at >= top && inside(each) !== '');
  const whole = rows[row] ?? '';
  const begin = textBegin(whole);
  const before = isInside ? whole.slice(begin, Math.max(begin, cursor.col)).trim() : '';
  const above = rows.slice(top, row).map((each) => inside(each).replace(sign, '').trim());
  if (before !== '' || above.some((each) => each !== '')) return text;
  // The first cell may be painted as a cursor.
  const cells = screen.cells(row);
  const first = cells.findIndex((cell, col) => col > begin && cell.text.trim() !== '');
  const isTyped = whole.slice(begin).trim() !== '' && first >= 0 && !isFaint(cells[first]);
  return isTyped && !/[\u2500-\u257f]/u.test(cells[first]?.text ?? '') ? text : '';
}
