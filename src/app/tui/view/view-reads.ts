import { encodeUtf8 } from '#base';
import {
  type Cell,
  type Coordinator,
  type Line,
  maxSide,
  redactingCoordinator,
  type SessionRef,
  VtrError,
} from '#model';
import type { Reader, Terminal } from '#vt';
import { problemText } from '../coordinator-link.ts';
import { type Frozen, type Place, rowOfCol, rowStarts, type ViewLine } from './scroll.ts';
import { effectivePattern } from './searching.ts';
import type { Action, Answer, Effect, FoundInSession, Read } from './view-state.ts';

export interface ViewReadsOptions {
  readonly coordinator: Coordinator;
  readonly session: SessionRef;
  /** A copy of the session's terminal, as far as its lines are in this process; null if none are. */
  readonly terminal: () => Terminal | null;
}

/** Lines with a match in one answer of the coordinator. */
const foundAtOnce = 10_000;
/** Lines with a match that are listed for one session. */
const foundInOne = 200;
/** Output of a command that is copied, in bytes. */
const maxCopiedBytes = 4 * 1024 * 1024;

type Of<Type extends Read['type']> = Extract<Read, { type: Type }>;

/** Reads what a view needs: from the terminal in this process if it is there, else from the coordinator. */
export class ViewReads {
  readonly #options: ViewReadsOptions;

  constructor(options: ViewReadsOptions) {
    // A person sees what is there.
    this.#options = { ...options, coordinator: redactingCoordinator(options.coordinator, false) };
  }

  /** Returns the answer to an effect, at once if possible; null if it is not answered here. */
  run(effect: Effect): Action | Promise<Action> | null {
    const answer = this.#answer(effect);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => ({ type: 'notice', text: problemText(error) }));
  }

  #answer(effect: Effect): Answer | Promise<Answer> | null {
    switch (effect.type) {
      case 'freeze':
        return this.#frozen();
      case 'readLines':
        return this.#lines(effect);
      case 'compile':
        return compiled(effect);
      case 'search':
        return this.#search(effect);
      case 'commands':
        return this.#commands();
      case 'readTexts':
        return this.#texts(effect);
      case 'copyOutput':
        return this.#output(effect);
      case 'grepAll':
        return grepped(this.#options.coordinator, effect.pattern);
      default:
        return null;
    }
  }

  #frozen(): Answer {
    const terminal = this.#options.terminal();
    if (terminal === null) throw new VtrError('UNAVAILABLE', 'the session is not connected');
    return { type: 'frozen', frozen: frozenLines(terminal) };
  }

  #lines({ from, to }: Of<'readLines'>): Answer | Promise<Answer> {
    const terminal = this.#options.terminal();
    if (terminal !== null && terminal.firstLine <= from && to <= terminal.endLine) {
      return { type: 'lines', first: 0, from, to, lines: linesIn(terminal, from, to) };
    }
    return this.#remoteLines(from, to);
  }

  async #remoteLines(from: number, to: number): Promise<Answer> {
    const { coordinator, session } = this.#options;
    const read = await coordinator.readLines(session, { from, to, format: 'ansi' });
    const lines = await linesOfAnsi(read.lines);
    return { type: 'lines', first: read.firstLine, from, to, lines };
  }

  async #search({ id, pattern, from, to }: Of<'search'>): Promise<Answer> {
    const { coordinator, session } = this.#options;
    const request = { pattern, from, to, maxMatches: foundAtOnce };
    const { matches, truncated } = await coordinator.search(session, request);
    const lines = matches.map(({ line }) => line);
    const last = lines.at(-1);
    return { type: 'found', id, lines, next: truncated && last !== undefined ? last + 1 : null };
  }

  async #commands(): Promise<Answer> {
    const { coordinator, session } = this.#options;
    const { commands } = await coordinator.commands(session);
    return { type: 'commands', commands };
  }

  async #texts({ id, from, to }: Of<'readTexts'>): Promise<Answer> {
    const { coordinator, session } = this.#options;
    const { lines, dropped } = await coordinator.readLines(session, { from, to, format: 'text' });
    if (dropped > 0)
      throw new VtrError('INVALID_ARGUMENT', 'the first of these lines are no longer kept');
    return { type: 'texts', id, texts: lines.map(({ text }) => text) };
  }

  async #output({ command }: Of<'copyOutput'>): Promise<Answer> {
    const { coordinator, session } = this.#options;
    const output = await coordinator.commandOutput(session, { command, maxBytes: maxCopiedBytes });
    const { text, gap } = output;
    const isCut = text.omitted !== null || gap.lines > 0;
    const of = `${output.command.line ?? `command ${output.command.number}`}${isCut ? ' (its end)' : ''}`;
    return { type: 'output', text: text.tail, of };
  }
}

/** Compiles a pattern. The library for it is loaded only for this. */
async function compiled({ id, pattern }: Of<'compile'>): Promise<Answer> {
  const { Pattern } = await import('#watch');
  try {
    const compiledPattern = new Pattern(pattern);
    return { type: 'compiled', id, matcher: (text) => compiledPattern.findAll(text) };
  } catch (error) {
    return { type: 'compiled', id, matcher: problemText(error) };
  }
}

