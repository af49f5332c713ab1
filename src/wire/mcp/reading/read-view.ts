import { defined } from '#base';
import {
  type Coordinator,
  cellsText,
  hidesText,
  highlightedRows,
  isHidden,
  type OutputPosition,
  type RawOutput,
  type ReadGap,
  type ReadMark,
  type ReadRequest,
  type ReadResult,
  type ScreenSnapshot,
  type SessionRef,
  type Size,
  shownLines,
  startMark,
  VtrError,
  withoutStyles,
} from '#model';
import { uncounted } from '../redacted-host.ts';
import { type ReadMarks, readInTurn } from './read-marks.ts';
import { type MovedRows, screenChanges } from './screen-changes.ts';
import {
  type BudgetArguments,
  budgetOf,
  excerptFacts,
  firstLinesWithin,
  hiddenInLines,
  hiddenOnScreen,
  joined,
  lastLinesWithin,
  plainText,
  type TerminalText,
  textOf,
} from './terminal-text.ts';

export interface ViewArguments extends BudgetArguments {
  readonly view?: 'screen' | 'new' | 'scrollback' | 'transcript' | undefined;
  readonly format?: 'plain' | 'raw' | undefined;
  readonly since?: string | undefined;
  /** A time in the past; not with the view `new`. */
  readonly at?: string | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  /** Negative: counted from the end. */
  readonly from_line?: number | undefined;
  /** With the view `new` as plain text: what follows it is left out. */
  readonly until?: OutputPosition | null;
  /** With the view `new`: what the wait before it has read, and since when. */
  readonly ofWait?: ReadOfWait | null;
}

export interface ReadOfWait {
  readonly since: ReadMark;
  readonly read: ReadResult;
}

/** Returns the read that a wait does for the view `new`; null for other views. */
export function readAfterWait(args: ViewArguments, marks: ReadMarks): NewRead | null {
  return args.view === 'new' && args.at === undefined ? newRead(args, marks) : null;
}

/** The text of a view, and its revision. */
export interface Viewed {
  readonly text: TerminalText;
  readonly revision: number;
  /** When the state came about, if a time was requested. */
  readonly atMs?: number;
  /** View `screen` only. */
  readonly size?: Size;
  /** View `screen` only; 1-based, as in the specification. */
  readonly cursor: { readonly row: number; readonly col: number } | null;
  /** View `transcript` only: where it is uncertain. */
  readonly note?: string;
  /** Views `new` and `transcript`: where the next read begins, also for another client. */
  readonly mark?: ReadMark;
  /** Screens only. */
  readonly highlighted?: ReturnType<typeof highlightedRows>;
  /** View `scrollback` only, if a part of it was requested: the number of the line after the last. */
  readonly totalLines?: number;
  /**
   * Set if the text has only these rows of the screen, which have changed; counted from 0. Blank rows
   * are last, and have no line in the text.
   */
  readonly changedRows?: readonly number[];
  /** Set with `changedRows` if rows have moved before those changed, as by a scroll. */
  readonly movedRows?: MovedRows;
}

/**
 * Returns the arguments with the view that `since` or `from_line` means.
 *
 * @throws VtrError INVALID_ARGUMENT for `since` and another view
 */
export function withView<Arguments extends ViewArguments>(args: Arguments): Arguments {
  const { view, since, from_line: fromLine } = args;
  if (view === undefined && since !== undefined) return { ...args, view: 'new' };
  if (view === undefined && fromLine !== undefined) return { ...args, view: 'scrollback' };
  if (view === 'new' || view === 'transcript' || since === undefined) return args;
  throw new VtrError('INVALID_ARGUMENT', `since is for the view new, not for ${view}`);
}

type View = (
  coordinator: Coordinator,
  session: SessionRef,
  args: ViewArguments,
  marks: ReadMarks,
) => Promise<Viewed>;

const screenView: View = async (coordinator, session, args) => {
  const isRaw = args.format === 'raw';
  const format = isRaw ? 'ansi' : 'cells';
  const screen = await coordinator.screen(session, { format, ...timeOf(args) });
  const rows = isRaw ? [...screen.text] : (screen.cells ?? []).map(cellsText);
  while (rows.at(-1) === '') rows.pop();
  const { lines, omitted } = lastLinesWithin(rows, args);
  const hiddenText = isRaw
    ? screen.text.some(hidesText)
    : (screen.cells ?? []).some((row) => row.some(isHidden));
  const text = (isRaw ? textOf : plainText)(lines.join('\n'), { omitted, hiddenText });
  const highlighted = highlightedRows(screen.cells ?? []);
  const { revision, size, atMs } = screen;
  const when = atMs === undefined ? {} : { atMs };
  return { text, revision, size, cursor: cursorAnswer(screen), highlighted, ...when };
};

