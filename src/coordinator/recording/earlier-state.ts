import { setImmediate as nextTurn } from 'node:timers/promises';
import { beginWork, currentWork, endWork } from '#base';
import {
  checkLine,
  checkRenderFormat,
  type Line,
  type LinesRead,
  type ReadLinesRequest,
  type ReadRequest,
  type ReadResult,
  type RenderFormat,
  type ScreenRequest,
  type ScreenSnapshot,
} from '#model';
import { EarlierTerminal, endOfLines, type Session } from '#session';
import { type EarlierReadable, type Moment, readEarlier, type Segment } from '#watch';
import { RedactedTerminal } from '../redacting/redacted-terminal.ts';
import type { Redaction } from '../redacting/redaction.ts';

type LineFormat = 'text' | 'ansi' | 'spaced';

/** Lines from `from` up to but excluding `to`, as a terminal has them. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly terminal: EarlierTerminal;
  /** The terminal as answers show it. */
  readonly shown: Shown;
}

type Shown = Pick<EarlierTerminal, 'lineTexts' | 'screenRows'> & {
  /** @param cells how many cells of the last line are returned; default all */
  renderedLines(from: number, to: number, format: RenderFormat, cells?: number): Iterable<Line>;
};

/** A session as it was at a moment of its recording. */
export class EarlierState {
  readonly #session: Session;
  readonly #moment: Moment;
  readonly #terminal: EarlierTerminal;
  readonly #shown: EarlierTerminal | RedactedTerminal;
  readonly #redaction: Redaction | null;
  /** The oldest line that is known and that the session kept then. */
  readonly #firstLine: number;
  /** Oldest first; the last one is of {@link #terminal}. */
  #pieces: readonly Piece[];

  private constructor(
    session: Session,
    moment: Moment,
    terminal: EarlierTerminal,
    redaction: Redaction | null,
  ) {
    this.#redaction = redaction;
    this.#shown = this.#shownOf(terminal);
    this.#session = session;
    this.#moment = moment;
    this.#terminal = terminal;
    const { begin } = moment.segment;
    const { firstLine: from, endLine: to } = terminal.terminal;
    // If not, lines were dropped or cleared since the segment began.
    const isWhole = from <= begin.firstLine;
    const recorded = Math.min(...moment.segments.map((each) => each.begin.firstLine));
    const { maxLines } = session.facts.terminal.scrollback;
    const limit = terminal.terminal.linesEnd - maxLines;
    this.#firstLine = isWhole ? Math.max(begin.oldestLine, recorded, limit) : from;
    this.#pieces = [{ from, to, terminal, shown: this.#shown }];
  }

  /** @param redaction replaces secrets in what is read; null: nothing is replaced */
  static async at(
    session: Session,
    moment: Moment,
    turns: Turns,
    redaction: Redaction | null = null,
  ): Promise<EarlierState> {
    const { segment } = moment;
    const terminal = await replayed(session, segment, moment, turns);
    return new EarlierState(session, moment, terminal, redaction);
  }

