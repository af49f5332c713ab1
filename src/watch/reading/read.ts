import {
  checkBudget,
  checkOutputFormat,
  type Excerpt,
  hidesText,
  type OutputPosition,
  outputFormats,
  type ReadGap,
  type ReadRequest,
  type ReadResult,
  shownLines,
  VtrError,
} from '#model';
import type { Transcript, TranscriptRow } from '../transcript/transcript.ts';
import type { LineSource, Readable, ReadableTerminal, ShownRow, TextFormat } from '../watched.ts';
import { emptyExcerpt, excerpt, rawPart } from './excerpt.ts';
import { type Mark, markNow, parseMark } from './read-mark.ts';
import { pairRows } from './shown-rows.ts';
import { givenLines, keptLines, type Stretch, Stretches, unreadLines } from './stretches.ts';

const noGap = { lines: 0, bytes: 0 };

/** Returns the output after a mark. @throws VtrError INVALID_MARK, INVALID_ARGUMENT */
export function read(session: Readable, request: ReadRequest): ReadResult {
  const format = checkOutputFormat(request.format ?? 'text', outputFormats);
  checkBudget(request);
  const mark = request.since === undefined ? null : parseMark(session, request.since);
  if (format === 'raw') return readRaw(session, mark, request);
  if (mark !== null && session.terminal.changedRows(mark.revision).length === 0) {
    return { kind: 'unchanged', text: emptyExcerpt, gap: noGap, fromLine: null, ...end(session) };
  }
  return readText(session, mark, request, format);
}

/**
 * Returns the output after a mark as text, on either screen, also what has left the scrollback.
 *
 * @param end what follows it is left out; default: nothing is
 */
export function outputSince(
  session: Readable,
  mark: Mark,
  budget: ReadRequest,
  end: OutputPosition | null = null,
): Excerpt {
  if (session.terminal.changedRows(mark.revision).length === 0) return emptyExcerpt;
  const { all } = session;
  const unread = upTo(all, unreadLines(session, mark, 'text', all), end, 'text');
  const shown = session.shownAt(mark.revision);
  if (!session.terminal.alternate || !shown?.alternate)
    return excerpt(withScreen(session, unread, 'text'), budget);
  const rows = newRows(shown.rows, session.shownRows().rows, session.screenRows());
  return excerpt(new Stretches([...unread, givenLines(null, rows)]), budget);
}

/**
 * Returns the rows that were not on the screen before, and the empty ones between them.
 *
 * @param texts of the rows of `now`, as the answer shows them
 */
function newRows(
  before: readonly ShownRow[],
  now: readonly ShownRow[],
  texts: readonly string[],
): string[] {
  const pairs = pairRows(before, now, () => true);
  const rows: string[] = [];
  let empty: string[] = [];
  for (const [row, { text }] of now.entries()) {
    if (text === '') empty.push('');
    else if ((pairs[row] ?? -1) < 0) rows.push(...(rows.length > 0 ? empty : []), texts[row] ?? '');
    // Rows from before are between this one and the next.
    if (text !== '') empty = [];
  }
  return rows;
}

/** Returns the lines before a position: that of the alternate screen is before none of them. */
function upTo(
  session: Pick<LineSource, 'linePart'>,
  stretches: readonly Stretch[],
  end: OutputPosition | null,
  format: TextFormat,
): readonly Stretch[] {
  if (end === null || end.line === null) return stretches;
  const { line, col } = end;
  return stretches.flatMap((stretch) => {
    const { fromLine, count } = stretch;
    if (fromLine === null || fromLine + count <= line) return stretch;
    const before = fromLine < line ? [stretch.part(0, line - fromLine)] : [];
    if (fromLine > line || col === 0) return before;
    const [shown = ''] = stretch.texts(line - fromLine, line - fromLine + 1);
    // The beginning of the mark's line may be missing from the stretch.
    const hidden = session.linePart(line, {}, format).length - shown.length;
    const text = session.linePart(line, { to: col }, format).slice(hidden);
    return [...before, ...(text === '' ? [] : [givenLines(line, [text])])];
  });
}

/**
 * Returns the unread lines, and on the alternate screen its rows after them. The mark of the result is
 * after both.
 */
function readText(
  session: Readable,
  mark: Mark | null,
  request: ReadRequest,
  format: TextFormat,
): ReadResult {
  if (mark === null) return readKept(session, request, format);
  const unread = upTo(session, unreadLines(session, mark, format), request.until ?? null, format);
  return readStretches(session, unread, request, format, mark.line);
}

const textFormats: readonly TextFormat[] = ['text', 'ansi'];

/**
 * Returns the output of a session as it was then. The mark of the result is that of the time.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function readEarlier(session: EarlierReadable, request: ReadRequest): ReadResult {
  if (request.since !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', 'a time and a mark cannot be used together');
  }
  if (request.format === 'raw') {
    const message = 'raw output has no times; use record in the format raw';
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  checkBudget(request);
  return readKept(session, request, checkOutputFormat(request.format ?? 'text', textFormats));
}

/** Returns all output that is kept. */
function readKept(session: EarlierReadable, request: ReadRequest, format: TextFormat): ReadResult {
  const { firstLine, endLine } = session.terminal;
  const stretch = keptLines(session, firstLine, endLine, format);
  return readStretches(session, [stretch], request, format, 0);
}

