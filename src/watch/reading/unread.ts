import type { LineFormat, LineSource, NumberedText, Readable } from '../watched.ts';
import { beginsAsMarked, type Mark } from './read-mark.ts';
import { givenLines, keptLines, type Stretch } from './stretches.ts';

/**
 * Returns the lines above the screen and of the primary screen that were printed on after a mark, as
 * they are now. The marked line is included from the mark on, or whole if it was rewritten.
 *
 * @param above has the lines above the screen; default: the scrollback
 */
export function unreadLines(
  session: Readable,
  mark: Mark,
  format: LineFormat,
  above: LineSource = session,
): Stretch[] {
  const { topLine } = session.terminal;
  const first = Math.max(above.terminal.firstLine, firstUnread(session, mark));
  // Single lines that have left the screen are not tracked: all from the first are included.
  return [
    keptLines(above, first, Math.min(topLine, mark.line), format),
    ...(mark.line >= first && mark.line < topLine ? addedToLine(above, mark, format) : []),
    keptLines(above, Math.max(first, mark.line + 1), topLine, format),
    ...shownLines(session, Math.max(first, topLine), mark, format),
  ];
}

/** Returns the first line that was printed on after a mark, whether it is kept or not. */
export const firstUnread = ({ terminal }: Readable, mark: Mark): number =>
  Math.min(mark.line, terminal.rewrittenFrom(mark.revision));

/**
 * As {@link unreadLines}, line by line as text, with the index at which the new text begins.
 *
 * @param atLeast the first line to return
 */
export function* unreadParts(session: Readable, mark: Mark, atLeast = 0): Generator<UnreadPart> {
  const { firstLine, topLine, endLine } = session.terminal;
  const first = Math.max(firstLine, atLeast, firstUnread(session, mark));
  for (const read of session.lineTexts(first, endLine, 'spaced')) {
    if (read.line >= topLine && !session.terminal.printedAfter(read.line, mark.revision)) continue;
    yield unreadPart(mark, read);
  }
}

/** A line, and the index at which its new text begins. */
export interface UnreadPart extends NumberedText {
  readonly from: number;
}

/** @param read a line as text with spaces in place of tabs */
export const unreadPart = (mark: Mark, { line, text }: NumberedText): UnreadPart => ({
  ...{ line, text },
  from: line === mark.line ? seenLength(mark, text) : 0,
});

function addedToLine(session: LineSource, mark: Mark, format: LineFormat): Stretch[] {
  const marked = session.writtenText(mark.line);
  const seen = marked === undefined ? 0 : seenLength(mark, marked);
  if (marked === undefined || marked.length <= seen) return [];
  // A rendering with styles cannot be cut at an index of its text.
  if (format === 'ansi') return [keptLines(session, mark.line, mark.line + 1, format)];
  const from = session.colAfter(mark.line, seen);
  return [givenLines(mark.line, [session.linePart(mark.line, { from })])];
}

/** Returns how much of the marked line had been read: 0 if the line has been rewritten since. */
function seenLength(mark: Mark, text: string): number {
  return beginsAsMarked(mark, text) ? mark.length : 0;
}

/**
 * Returns the lines on the screen that were printed on after the mark, and empty lines between
 * them.
 */
function shownLines(session: Readable, from: number, mark: Mark, format: LineFormat): Stretch[] {
  const found: Stretch[] = [];
  let blank: Stretch[] = [];
  for (const { line, text } of session.lineTexts(from, session.terminal.endLine, format)) {
    if (session.terminal.printedAfter(line, mark.revision)) {
      found.push(...blank);
      blank = [];
      if (line === mark.line) found.push(...addedToLine(session, mark, format));
      else found.push(givenLines(line, [text]));
    } else if (line > mark.line && text.trim() === '') blank.push(givenLines(line, [text]));
  }
  return found;
}