/** Searches all sessions of a coordinator. */
async function grepped(coordinator: Coordinator, pattern: string): Promise<Answer> {
  const sessions = await coordinator.list();
  const request = { pattern: effectivePattern(pattern), maxMatches: foundInOne };
  const results = await Promise.all(
    sessions.map(async ({ name, id }) => {
      const result = await coordinator.search({ name, id }, request);
      return { ...result, session: name };
    }),
  );
  const hits = results.flatMap(({ session, matches }) =>
    matches.map(({ line, text }): FoundInSession => ({ session, line, text })),
  );
  return {
    type: 'grepped',
    pattern,
    matches: hits,
    isTruncated: results.some(({ truncated }) => truncated),
  };
}

/** Returns what a terminal shows as lines that do not change any more. */
function frozenLines(terminal: Terminal): Frozen {
  const { topLine: from, endLine, alternate, cursor } = terminal;
  const lines = linesIn(terminal, from, endLine);
  if (!alternate) {
    const { line, col } = terminal.position;
    const top = topOf(terminal, lines);
    const place = inLines(lines, from, { line: line ?? from, col });
    return {
      from,
      lines: lines.length === 0 ? [emptyLine(from)] : lines,
      top,
      cursor: place,
      endLine,
    };
  }
  const rows = Array.from({ length: terminal.size.rows }, (_, row) =>
    viewLine(endLine + row, terminal.readRow(row)),
  );
  const place = inLines(rows, endLine, { line: endLine + cursor.row, col: cursor.col });
  return {
    from,
    lines: [...lines, ...rows],
    top: { line: endLine, col: 0 },
    cursor: place,
    endLine,
  };
}

const emptyLine = (number: number): ViewLine => ({ number, cells: [], text: '', tabbed: '' });

/** Returns the nearest place that exists. */
function inLines(lines: readonly ViewLine[], from: number, { line, col }: Place): Place {
  const last = from + Math.max(0, lines.length - 1);
  const at = Math.max(from, Math.min(line, last));
  const width = lines[at - from]?.cells.length ?? 0;
  return { line: at, col: Math.max(0, Math.min(col, width - 1)) };
}

/**
 * Returns the first character on the screen: the rows between it and the cursor are known, and the
 * line may begin above it.
 */
function topOf(terminal: Terminal, lines: readonly ViewLine[]): Place {
  const { topLine, size, cursor, position } = terminal;
  const rowsOf = (line: ViewLine) => rowStarts(line.cells, size.cols);
  const cursorLine = position.line ?? topLine;
  let rows = 0;
  for (const line of lines) {
    if (line.number < cursorLine) rows += rowsOf(line).length;
    if (line.number === cursorLine) rows += rowOfCol(rowsOf(line), position.col);
  }
  const [first] = lines;
  const starts = first === undefined ? [0] : rowsOf(first);
  const hidden = Math.max(0, Math.min(rows - cursor.row, starts.length - 1));
  return { line: topLine, col: starts[hidden] ?? 0 };
}

/** Returns lines of the scrollback and of the primary screen. */
function linesIn(terminal: Terminal, from: number, to: number): ViewLine[] {
  const lines: ViewLine[] = [];
  for (const { line, reader } of terminal.readLines(from, to)) lines.push(viewLine(line, reader));
  return lines;
}

const viewLine = (number: number, reader: Reader): ViewLine => ({
  number,
  cells: usedCells(reader),
  text: reader.spaced(),
  tabbed: reader.text(),
});

/** Returns the cells without those at the end that look empty. */
function usedCells(reader: Reader): readonly Cell[] {
  const cells = reader.cells();
  let { length } = cells;
  while (length > 0 && isEmpty(cells[length - 1] as Cell)) length--;
  cells.length = length;
  return cells;
}

/** A line of a terminal that does not change, read when it is needed. */
class LazyLine implements ViewLine {
  readonly number: number;
  readonly #reader: Reader;
  #cells: readonly Cell[] | null = null;
  #text: string | null = null;

  constructor(number: number, reader: Reader) {
    this.number = number;
    this.#reader = reader;
  }

  get cells(): readonly Cell[] {
    this.#cells ??= usedCells(this.#reader);
    return this.#cells;
  }

  get tabbed(): string {
    return this.#reader.text();
  }

  get text(): string {
    this.#text ??= this.#reader.spaced();
    return this.#text;
  }
}

/** Whether a cell looks as if nothing was written to it. */
const isEmpty = ({ text, style }: Cell): boolean =>
  text === ' ' &&
  style.bg === null &&
  style.underline === 'none' &&
  !(style.inverse || style.overline || style.strikethrough);

/** Returns lines that were read in the format `ansi`, which is a twentieth of the size of `cells`. */
async function linesOfAnsi(lines: readonly Line[]): Promise<ViewLine[]> {
  const [first] = lines;
  if (first === undefined) return [];
  const { Terminal } = await import('#vt');
  const terminal = new Terminal({
    size: { cols: maxSide, rows: 1 },
    firstLine: first.number,
    scrollback: { maxLines: lines.length + 1, maxBytes: Number.MAX_SAFE_INTEGER },
  });
  terminal.feed(encodeUtf8(lines.map(({ text }) => `${text}\r\n`).join('')));
  const read = terminal.readLines(first.number, first.number + lines.length);
  return Array.from(read, ({ line, reader }) => new LazyLine(line, reader));
}
