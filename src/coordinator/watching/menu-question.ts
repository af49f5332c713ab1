/** How many rows at the end of the screen are searched. */
const maxRows = 16;

/** What a box has around the text of a row. */
const box = /^[\s│┃|║▌]+|[\s│┃|║▐]+$/g;
/** The top or bottom of a box. */
const rule = /^[─━═╭╮╰╯┌┐└┘╔╗╚╝\-_=\s]+$/u;

/** The selected choice of a list: `❯ 1. Yes`, `› Yes`, `> 2) No`. */
const selected = /^[❯›▸▶➤>]\s+(?:\d+[.)]\s+\S|(?:yes|no|allow|deny|approve|reject|cancel)\b)/iu;
/** Another choice of such a list. */
const choice = /^(?:\d+[.)]\s+\S|(?:yes|no|allow|deny|approve|reject|cancel)\b)/iu;
/** The question of a prompt library, and a choice below it: `? Pick a color`, `◆ Continue`. */
const libraryQuestion = /^[?◆]\s+\S/u;
const libraryChoice = /^[❯›▸▶➤●◉]\s+\S/u;
/** A question that is answered by a key, wherever the cursor is. */
const byKey =
  /[[(](?:y\/n|yes\/no|y\/n\/a)[\])]\s*:?\??$|\bpress (?:enter|return|any key|y)\b.*\b(?:continue|proceed|confirm|exit)/i;

/**
 * Returns the question that a program asks by a menu of choices, as coding agents and installers do:
 * they wait for much besides the terminal, and the cursor is not behind the question. Null if there is
 * none at the end of the rows.
 *
 * @param rows of the screen, without trailing blanks
 */
export function menuQuestion(rows: readonly string[]): string | null {
  const shown = rows
    .map((row) => row.replace(box, ''))
    .filter((row) => row !== '' && !rule.test(row));
  const last = shown.slice(-maxRows);
  return (
    listQuestion(last) ??
    libraryMenu(last) ??
    last.slice(-2).findLast((row) => byKey.test(row)) ??
    null
  );
}

function listQuestion(rows: readonly string[]): string | null {
  const at = rows.findLastIndex((row) => selected.test(row));
  if (at < 0 || ![rows[at - 1], rows[at + 1]].some((row) => choice.test(row ?? ''))) return null;
  return rows.slice(0, at).findLast((row) => row.endsWith('?')) ?? rows[at] ?? null;
}

function libraryMenu(rows: readonly string[]): string | null {
  const at = rows.findLastIndex((row) => libraryQuestion.test(row));
  if (at < 0 || !rows.slice(at + 1).some((row) => libraryChoice.test(row))) return null;
  return rows[at]?.slice(1).trim() ?? null;
}
