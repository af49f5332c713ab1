import type { Cell } from '#model';

/** The shown screen of a session, from which a question is read. */
export interface ShownScreen {
  /** Without trailing blanks. */
  readonly rows: readonly string[];
  cells(row: number): readonly Cell[];
  readonly cursor: { readonly row: number; readonly col: number; readonly visible: boolean };
}

/** A row without the box around it. */
export interface ShownRow {
  /** The row on the screen, and the first column of the text; counted from 0. */
  readonly row: number;
  readonly col: number;
  readonly text: string;
  /** Whether it is only the top, the bottom or a divider of a box. */
  readonly isRule: boolean;
}

/** What a box or a tree has left and right of the text of a row. */
const leftOfText = /^[\s│┃|║▌└├╰]*/u;
const rightOfText = /[\s│┃|║▐]+$/u;
/** A scroll bar at the right edge, such as that of Qwen Code. */
const scrollBar = /(?:^|\s{2,})[▀▄█]$/u;
/** The top or bottom of a box, a divider. */
const rule = /^[─━═╌╍┄┈╭╮╰╯┌┐└┘├┤┏┓┗┛╔╗╚╝▔▁▀▄\-_=+\s]+$/u;

/** The top or bottom of a box with a text in it: `┌──┤ Main ├──┐`, `└──↓(+)───83%──┘`. */
const edge = /^[┌╭┏╔└╰┗╚]?[─━═]{2,}[^─━═].*[─━═]{2,}[┐╮┓╗┘╯┛╝]$/u;

/** Returns the rows of a screen up to the last one with text. Blank rows have an empty text. */
export function shownRows(rows: readonly string[]): ShownRow[] {
  const end = rows.findLastIndex((row) => row.trim() !== '') + 1;
  return rows.slice(0, end).map((whole, row) => {
    const [before = ''] = leftOfText.exec(whole) ?? [];
    const inside = whole.slice(before.length).replace(rightOfText, '').replace(scrollBar, '');
    const isRule = [whole.trim(), inside].some(
      (each) => each.length > 2 && (rule.test(each) || edge.test(each)),
    );
    return { row, col: before.length, text: isRule ? '' : inside, isRule };
  });
}

export const isBlank = ({ text, isRule }: ShownRow): boolean => text === '' && !isRule;

/** A field in which a text is typed for an agent or a search. */
const field = /^[❯›>](?:\s|$)/u;

/** Returns whether rows have a field for a text: one with its sign, or nothing but blanks between two dividers. */
export const hasField = (rows: readonly ShownRow[]): boolean =>
  rows.some((row, at) => {
    if (field.test(row.text)) return true;
    const next = rows.slice(at + 1).findIndex((each) => !isBlank(each));
    return row.isRule && next > 0 && rows[at + 1 + next]?.isRule === true;
  });

const keyName =
  /\b(?:enter|return|esc|escape|space|tab|ctrl|arrow|arrow-keys|backspace)\b|[↑↓←→⏎↵⇆⇥⎋]/iu;
const keyUse =
  /\b(?:navigate|select|confirm|cancel|submit|choose|toggle|continue|back|amend|exit|interrupt|search|move|highlight|proceed|complete|dismiss|all)\b/iu;

/** Returns whether a row tells which keys a menu takes: `↑↓ navigate • ⏎ select`, `Esc to cancel`. */
export const isKeyHint = (text: string): boolean => keyName.test(text) && keyUse.test(text);

/** Returns whether a row is a choice with its key behind it: `No, and tell it what to do differently (esc)`. */
export const hasOwnKey = (text: string): boolean =>
  /\S\s+\((?:\w|esc|enter|tab|(?:shift|ctrl|alt)\+\w+)\)$/iu.test(text);

const side = /[│║|]/u;
const corner = /[┌╔╭+]/u;

