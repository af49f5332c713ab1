import {
  type Clock,
  type Disposable,
  decodeUtf8,
  defined,
  type Emitter,
  type Listener,
} from '#base';
import {
  type Cell,
  type ExitStatus,
  type OutputBurst,
  ownPaceMs,
  type SentInput,
  type SessionEvent,
  type SnapshotEvent,
} from '#model';
import { chunkFrom, hasLineEnd, type OutputChunk, type Pty } from '#pty';
import type { Ledger } from '#shell';
import type { PrintedText, Terminal } from '#vt';
import { ArchivedTerminal, type LineArchive } from './archive/archived-terminal.ts';
import { InputLog, visible } from './input/input-log.ts';
import { CommandOutputs } from './output/command-outputs.ts';
import { screenRows, TerminalLines, type TextFormat } from './terminal-reader.ts';

/** Output that follows within this time, in ms, is part of the same burst. */
const burstMs = 40;
/** How many bursts are kept. */
const maxBursts = 4;

/** How many screens are kept for readers with marks. */
const maxShown = 8;
/** Lines above the screen that are kept with it: a program that redraws all it has printed prints them again. */
const linesAbove = 200;

/** What a screen showed at a revision. */
export interface ShownRows {
  readonly rows: readonly { readonly id: number; readonly text: string }[];
  readonly alternate: boolean;
  readonly revision: number;
}

/** The part of the ledger that observers may read. */
export type ShellState = Pick<
  Ledger,
  | 'integration'
  | 'unverified'
  | 'starting'
  | 'prompt'
  | 'continues'
  | 'lineKey'
  | 'running'
  | 'endedAfter'
  | 'typing'
  | 'typedAfter'
  | 'statusWithoutCommand'
  | 'lineOfEndWithoutCommand'
>;

/** The part of the terminal that changes nothing. */
export type ViewedTerminal = Omit<
  Terminal,
  | 'feed'
  | 'feedToFrameBoundary'
  | 'endFrame'
  | 'resize'
  | 'takeReplies'
  | 'takeEvents'
  | 'onPositionedEvent'
  | 'onErasedLines'
  | 'onRowsLeaving'
>;

export interface ViewParts {
  readonly id: string;
  readonly terminal: Terminal;
  /** Has the lines that the terminal dropped; null: they are lost. */
  readonly archive: LineArchive | null;
  readonly pty: Pick<Pty, 'outputStart' | 'outputAtHand' | 'keptOutput'>;
  readonly events: Emitter<SessionEvent>;
  readonly commands: ShellState;
  readonly clock: Clock;
  /** See {@link SessionView.startLine}. */
  readonly startLine: number;
}

/** A line in which input was typed. */
export interface TypedIn {
  readonly line: number;
  /** The text left of the cursor before the first input in the line. */
  readonly before: string;
  /**
   * The first visible characters of the text that was typed in the line: of the first input, and of
   * each input after a control character, which may have ended or erased the text before.
   */
  readonly firsts: string;
  /** Whether the last input has a control character. */
  readonly mayRestart: boolean;
}

/** The state of a view that does not follow from the terminal. A plain JSON value. */
export interface SavedView {
  readonly outputEnd: number;
  readonly lastInputAt: number;
  readonly lastInputAtMs: number | null;
  readonly lastOutputAtMs: number | null;
  readonly typedIn: TypedIn | null;
  readonly inputs: readonly SentInput[];
  readonly inputCount: number;
  /** Absent if there was no frame, and in states of earlier versions. */
  readonly lastFrameAt?: number;
  /** Absent if no lines were erased, and in states of earlier versions. */
  readonly erasedTo?: number;
}

/**
 * The read-only side of a session, for readers and observers. Results that many observers need
 * after each change are computed once: a thousand waits on a flooding session cost little more than
 * one.
 */