  #shownOf(terminal: EarlierTerminal): EarlierTerminal | RedactedTerminal {
    return this.#redaction === null ? terminal : this.#redaction.earlier(terminal.terminal);
  }

  /** Makes the lines from `from` on known, as far as they are recorded. */
  async withLines(from: number, turns: Turns): Promise<this> {
    const { segments, segment } = this.#moment;
    const first = Math.max(from, this.#firstLine);
    for (let index = segments.indexOf(segment) - 1; index >= 0; index--) {
      const [{ from: to } = { from: 0 }] = this.#pieces;
      if (to <= first) break;
      const earlier = segments[index] as Segment;
      const { firstLine } = earlier.begin;
      // A segment that has scrolled no line off the screen is skipped.
      if (firstLine >= to) continue;
      const terminal = await replayed(this.#session, earlier, earlier.end, turns);
      const shown = this.#shownOf(terminal);
      this.#pieces = [{ from: firstLine, to, terminal, shown }, ...this.#pieces];
    }
    return this;
  }

  /** @throws VtrError INVALID_ARGUMENT */
  screen(request: ScreenRequest): ScreenSnapshot {
    const screen = this.#terminal.screen(request);
    const shown = this.#shown;
    return {
      ...(shown instanceof RedactedTerminal ? shown.screen(screen, request) : screen),
      ...this.#when,
    };
  }

  /** @throws VtrError INVALID_ARGUMENT */
  async lines(request: ReadLinesRequest, turns: Turns): Promise<LinesRead> {
    const { topLine, endLine } = this.#terminal.terminal;
    const firstLine = this.#firstLine;
    const from = checkLine('from', request.from ?? firstLine);
    const { to, cells } = endOfLines(this.#terminal.terminal, request);
    const format = checkRenderFormat(request.format ?? 'text');
    await this.withLines(from, turns);
    const lines: Line[] = [];
    for (const piece of this.#within(from, to)) {
      const last = piece.to === to ? cells : undefined;
      const { shown } = piece;
      for (const line of shown.renderedLines(piece.from, piece.to, format, last)) lines.push(line);
    }
    const dropped = Math.max(0, Math.min(to, firstLine) - from);
    return { ...this.#when, firstLine, oldestLine: firstLine, topLine, endLine, dropped, lines };
  }

  /** @throws VtrError INVALID_ARGUMENT */
  async read(request: ReadRequest, turns: Turns): Promise<ReadResult> {
    await this.withLines(0, turns);
    return { ...readEarlier(this.#readable(), request), ...this.#when };
  }

  /** Returns the texts of all lines, and then the rows of the alternate screen if it is shown. */
  async text(turns: Turns): Promise<string[]> {
    await this.withLines(0, turns);
    const lines = this.#within(this.#firstLine, Number.POSITIVE_INFINITY).flatMap((piece) =>
      Array.from(piece.shown.lineTexts(piece.from, piece.to), ({ text }) => text),
    );
    const rows = this.#terminal.terminal.alternate ? this.#shown.screenRows() : [];
    return [...lines, ...rows];
  }

  get #when() {
    const { atWallMs: atMs, segment, offset } = this.#moment;
    return { atMs, revision: segment.revisionAt(offset) };
  }

  #readable(): EarlierReadable {
    const { terminal } = this.#terminal;
    const { revision } = this.#when;
    const pieces = (from: number, to: number) => this.#within(from, to);
    const firstLine = this.#firstLine;
    return {
      id: this.#session.id,
      oldestLine: this.#session.view.oldestLine,
      outputEnd: this.#moment.offset,
      screenRows: (format) => this.#shown.screenRows(format),
      grownBytes: (from, to) =>
        pieces(from, to).reduce((sum, { shown }) => {
          return sum + (shown instanceof RedactedTerminal ? shown.grownBytes(from, to) : 0);
        }, 0),
      *lineTexts(from: number, to: number, format: LineFormat = 'text') {
        for (const each of pieces(from, to)) {
          yield* each.shown.lineTexts(each.from, each.to, format);
        }
      },
      terminal: {
        revision,
        shownRevision: revision,
        firstLine,
        endLine: terminal.endLine,
        alternate: terminal.alternate,
        linePosition: () => terminal.linePosition(),
        textBytes: (from, to) =>
          pieces(from, to).reduce(
            (sum, each) => sum + each.terminal.terminal.textBytes(each.from, each.to),
            0,
          ),
      },
    };
  }

  /** The known lines from `from` up to but excluding `to`. */
  #within(from: number, to: number): Piece[] {
    const first = Math.max(from, this.#firstLine);
    return this.#pieces
      .map((each) => ({ ...each, from: Math.max(each.from, first), to: Math.min(each.to, to) }))
      .filter((each) => each.from < each.to);
  }
}

/** Returns the terminal of a session as it was in a segment. */
async function replayed(
  session: Session,
  segment: Segment,
  end: { readonly offset: number; readonly changes: number },
  turns: Turns,
): Promise<EarlierTerminal> {
  const terminal = new EarlierTerminal(session.facts.terminal, segment.begin);
  await turns.worked(segment.begin.dump.length);
  for (const step of segment.steps(end)) {
    if (step.type === 'frameEnd') terminal.endFrame();
    if (step.type !== 'output') continue;
    terminal.feed(step.bytes);
    await turns.worked(step.bytes.length);
  }
  return terminal;
}

/** Output that is handled in one turn, in bytes: a few milliseconds. */
const turnBytes = 64 * 1024;

/** Counts work, so that it can be spread over turns in which other sessions are served. */
export class Turns {
  /** Whose call this is part of, if that is shown. */
  readonly #session = currentWork()?.session;
  #bytes = 0;

  constructor() {
    this.#begin();
  }

  /** Waits for the next turn if this one has done enough. */
  async worked(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes < turnBytes) return;
    this.#bytes = 0;
    endWork();
    await nextTurn();
    this.#begin();
  }

  #begin(): void {
    if (this.#session !== undefined) beginWork('recording', this.#session);
  }
}