/** Returns the row of the top of the box around a row; -1 if there is none. */
export function topOfBox(rows: readonly string[], row: number): number {
  const col = (rows[row] ?? '').search(side);
  const cornerAbove = (below: number): number =>
    rows.slice(0, below).findLastIndex((each) => corner.test(each[col] ?? ''));
  let top = col < 0 ? -1 : cornerAbove(row);
  // A divider of ASCII characters has the sign of a corner.
  while (top > 0 && side.test(rows[top - 1]?.[col] ?? '')) top = cornerAbove(top);
  return top;
}

/** A question above choices is in one of this many rows with text. */
const maxRows = 14;
/** A longer row that ends without a sign continues in the next one. */
const minWrapped = 40;

/** `? Pick a color`, `◆  Continue?`; also the name of a dialog in the same place: `▶ Run this?`. */
const sign = /^(?:[?◆▲■●▶△☐✋⚠]\uFE0F?)\s+(?=\S)/u;
const librarySign = /^[?◆▲]\s+\S/u;
/** What prompt libraries print behind the question: `›`, `…`, and the keys after it. */
const afterQuestion = /\s*[›…»‣](?:\s.*)?$/u;
/** The heading of a dialog, not a sentence: `△ Permission required`. */
const heading = /^[△⚠✋]\uFE0F?\s+\S/u;
/** `Reason: Do you want more?` */
const labelledField = /^\p{L}+:\s/u;

/** Returns whether a row is the heading of a dialog: `△ Permission required`. */
export const isHeading = ({ text }: ShownRow): boolean => heading.test(text);

/** Returns whether a row is the question of a prompt library. */
export const isLibraryQuestion = ({ text }: ShownRow): boolean => librarySign.test(text);

/** Returns the question of a row of a prompt library: without its sign, and what follows it. */
export const questionText = (text: string): string =>
  text.replace(sign, '').replace(afterQuestion, '').trim();

/** Returns what a prompt library says about keys behind its question: `- Use arrow-keys.` */
export const keysBehind = (text: string): string => {
  const [behind = ''] = afterQuestion.exec(text) ?? [];
  const keys = behind.replace(/^\s*[›…»‣]\s*(?:-\s*)?/u, '').trim();
  return isKeyHint(keys) ? keys : '';
};

/** Returns the row of the question above a row; null if there is no text. */
export function questionAbove(rows: readonly ShownRow[], below: number): ShownRow | null {
  const above: ShownRow[] = [];
  for (const row of rows.slice(0, below).reverse()) {
    // The top of the box, or what divides it from other text.
    if (row.isRule && above.length > 0) break;
    if (!isBlank(row) && !row.isRule) above.push(row);
    if (above.length === maxRows) break;
  }
  const questionRow =
    above.find(
      (row) => isLibraryQuestion(row) || (asks(row.text) && !labelledField.test(row.text)),
    ) ??
    above.find(isHeading) ??
    above.find(({ text }) => /\?(?:\s|$)/u.test(text)) ??
    above.find(({ text }) => text.endsWith(':')) ??
    above[0];
  return questionRow === undefined ? null : whole(rows, questionRow);
}

const asks = (text: string): boolean => /[?？]$/u.test(text);

/** Joins a question that wraps, and leaves out what follows a question in its row. */
function whole(rows: readonly ShownRow[], questionRow: ShownRow): ShownRow {
  const inside = /^.*?[?？](?=\s)/u.exec(questionRow.text);
  let text = inside !== null && !librarySign.test(questionRow.text) ? inside[0] : questionRow.text;
  for (let at = rows.indexOf(questionRow) - 1; at >= 0; at--) {
    const before = rows[at];
    const isPart =
      before !== undefined &&
      before.col === questionRow.col &&
      before.text.length >= minWrapped &&
      !/[.?!:。？！]$/u.test(before.text);
    if (!isPart || librarySign.test(questionRow.text)) break;
    text = `${before.text} ${text}`;
  }
  return { ...questionRow, text };
}