export class SessionView extends TerminalLines<ViewedTerminal> {
  readonly id: string;
  /** The line in which the output begins; those before it are of a session that this one continues. */
  readonly startLine: number;
  /** Lines before this one that are no longer kept were erased by the program or by its user. */
  erasedTo = 0;
  readonly commands: ShellState;
  readonly outputs: CommandOutputs;
  /** All lines that can be read, also those that the terminal has dropped. */
  readonly all: TerminalLines;
  readonly #pty: ViewParts['pty'];
  readonly #events: Emitter<SessionEvent>;
  readonly #clock: Clock;
  /** Output that is not at hand otherwise. */
  #chunks: readonly OutputChunk[] | null = null;
  /** Output before that at hand, of a session that was restored. */
  #earlier: readonly OutputChunk[] = [];
  #earlierEnd = 0;
  #printed: readonly PrintedText[] | null = null;
  #fingerprint: number | null = null;
  #rowFingerprints: Int32Array | null = null;
  #rows: readonly string[] | null = null;
  #shown: ShownRows | null = null;
  /** What was shown at marks, by revision, oldest first. Not saved. */
  readonly #shownAt = new Map<number, ShownRows>();
  /** Absolute offset of the next byte of output. */
  outputEnd = 0;
  /** {@link outputEnd} at the last input; 0 if there was none. */
  lastInputAt = 0;
  /** {@link outputEnd} at the last frame of synchronized output; undefined if there was none. */
  lastFrameAt: number | undefined;
  readonly #inputs = new InputLog();
  /** {@link outputEnd} at the last input with a line end, maybe after the state was saved; 0 if there was none. */
  lastEnterAt = 0;
  /** When input was last accepted, in ms since 1970; null if none was. */
  lastInputAtMs: number | null = null;
  /** When output last arrived, in ms since 1970; null if none did. */
  lastOutputAtMs: number | null = null;
  /** As {@link lastInputAtMs} and {@link lastOutputAtMs}, by the clock that nobody sets. Not saved. */
  #inputAtMs = Number.NEGATIVE_INFINITY;
  #outputAtMs = Number.NEGATIVE_INFINITY;
  /** The last bursts of output since the last input, oldest first. Not saved. */
  #bursts: readonly OutputBurst[] = [];
  /** The last input. */
  #typedIn: TypedIn | null = null;
  /** Null while the program runs. */
  exitStatus: ExitStatus | null = null;

  constructor({ id, terminal, archive, pty, events, commands, clock, startLine }: ViewParts) {
    super(terminal);
    this.startLine = startLine;
    this.#clock = clock;
    this.id = id;
    this.commands = commands;
    this.#pty = pty;
    this.all = archive === null ? this : new TerminalLines(new ArchivedTerminal(terminal, archive));
    const { all: lines } = this;
    const rawOutput = (from: number) => this.rawOutput(from);
    this.outputs = new CommandOutputs({ terminal, lines, rawOutput });
    terminal.onErasedLines((next) => {
      this.erasedTo = next;
    });
    this.#events = events;
  }

  /** The oldest line that can be read, also of those that the terminal has dropped. */
  get oldestLine(): number {
    return this.all.terminal.firstLine;
  }

  /** The state to save. It contains only the input that the output shows. */
  save(): SavedView {
    const { outputEnd, lastInputAt, lastInputAtMs, lastOutputAtMs, inputCount } = this;
    const inputs = this.#inputs.shown((from) => this.rawOutput(from), outputEnd);
    return {
      outputEnd,
      lastInputAt,
      lastInputAtMs,
      lastOutputAtMs,
      inputCount,
      inputs,
      ...defined({ lastFrameAt: this.lastFrameAt, erasedTo: this.erasedTo || undefined }),
      typedIn: this.#shownTypedIn(inputs),
    };
  }

  /** Continues a view that was saved. */
  restore({ typedIn, inputs, inputCount, ...times }: SavedView): void {
    Object.assign(this, times);
    const of = (wallMs: number | null) =>
      wallMs === null
        ? Number.NEGATIVE_INFINITY
        : this.#clock.nowMs() - Math.max(0, this.#clock.wallMs() - wallMs);
    this.#inputAtMs = of(this.lastInputAtMs);
    this.#outputAtMs = of(this.lastOutputAtMs);
    this.#typedIn = typedIn;
    this.#inputs.restore(inputs, inputCount);
  }

