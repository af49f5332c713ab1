import { isBlank, isKeyHint, type ShownRow } from './shown-rows.ts';

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
const field = /^\p{L}+:\s/u;

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
  const found =
    above.find((row) => isLibraryQuestion(row) || (asks(row.text) && !field.test(row.text))) ??
    above.find(isHeading) ??
    above.find(({ text }) => /\?(?:\s|$)/u.test(text)) ??
    above.find(({ text }) => text.endsWith(':')) ??
    above[0];
  return found === undefined ? null : whole(rows, found);
}

const asks = (text: string): boolean => /[?？]$/u.test(text);

/** Joins a question that wraps, and leaves out what follows a question in its row. */
function whole(rows: readonly ShownRow[], found: ShownRow): ShownRow {
  const inside = /^.*?[?？](?=\s)/u.exec(found.text);
  let text = inside !== null && !librarySign.test(found.text) ? inside[0] : found.text;
  for (let at = rows.indexOf(found) - 1; at >= 0; at--) {
    const before = rows[at];
    const isPart =
      before !== undefined &&
      before.col === found.col &&
      before.text.length >= minWrapped &&
      !/[.?!:。？！]$/u.test(before.text);
    if (!isPart || librarySign.test(found.text)) break;
    text = `${before.text} ${text}`;
  }
  return { ...found, text };
}
