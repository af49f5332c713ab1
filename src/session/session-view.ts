import type { Clock, Disposable, Emitter, Listener } from '#base';
import type { ExitStatus, LineFinder, LineScan, SessionEvent, SnapshotEvent } from '#model';
import type { OutputChunk, Pty } from '#pty';
import type { Ledger } from '#shell';
import type { PrintedText, Terminal } from '#vt';

/** What the shell's marks say, as observers see it. */
export type ShellState = Pick<
  Ledger,
  'integration' | 'starting' | 'prompt' | 'continues' | 'running' | 'endedAfter'
>;

export interface ViewParts {
  readonly id: string;
  readonly terminal: Terminal;
  readonly pty: Pick<Pty, 'readOutput'>;
  readonly events: Emitter<SessionEvent>;
  readonly commands: ShellState;
  readonly clock: Clock;
}

type Format = 'text' | 'ansi';

/**
 * What readers and observers see of a session. What many of them ask after each change is worked out
 * once for all: a thousand waits on a session that floods cost little more than one.
 */
export class SessionView {
  readonly id: string;
  readonly commands: ShellState;
  readonly #terminal: Terminal;
  readonly #pty: Pick<Pty, 'readOutput'>;
  readonly #events: Emitter<SessionEvent>;
  readonly #clock: Clock;
  #printed: readonly PrintedText[] | null = null;
  #fingerprint: number | null = null;
  #rowFingerprints: Int32Array | null = null;
  #rows: readonly string[] | null = null;
  /** Absolute offset of the next byte of output. */
  outputEnd = 0;
  /** {@link outputEnd} when input was last accepted; 0 where none ever was. */
  lastInputAt = 0;
  /** Null while the program runs. */
  exitStatus: ExitStatus | null = null;

  constructor({ id, terminal, pty, events, commands, clock }: ViewParts) {
    this.#clock = clock;
    this.id = id;
    this.commands = commands;
    this.#terminal = terminal;
    this.#pty = pty;
    this.#events = events;
  }

  /** To be called whenever the terminal has changed. */
  renew(): void {
    this.#printed = null;
    this.#fingerprint = null;
    this.#rowFingerprints = null;
    this.#rows = null;
  }

  onEvent(listener: Listener<SessionEvent>): Disposable {
    return this.#events.on(listener);
  }

  /** The state now, from which events go on. */
  snapshot(): SnapshotEvent {
    const { size, firstLine, revision } = this.#terminal;
    const dump = this.#terminal.dump();
    const atMs = this.#clock.wallMs();
    return { type: 'snapshot', revision, atMs, size, dump, firstLine, offset: this.outputEnd };
  }

  get revision(): number {
    return this.#terminal.revision;
  }

  get shownRevision(): number {
    return this.#terminal.shownRevision;
  }

  get firstLine(): number {
    return this.#terminal.firstLine;
  }

  get topLine(): number {
    return this.#terminal.topLine;
  }

  get endLine(): number {
    return this.#terminal.endLine;
  }

  get alternate(): boolean {
    return this.#terminal.alternate;
  }

  printedText(): readonly PrintedText[] {
    this.#printed ??= [...this.#terminal.printedText()];
    return this.#printed;
  }

  fingerprint(): number {
    this.#fingerprint ??= this.#terminal.fingerprint();
    return this.#fingerprint;
  }

  rowFingerprints(): Int32Array {
    this.#rowFingerprints ??= this.#terminal.rowFingerprints();
    return this.#rowFingerprints;
  }

  screenRows(format: Format = 'text'): readonly string[] {
    if (format === 'ansi') return this.#ansiRows();
    this.#rows ??= this.#terminal.screenText();
    return this.#rows;
  }

  /** The text left of the cursor, in its row of the shown screen. */
  textBeforeCursor(): string {
    const { row, col, wrapPending } = this.#terminal.cursor;
    return this.#terminal.readRow(row).text(0, wrapPending ? col + 1 : col);
  }

  /** Lines from `from` up to and without `to`, as far as they are kept. */
  *lineTexts(
    from: number,
    to: number,
    format: Format = 'text',
  ): Generator<{ line: number; text: string }> {
    for (const { line, reader } of this.#terminal.readLines(from, to)) {
      yield { line, text: format === 'text' ? reader.text() : reader.ansi() };
    }
  }

  /** Contract: `Searched.scanLines`. */
  scanLines(from: number, to: number, find: LineFinder): LineScan {
    return this.#terminal.scanLines(from, to, find);
  }

  linePart(line: number, { from, to }: { readonly from?: number; readonly to?: number }): string {
    const [read] = this.#terminal.readLines(line, line + 1);
    return read?.reader.text(from, to) ?? '';
  }

  textBytes(from: number, to: number): number {
    return this.#terminal.textBytes(from, to);
  }

  changedAfter(revision: number): boolean {
    return this.#terminal.changedRows(revision).length > 0;
  }

  rewrittenFrom(revision: number): number {
    return this.#terminal.rewrittenFrom(revision);
  }

  clearedFrom(revision: number): number {
    return this.#terminal.clearedFrom(revision);
  }

  printedAfter(line: number, revision: number): boolean {
    return this.#terminal.printedAfter(line, revision);
  }

  linePosition(): ReturnType<Terminal['linePosition']> {
    return this.#terminal.linePosition();
  }

  /** The untouched output from an offset on, as far as it is kept. */
  rawOutput(from: number): readonly OutputChunk[] {
    const chunks: OutputChunk[] = [];
    this.#pty.readOutput(from, (chunk) => chunks.push(chunk)).dispose();
    return chunks;
  }

  #ansiRows(): string[] {
    const { size } = this.#terminal;
    return Array.from({ length: size.rows }, (_, row) => this.#terminal.readRow(row).ansi());
  }
}