/** Returns the lines from a line on that have left the scrollback; lost ones of an earlier program do not count. */
export function gapFrom(
  { oldestLine, startLine = 0, terminal: { firstLine } }: EarlierReadable,
  from: number,
  to = Number.POSITIVE_INFINITY,
): ReadGap {
  const oldest = Math.min(firstLine, oldestLine);
  const lines = Math.max(0, Math.min(oldest, to) - Math.max(from, startLine));
  const earlier = Math.max(0, Math.min(firstLine, to) - Math.max(from, oldest));
  return { lines, bytes: 0, ...(earlier > 0 && { earlier }) };
}

function readStretches(
  session: EarlierReadable,
  stretches: readonly Stretch[],
  request: ReadRequest,
  format: TextFormat,
  from: number,
): ReadResult {
  const lines = withScreen(session, stretches, format);
  const text = excerpt(lines, request);
  const fromLine = lines.lineAt(0);
  const tells = request.tellHidden === true && fromLine !== null;
  return {
    kind: session.terminal.alternate ? 'screen' : 'lines',
    text,
    gap: gapFrom(session, from),
    fromLine,
    ...(tells && { hidden: hasHidden(session, text, fromLine) }),
    ...end(session),
  };
}

/** Returns whether the lines that an excerpt shows contain invisible text. */
function hasHidden(session: EarlierReadable, shown: Excerpt, first: number): boolean {
  if (shown.head === '' && shown.tail === '') return false;
  for (const { from, to = session.terminal.endLine } of shownLines(shown, { from: first })) {
    for (const { text } of session.lineTexts(from, to, 'ansi')) if (hidesText(text)) return true;
  }
  return false;
}

/**
 * Adds the rows of the alternate screen if it is shown: down to the last that is not empty, and below
 * other lines from the first that is not empty.
 */
function withScreen(
  session: Pick<EarlierReadable, 'terminal' | 'screenRows'>,
  stretches: readonly Stretch[],
  format: TextFormat,
): Stretches {
  const lines = new Stretches(stretches);
  if (!session.terminal.alternate) return lines;
  const rows = session.screenRows(format);
  const first =
    lines.count === 0
      ? 0
      : Math.max(
          0,
          rows.findIndex((row) => row !== ''),
        );
  const last = rows.findLastIndex((row) => row !== '');
  return new Stretches([...stretches, givenLines(null, rows.slice(first, last + 1))]);
}

/**
 * Returns the rows of a transcript that were first shown after a mark.
 *
 * @param end of the transcript
 * @param texts returns the texts of rows as the answer shows them
 * @throws VtrError INVALID_MARK, INVALID_ARGUMENT
 */
export function readTranscript(
  session: Readable,
  transcript: Transcript,
  request: ReadRequest,
  end: Pick<ReadResult, 'mark' | 'revision'>,
  texts: (rows: readonly TranscriptRow[]) => readonly string[],
): ReadResult {
  checkTranscript(request);
  const mark = request.since === undefined ? null : parseMark(session, request.since);
  const rows = transcript.rows({ aboveScreen: request.aboveScreen ?? false });
  const unread = mark === null ? rows : rows.filter(({ offset }) => offset > mark.offset);
  const text = excerpt(new Stretches([givenLines(null, texts(unread))]), request);
  return {
    kind: mark !== null && unread.length === 0 ? 'unchanged' : 'transcript',
    text,
    gap: { lines: transcript.dropped, bytes: 0 },
    fromLine: null,
    uncertain: unread.flatMap(({ isUncertain }, line) => (isUncertain ? [line] : [])),
    ...end,
  };
}

/** @throws VtrError INVALID_ARGUMENT */
function checkTranscript(request: ReadRequest): void {
  checkBudget(request);
  const { format = 'text', at, since } = request;
  if (format !== 'text') {
    throw new VtrError('INVALID_ARGUMENT', `a transcript has no format ${format}; leave it out`);
  }
  if (at !== undefined && since !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', 'a time and a mark cannot be used together');
  }
}

function readRaw(session: Readable, mark: Mark | null, request: ReadRequest): ReadResult {
  const chunks = [...session.rawOutput(mark?.offset ?? 0)];
  const start = chunks[0]?.offset ?? session.outputEnd;
  const raw = rawPart(chunks, start, session.outputEnd, request);
  const gap = { lines: 0, bytes: Math.max(0, start - (mark?.offset ?? 0)) };
  const kind = session.outputEnd === start && gap.bytes === 0 ? 'unchanged' : 'raw';
  return { kind, text: emptyExcerpt, raw, gap, fromLine: null, ...end(session) };
}

function end(session: EarlierReadable) {
  return { mark: markNow(session), revision: session.terminal.revision };
}

type EarlierParts =
  | 'revision'
  | 'shownRevision'
  | 'firstLine'
  | 'endLine'
  | 'alternate'
  | 'textBytes'
  | 'linePosition';

/** A session as it was. */
export interface EarlierReadable
  extends Pick<
    Readable,
    'id' | 'oldestLine' | 'outputEnd' | 'lineTexts' | 'screenRows' | 'grownBytes'
  > {
  /** As in {@link Readable}. Absent: 0. */
  readonly startLine?: number;
  readonly terminal: Pick<ReadableTerminal, EarlierParts>;
}