const timeOf = ({ at }: ViewArguments) => (at === undefined ? {} : { at });

export const cursorAnswer = ({ cursor: { row, col } }: ScreenSnapshot) => ({
  row: row + 1,
  col: col + 1,
});

type NewRead = ReadRequest & { readonly since: ReadMark };

function newRead(args: ViewArguments, marks: ReadMarks): NewRead {
  const since = args.since ?? marks.readMark ?? startMark;
  const budget = budgetOf(args);
  if (args.format !== 'raw') return { since, ...budget, tellHidden: true };
  return { since, format: 'raw', maxBytes: budget.maxBytes ?? 0, keep: 'tail' };
}

/** Returns the output since this client's last read of this view. */
const newView: View = (coordinator, session, args, marks) =>
  readInTurn(marks, () => readNew(coordinator, session, args, marks));

const readNew: View = async (coordinator, session, args, marks) => {
  const request = newRead(args, marks);
  const { since } = request;
  const { ofWait } = args;
  const read =
    ofWait?.since === since
      ? ofWait.read
      : await coordinator.read(session, {
          ...request,
          // The prompt after a command, which may be there by now, is not its output.
          ...defined({ until: args.format === 'raw' ? undefined : args.until }),
        });
  const isContinued = since === marks.readMark;
  if (!isContinued || read.raw?.omittedBytes !== 0) marks.decoder = null;
  marks.readMark = read.mark;
  const viewed = { revision: read.revision, cursor: null, mark: read.mark };
  if (read.kind === 'screen') {
    const { max_lines, max_chars } = args;
    const how = { isContinued, max_lines, max_chars };
    return { ...viewed, ...(await newRows(coordinator, session, read, marks, how)) };
  }
  if (read.kind !== 'unchanged') marks.rows = null;
  const text =
    read.raw === undefined
      ? plainText(joined(read.text), {
          ...excerptFacts(read.text, read.gap),
          hiddenText: await isHiddenIn(coordinator, session, read),
        })
      : textOf(rawText(read.raw, marks), rawFacts(read.raw.omittedBytes, read.gap));
  return { ...viewed, text };
};

/**
 * Returns what a full-screen program has changed on its screen since the last read; the whole screen if that is not
 * longer, or if it is not known what the client has read.
 */
async function newRows(
  coordinator: Coordinator,
  session: SessionRef,
  read: ReadResult,
  marks: ReadMarks,
  { isContinued, ...budget }: BudgetArguments & { readonly isContinued: boolean },
) {
  const { text, gap, fromLine } = read;
  const screen = () => coordinator.screen(session, { format: 'cells' as const });
  const { cells = [], revision } = await uncounted(screen);
  const hasLines = fromLine !== null;
  const hiddenText =
    cells.some((row) => row.some(isHidden)) ||
    (hasLines && (await isHiddenIn(coordinator, session, read)));
  const all = joined(text);
  const shown = cells.map(cellsText);
  const isComplete = text.omitted === null;
  const before = isContinued && !hasLines ? marks.rows : null;
  // Rows that did not fit count as read: the answer says that they are omitted.
  if (isComplete) marks.rows = hasLines ? rowsAtEnd(all, shown) : all.split('\n');
  else marks.rows = revision === read.revision ? withoutBlankEnd(shown) : null;
  const changes = before && marks.rows && screenChanges(before, marks.rows);
  const highlighted = highlightedRows(cells);
  if (changes == null || !fits(changes.text, budget)) {
    const content = all.replace(/^(?:[ \t]*\n)+/, '');
    return { text: plainText(content, { ...excerptFacts(text, gap), hiddenText }), highlighted };
  }
  const { changed: changedRows, moved } = changes;
  const facts = { lostLines: excerptFacts(text, gap).lostLines ?? 0, hiddenText };
  return {
    text: plainText(changes.text, facts),
    highlighted,
    changedRows,
    ...defined({ movedRows: moved }),
  };
}

/** Returns the rows of the screen after other lines; null if the screen has changed since. */
function rowsAtEnd(all: string, screen: readonly string[]): readonly string[] | null {
  const rows = withoutBlankEnd(screen);
  return all.endsWith(`\n${rows.join('\n')}`) ? rows : null;
}

