import type { Clock } from '#base';
import type {
  CommandOutput,
  CommandOutputRequest,
  FollowRequest,
  FollowResult,
  LinesRead,
  ReadLinesRequest,
  ReadRequest,
  ReadResult,
  ScreenRequest,
  ScreenSnapshot,
  SearchRequest,
  SearchResult,
} from '#model';
import { endOfLines, type Session } from '#session';
import {
  commandOutput,
  follow,
  markNow,
  markOffset,
  read,
  readTranscript,
  searchLines,
  searchOutput,
} from '#watch';
import type { Lifetimes } from './lifetimes/lifetimes.ts';
import type { EarlierState, Turns } from './recording/earlier-state.ts';
import type { Recorders } from './recording/recorders.ts';
import { rawContext, withoutRawSecrets } from './redacting/redacted-raw.ts';
import { redactedLines } from './redacting/redacted-terminal.ts';
import type { Redaction } from './redacting/redaction.ts';
import type { Reading } from './redacting/redactions.ts';

export interface SessionReadsParts {
  readonly clock: Clock;
  readonly lifetimes: Lifetimes;
  readonly recorders: Recorders;
}

/**
 * What is read of a session: its screen, lines, new output, the output of a command, matches; as it is now or as it
 * was at a time, and without secrets if the call wants that.
 */
export class SessionReads {
  readonly #parts: SessionReadsParts;

  constructor(parts: SessionReadsParts) {
    this.#parts = parts;
  }

  /** Contract: `Coordinator.screen`. */
  screen(
    request: ScreenRequest,
    session: Session,
    { redaction }: Reading,
  ): ScreenSnapshot | Promise<ScreenSnapshot> {
    const { at } = request;
    if (at !== undefined) {
      const screen = (earlier: EarlierState) => earlier.screen(request);
      return this.#parts.recorders.at(session, at, screen, redaction);
    }
    const screen = session.screen(request);
    return redaction === null ? screen : redaction.view.screen(screen, request);
  }

  /** Contract: `Coordinator.readLines`. */
  lines(
    request: ReadLinesRequest,
    session: Session,
    { redaction }: Reading,
  ): LinesRead | Promise<LinesRead> {
    const { at } = request;
    if (at !== undefined) {
      const lines = (earlier: EarlierState, turns: Turns) => earlier.lines(request, turns);
      return this.#parts.recorders.at(session, at, lines, redaction);
    }
    return redaction === null
      ? session.readLines(request)
      : redactedLines(
          session.readLines({ ...request, aboveScreen: false, to: 0 }),
          redaction.view.all,
          request,
          endOfLines(session.view.terminal, request),
        );
  }

  /** Contract: `Coordinator.follow`. */
  follow(request: FollowRequest, session: Session, { shown }: Reading): Promise<FollowResult> {
    const { reader, from } = request;
    const screenRows = () => shown.screenRows();
    const followed = { session: session.view, lines: shown.all, screenRows };
    const first = from ?? shown.all.terminal.firstLine;
    const end = reader === undefined ? () => {} : session.readers.begin(reader, first);
    const following = follow(followed, request, this.#parts.clock).finally(end);
    return this.#parts.lifetimes.attendedBy(session, following);
  }

  /** Contract: `Coordinator.search`. */
  search(
    request: SearchRequest,
    session: Session,
    { shown }: Reading,
  ): SearchResult | Promise<SearchResult> {
    const { clock } = this.#parts;
    const { command } = request;
    if (command === undefined) return searchLines(shown.all, request, clock, shown);
    return searchOutput(shown, session.command(command), request, clock);
  }

  /** Contract: `Coordinator.read`. */
  read(
    request: ReadRequest,
    session: Session,
    { shown, redaction }: Reading,
  ): ReadResult | Promise<ReadResult> {
    const { at } = request;
    const { view } = session;
    if (request.transcript && view.terminal.alternate) {
      return this.#transcript(session, request, redaction);
    }
    if (at !== undefined) {
      const text = (earlier: EarlierState, turns: Turns) => earlier.read(request, turns);
      return this.#parts.recorders.at(session, at, text, redaction);
    }
    if (request.format !== 'raw') return read(shown, request);
    const from = markOffset(view, request.since) - (redaction === null ? 0 : rawContext);
    return view.withKeptOutput(Math.max(0, from), () =>
      withoutRawSecrets(read(view, request), view, redaction),
    );
  }

  async #transcript(
    session: Session,
    request: ReadRequest,
    redaction: Redaction | null,
  ): Promise<ReadResult> {
    const { view } = session;
    const end = { mark: markNow(view), revision: view.terminal.revision };
    const transcript = await this.#parts.recorders.transcript(session, request.at);
    return readTranscript(view, transcript, request, end, (rows) => {
      const texts = rows.map(({ text }) => text);
      return redaction === null ? texts : redaction.rows(texts, session.facts.terminal);
    });
  }

  /** Contract: `Coordinator.commandOutput`. */
  commandOutput(
    request: CommandOutputRequest,
    session: Session,
    { shown, redaction }: Reading,
  ): CommandOutput | Promise<CommandOutput> {
    const { view } = session;
    const command = session.command(request.command ?? 'last');
    if (request.format !== 'raw') return commandOutput(shown, command, request);
    const from = command.from.offset - (redaction === null ? 0 : rawContext);
    return view.withKeptOutput(Math.max(0, from), () =>
      withoutRawSecrets(commandOutput(view, command, request), view, redaction),
    );
  }
}