  /**
   * Adds output before that at hand as far as it is needed later: that of the running command, and the
   * beginning of a mark that continues.
   *
   * @param begun the offset from which on the running command needs it
   * @param end the offset of the output at hand
   */
  addEarlier(chunks: readonly OutputChunk[], begun: number, end: number): void {
    const from = Math.min(begun, openMark(chunks, end));
    this.#earlierEnd = end;
    this.#earlier = chunks.flatMap((chunk) => (chunk.offset < end ? chunkFrom(chunk, from) : []));
  }

  /** Releases that output when neither needs it. */
  releaseEarlier(): void {
    if (this.#earlier.length === 0 || this.outputEnd < this.#earlierEnd + maxMarkBytes) return;
    const { running } = this.outputs;
    if (running === null || running.offset >= this.#earlierEnd) this.#earlier = [];
  }

  /** The line in which input was typed, with the characters of inputs that are shown. */
  #shownTypedIn(inputs: readonly SentInput[]): TypedIn | null {
    if (this.#typedIn === null) return null;
    const shown = new Set(inputs.flatMap(({ text }) => [...visible(text).slice(0, 2)].slice(0, 1)));
    const firsts = [...this.#typedIn.firsts].filter((character) => shown.has(character));
    return { ...this.#typedIn, firsts: firsts.join('') };
  }

  /** Must be called after output was applied. @param time when it arrived */
  noteOutput(time: Pick<Clock, 'nowMs' | 'wallMs'>): void {
    const { alternate, cursor, topLine } = this.terminal;
    const line = alternate ? cursor.row : topLine + cursor.row;
    const atMs = time.nowMs();
    const last = this.#bursts.at(-1);
    const isSame = last !== undefined && atMs - this.#outputAtMs < burstMs;
    const before = isSame ? this.#bursts.slice(0, -1) : this.#bursts;
    this.#bursts = [...before, { atMs: isSame ? last.atMs : atMs, line }].slice(-maxBursts);
    this.#outputAtMs = atMs;
    this.lastOutputAtMs = time.wallMs();
  }

  /** The last bursts of output since the last input, at most four, oldest first. */
  get bursts(): readonly OutputBurst[] {
    return this.#bursts;
  }

  /** Whether the program prints at a pace of its own, so that it does not wait for the terminal it reads. */
  isAtOwnPace(): boolean {
    if (this.lastOutputAtMs === null) return false;
    return this.silentMs() < ownPaceMs(this.#bursts, this.lineAtCursor().text);
  }

  /** Returns for how long nothing was printed, in ms. The time of day, which can be set, does not change it. */
  silentMs(): number {
    return this.#clock.nowMs() - this.#outputAtMs;
  }

  /** Returns for how long nothing was typed, in ms; Infinity if nothing was. The time of day does not change it. */
  untypedMs(): number {
    return this.#clock.nowMs() - this.#inputAtMs;
  }

  /** Whether nothing was printed or typed for a time, in ms. */
  isSilentFor(ms: number): boolean {
    return this.#clock.nowMs() - Math.max(this.#outputAtMs, this.#inputAtMs) >= ms;
  }

  /** Must be called after each change of the terminal. */
  renew(): void {
    this.#printed = null;
    this.#fingerprint = null;
    this.#rowFingerprints = null;
    this.#rows = null;
    this.#shown = null;
  }

  /** How often input was accepted. */
  get inputCount(): number {
    return this.#inputs.count;
  }

  /** The last inputs, oldest first. */
  get inputs(): readonly SentInput[] {
    return this.#inputs.inputs;
  }

  /** The bytes of output are valid until the listener returns. */
  onEvent(listener: Listener<SessionEvent>): Disposable {
    return this.#events.on(listener);
  }

  /**
   * Begins to make the current state, which later events continue, in parts.
   *
   * @param scrollbackLines the most lines above the screen; default all
   */
  snapshotting(scrollbackLines?: number): { next(): SnapshotEvent | null } {
    const dumping = this.terminal.dumping(scrollbackLines === undefined ? {} : { scrollbackLines });
    return {
      next: () => {
        const dump = dumping.next();
        if (dump === null) return null;
        const { size, revision } = this.terminal;
        const atMs = this.#clock.wallMs();
        return { type: 'snapshot', revision, atMs, size, ...dump, offset: this.outputEnd };
      },
    };
  }

  printedText(): readonly PrintedText[] {
    this.#printed ??= [...this.terminal.printedText()];
    return this.#printed;
  }

  fingerprint(): number {
    this.#fingerprint ??= this.terminal.fingerprint();
    return this.#fingerprint;
  }

  rowFingerprints(): Int32Array {
    this.#rowFingerprints ??= this.terminal.rowFingerprints();
    return this.#rowFingerprints;
  }

  screenRows(format: TextFormat = 'text'): readonly string[] {
    if (format === 'ansi') return screenRows(this.terminal, format);
    this.#rows ??= screenRows(this.terminal, format);
    return this.#rows;
  }

  /**
   * Returns what is shown: the rows of the alternate screen, or the lines of the primary one.
   *
   * @param fromLine the first line; default: the top line
   */
  shownRows(fromLine = this.terminal.topLine): ShownRows {
    const { alternate, topLine, endLine, shownRevision: revision } = this.terminal;
    if (!alternate) {
      const lines = this.lineTexts(Math.min(fromLine, topLine), endLine, 'spaced');
      const rows = Array.from(lines, ({ line: id, text }) => ({ id, text }));
      return { rows, alternate, revision };
    }
    if (this.#shown === null) {
      const ids = this.terminal.rowIds();
      const rows = this.screenRows().map((text, row) => ({ id: ids[row] ?? row, text }));
      this.#shown = { rows, alternate, revision };
    }
    return this.#shown;
  }

  /** Keeps what is shown, for {@link shownAt}, if the program redraws its screen. */
  keepShown(): void {
    const { shownRevision, topLine } = this.terminal;
    if (this.#shownAt.has(shownRevision) || !this.keepsEnterApart()) return;
    this.#shownAt.set(shownRevision, this.shownRows(topLine - linesAbove));
    const [oldest] = this.#shownAt.keys();
    if (this.#shownAt.size > maxShown && oldest !== undefined) this.#shownAt.delete(oldest);
  }

  /** Returns what was shown at a revision; undefined if it was not kept. */
  shownAt(revision: number): ShownRows | undefined {
    return this.#shownAt.get(revision);
  }

  /** Returns the cells of a row of the shown screen. */
  rowCells(row: number): readonly Cell[] {
    return this.terminal.readRow(row).cells();
  }

  /** Returns the text left of the cursor in its row of the shown screen. */
  textBeforeCursor(): string {
    const { row, col, wrapPending } = this.terminal.cursor;
    return this.terminal.readRow(row).text(0, wrapPending ? col + 1 : col);
  }

  /** Must be called for each input, before its first byte is written. */
  noteInput(bytes: Uint8Array): void {
    this.lastInputAt = this.outputEnd;
    this.#inputAtMs = this.#clock.nowMs();
    this.lastInputAtMs = this.#clock.wallMs();
    this.#bursts = [];
    if (hasLineEnd(bytes)) this.lastEnterAt = this.outputEnd;
    const { line, before } = this.#cursorLine();
    const typed = this.#typedIn;
    const isSame = typed?.line === line && before.startsWith(typed.before);
    const firsts = isSame ? typed.firsts : '';
    const first = firsts === '' || typed?.mayRestart ? firstVisible(bytes) : '';
    this.#typedIn = {
      line,
      before: isSame ? typed.before : before,
      firsts: firsts.includes(first) ? firsts : firsts + first,
      mayRestart: bytes.some((byte) => byte < 0x20 || byte === 0x7f),
    };
    const inputLine = this.terminal.alternate ? null : line;
    this.#inputs.add(bytes, { offset: this.outputEnd, line: inputLine, index: before.length });
  }

  /** Returns the text left of the cursor in its line: what the program wrote, and what was typed. */
  lineAtCursor(): { readonly text: string; readonly typed: string } {
    const { line, before } = this.#cursorLine();
    const typedIn = this.#typedIn;
    if (typedIn?.line !== line || !before.startsWith(typedIn.before))
      return { text: before, typed: '' };
    const rest = before.slice(typedIn.before.length);
    // Keys without a text, such as up, can show text behind a prompt; else the program wrote it.
    const [begin = ''] = rest.trimStart();
    const isTyped =
      typedIn.firsts === '' ? typedIn.before.trim() !== '' : typedIn.firsts.includes(begin);
    return isTyped ? { text: typedIn.before, typed: rest } : { text: before, typed: '' };
  }

  /** Whether the shell's line editor reads a line at a prompt with the nonce, and no Enter was sent since. */
  isEditingLine(): boolean {
    const { prompt } = this.commands;
    return prompt !== null && prompt.offset > this.lastEnterAt;
  }

  /**
   * Whether the program gets an Enter apart from the text before it: it is more than a line editor, because it has
   * asked for focus reports, keyboard flags, synchronized output or the alternate screen. Such programs tell a paste
   * from typing by time, and take an Enter that comes with its text for a line end of a paste. A shell at a marked
   * prompt is a line editor, although fish asks for keyboard flags.
   */
  keepsEnterApart(): boolean {
    const { alternateScreen, focusReporting, kittyFlags } = this.terminal.viewModes;
    if (alternateScreen) return true;
    if (!focusReporting && kittyFlags === 0 && !this.#drawsFrames()) return false;
    return this.commands.prompt === null && !this.isAtUnverifiedPrompt();
  }

  /** Whether the running program has used synchronized output (mode 2026). */
  #drawsFrames(): boolean {
    const { running } = this.commands;
    if (this.lastFrameAt === undefined) return false;
    return running === null || this.lastFrameAt >= running.from.offset;
  }

  /** Whether the cursor is where marks without the nonce say that a prompt ends. */
  isAtUnverifiedPrompt(): boolean {
    const prompt = this.commands.unverified?.prompt ?? null;
    if (prompt === null || this.terminal.alternate) return false;
    const { line, col } = this.terminal.linePosition();
    return line === prompt.line && col === prompt.col;
  }

  /** Returns the line of the cursor; its row on the alternate screen. */
  #cursorLine(): { readonly line: number; readonly before: string } {
    const { alternate, cursor } = this.terminal;
    if (alternate) return { line: cursor.row, before: this.textBeforeCursor() };
    return this.terminal.linePosition();
  }

  /**
   * Calls `use` while {@link rawOutput} has all output from an offset on that is kept: at once if that
   * is at hand, else when the PTY host has sent it. Only until `use` returns or waits.
   */
  async withKeptOutput<T>(from: number, use: () => T | Promise<T>): Promise<T> {
    if (from >= this.#pty.outputStart) return use();
    const chunks = await this.#pty.keptOutput(from);
    this.#chunks = chunks;
    try {
      return use();
    } finally {
      this.#chunks = null;
    }
  }

  /** Returns the raw output from an offset on that is at hand: the newest. */
  rawOutput(from: number): readonly OutputChunk[] {
    const first = this.#chunks?.[0];
    if (this.#chunks !== null && first !== undefined && first.offset < this.#pty.outputStart) {
      return this.#chunks.flatMap((chunk) => chunkFrom(chunk, from));
    }
    const { outputStart } = this.#pty;
    const earlier = this.#earlier.filter(({ offset }) => offset < outputStart);
    return [...earlier.flatMap((chunk) => chunkFrom(chunk, from)), ...this.#pty.outputAtHand(from)];
  }
}

/** A mark is at most 16 KiB long. */
export const maxMarkBytes = 20 * 1024;

/** Returns the offset of the control string that some output ends in; `end` if there is none. */
function openMark(chunks: readonly OutputChunk[], end: number): number {
  const before = chunks.filter(({ offset }) => offset < end);
  const bytes = Buffer.concat(before.map((chunk) => chunk.bytes));
  const first = before[0]?.offset ?? end;
  const text = bytes.subarray(0, end - first).toString('latin1');
  const at = text.search(/\x1b(?:\](?:[^\x07\x1b]|\x1b(?!\\|.))*)?$/);
  return at < 0 ? end : first + at;
}

function firstVisible(input: Uint8Array): string {
  const [first = ''] = visible(decodeUtf8(input.subarray(0, 256)));
  return first;
}