const withoutBlankEnd = (rows: readonly string[]): readonly string[] =>
  rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);

const fits = (text: string, budget: BudgetArguments): boolean =>
  lastLinesWithin(text.split('\n'), budget).omitted === null;

/** Decodes raw bytes. A character that is incomplete at the end is returned by the next read. */
function rawText({ bytes }: RawOutput, marks: ReadMarks): string {
  marks.decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
  return marks.decoder.decode(bytes, { stream: true });
}

/** Reads the lines again with styles if the coordinator is older than the field `hidden`. */
async function isHiddenIn(
  coordinator: Coordinator,
  session: SessionRef,
  { text, fromLine, hidden }: ReadResult,
): Promise<boolean> {
  if (hidden !== undefined) return hidden;
  if (text.head === '' && text.tail === '') return false;
  if (fromLine === null) return hiddenOnScreen(coordinator, session);
  return hiddenInLines(coordinator, session, shownLines(text, { from: fromLine }));
}

const rawFacts = (bytes: number, gap: ReadGap) => ({
  ...(bytes === 0 ? {} : { omitted: { lines: 0, bytes } }),
  lostBytes: gap.bytes,
});

const defaultLimit = 1000;

/** @param line negative: counted from the end */
const lineAt = (line: number, endLine: number): number =>
  line < 0 ? Math.max(0, endLine + line) : line;

const scrollbackView: View = async (coordinator, session, args) => {
  const { offset = 0, limit = args.max_lines ?? defaultLimit, format } = args;
  const isRaw = format === 'raw';
  // An empty range returns the number of the last line.
  const at = timeOf(args);
  const { endLine, firstLine } = await coordinator.readLines(session, { from: 0, to: 0, ...at });
  const fromLine = args.from_line === undefined ? undefined : lineAt(args.from_line, endLine);
  const to =
    fromLine === undefined ? Math.max(0, endLine - offset) : Math.min(endLine, fromLine + limit);
  const isPart = [args.offset, args.limit, fromLine].some((each) => each !== undefined);
  // Lines that have left the scrollback are read if they are asked for.
  const oldest = isPart ? 0 : firstLine;
  const from = fromLine === undefined ? Math.max(oldest, to - limit) : Math.min(fromLine, to);
  const read = await coordinator.readLines(session, { from, to, format: 'ansi', ...at });
  const lost = Math.min(read.oldestLine, to);
  const above =
    fromLine === undefined && lost > 0
      ? await coordinator.readLines(session, { from: 0, to: lost, ...at })
      : read;
  const all = read.lines.map(({ text }) => (isRaw ? text : withoutStyles(text)));
  const isFromTop = fromLine !== undefined;
  const { lines, omitted } = (isFromTop ? firstLinesWithin : lastLinesWithin)(all, args);
  const first = isFromTop ? 0 : read.lines.length - lines.length;
  const shown = read.lines.slice(first, first + lines.length);
  const text = (isRaw ? textOf : plainText)(lines.join('\n'), {
    omitted,
    lostLines: above.dropped,
    earlierLines: Math.max(0, from - read.oldestLine),
    hiddenText: shown.some(({ text }) => hidesText(text)),
  });
  const total = isPart ? { totalLines: endLine } : {};
  const when = read.atMs === undefined ? {} : { atMs: read.atMs };
  return { text, revision: read.revision, cursor: null, ...total, ...when };
};

/** Returns what a full-screen program has shown; the lines of another one. */
const transcriptView: View = async (coordinator, session, args) => {
  const read = await coordinator.read(session, {
    transcript: true,
    tellHidden: true,
    ...budgetOf(args),
    keep: 'tail',
    ...defined({ since: args.since, at: args.at }),
  });
  const text = plainText(joined(read.text), {
    ...excerptFacts(read.text, read.gap),
    hiddenText: read.hidden ?? false,
  });
  const first = read.text.omitted?.lines ?? 0;
  const uncertain = (read.uncertain ?? []).filter((line) => line >= first);
  const places = uncertain.map((line) => line - first + 1).join(', ');
  const note =
    places === '' ? {} : { note: `rows may be missing or repeated before line ${places}` };
  return { text, revision: read.revision, cursor: null, mark: read.mark, ...note };
};

const views = {
  screen: screenView,
  new: newView,
  scrollback: scrollbackView,
  transcript: transcriptView,
};

export const readView: View = (coordinator, session, args, marks) =>
  views[args.view ?? 'screen'](coordinator, session, args, marks);
