import type { CommandRecord, Size } from '#model';
import type { OutputChunk } from '#pty';
import type { Terminal } from '#vt';
import { contentHash } from '../input/recorded-input.ts';
import type { TerminalLines } from '../terminal-reader.ts';
import {
  type Beginning,
  cutOutput,
  joined,
  type KeptOutput,
  linesBeforeClear,
  type RenderedOutput,
  renderOutput,
  type SizeChange,
} from './kept-output.ts';

/** Lines that are part of a command's output. */
export interface OutputPart {
  readonly lines: TerminalLines;
  readonly from: number;
  /** One past the last line. */
  readonly to: number;
  /** The first column of the first line that belongs to the output. */
  readonly fromCol: number;
  /** One past the last column of the last line. */
  readonly toCol: number;
  /**
   * Add this to a line to get its number in the session; null if the session no longer has these
   * lines.
   */
  readonly shift: () => number | null;
}

/** The output of a command as lines. */
export interface CommandLines {
  readonly parts: readonly OutputPart[];
  /** The lines that are no longer kept, as far as known. */
  readonly lostLines: number;
  /** Whether output is no longer kept because the screen was cleared or written over. */
  readonly cleared: boolean;
  readonly openEnd: boolean;
  /** Rows that the ended command left on the alternate screen. Absent: 0. */
  readonly screenRows?: number;
}

/** The raw output of a command, as far as it is kept. */
export interface CommandBytes {
  readonly bytes: Uint8Array;
  /** Absolute offset of the first byte. */
  readonly offset: number;
  /** Bytes before them that are no longer kept. */
  readonly lostBytes: number;
}

export interface CommandOutputsParts {
  readonly terminal: Terminal;
  /** All lines that can be read, also those that the terminal has dropped. */
  readonly lines: TerminalLines;
  /** Returns the raw output from an offset on that is kept. */
  readonly rawOutput: (from: number) => readonly OutputChunk[];
}

/** Output kept of one command, in bytes: its end. */
const maxBytes = 64 * 1024;
/** Output kept of all commands, in bytes; that of the oldest command is dropped first. */
const maxAllBytes = 1024 * 1024;
/** Bytes before the kept ones that are examined, for their lines and styles. */
const maxCutBytes = 1024 * 1024;
/** The most changes of the size during a command that are kept. */
const maxSizeChanges = 100;
/** The most commands whose output is kept. */
const maxCommands = 1_000;
/** A running command with more output is read from the lines, unless it moved up. */
const maxRenderedBytes = 256 * 1024;

const all = Number.POSITIVE_INFINITY;

/** The running command. A plain JSON value, except the bytes of the settings. */
export interface Running {
  readonly number: number;
  readonly beginning: Beginning;
  /** Absolute offset of the byte after the mark. */
  readonly offset: number;
  readonly changes: SizeChange[];
  /** How often the screen had been cleared. */
  readonly clears: number;
  /** The topmost line printed on again in its revision before it began; Infinity if none. */
  readonly rewrittenFrom: number;
}

export interface LinePosition {
  readonly line: number;
  readonly col: number;
}

/** Lines that may change, with what is needed to see later whether they have. */
export interface ShownLines extends LinePosition {
  /** A hash of the text of each line from that position on. */
  readonly hashes: readonly string[];
}

/** An ended command. */
export interface Ended {
  readonly command: CommandRecord;
  /** Null if it was dropped. */
  kept: KeptOutput | null;
  /** Absolute offset of the byte after the mark. */
  readonly offset: number;
  /** From here on the lines were only its output when it ended; null if none surely were. */
  readonly own: LinePosition | null;
  /** The line of the first row when it ended. Lines above it no longer change. */
  readonly topLine: number;
  /** The revision when it ended. */
  readonly revision: number;
  /**
   * Its lines on the screen when it ended, if their bytes are not all kept. Undefined if an earlier version
   * saved it.
   */
  readonly shown?: ShownLines | null;
  /** The revision at which all its lines were found unchanged in the scrollback. */
  settledAt: number | null;
}

/**
 * The output of a session's commands. Lines of a terminal can be cleared or written over by later
 * output, so the bytes of each command are kept, within bounds, and rendered when they are read.
 */
export class CommandOutputs {
  readonly #terminal: Terminal;
  readonly #lines: TerminalLines;
  readonly #rawOutput: CommandOutputsParts['rawOutput'];
  #running: Running | null = null;
  /** By number, oldest first. */
  readonly #ended = new Map<number, Ended>();
  #bytes = 0;

  constructor({ terminal, lines, rawOutput }: CommandOutputsParts) {
    this.#terminal = terminal;
    this.#lines = lines;
    this.#rawOutput = rawOutput;
  }

  /** The running command; null if there is none. */
  get running(): Running | null {
    return this.#running;
  }

  /** Returns the output of a command that ended; null if nothing is known about it. */
  ended({ number }: CommandRecord): Readonly<Ended> | null {
    return this.#ended.get(number) ?? null;
  }

  /** Continues outputs that were saved. */
  restore(running: Running | null, ended: readonly Ended[]): void {
    this.#running = running;
    for (const each of ended) {
      this.#ended.set(each.command.number, { ...each });
      this.#bytes += each.kept?.bytes.length ?? 0;
    }
  }

  /** Forgets the outputs of all commands. */
  clear(): void {
    this.#running = null;
    this.#ended.clear();
    this.#bytes = 0;
  }

  /** Must be called while the terminal has the state at the beginning of the command. */
  begin({ number, from, startRevision }: CommandRecord): void {
    const { size } = this.#terminal;
    const settings = this.#terminal.dumpSettings();
    const beginning = { size, settings };
    // A mark is in at most two pages of output.
    const chunks = this.#rawOutput(from.offset).slice(0, 2);
    const offset = (chunks[0]?.offset ?? from.offset) + markLength(joined(chunks));
    const clears = this.#terminal.lastClear?.number ?? 0;
    const rewrittenFrom = this.#terminal.rewrittenFrom(startRevision - 1);
    this.#running = { number, beginning, offset, changes: [], clears, rewrittenFrom };
  }

  /** @param offset absolute offset of the next byte */
  resized(offset: number, size: Size): void {
    const { changes } = this.#running ?? {};
    if (changes === undefined) return;
    if (changes.at(-1)?.offset === offset) changes.pop();
    changes.push({ offset, size });
    if (changes.length > maxSizeChanges) changes.shift();
  }

  /** Must be called while the terminal has the state at the end of the command. */
  end(command: CommandRecord): void {
    const running = this.#running;
    if (running === null || running.number !== command.number || command.to === null) return;
    this.#running = null;
    const keptOutput = this.#keptOf(running, command.to.offset, maxBytes);
    const { topLine, revision } = this.#terminal;
    const own = this.#ownFrom(command, running);
    const { offset } = running;
    const settledAt = null;
    const { line } = command.to;
    const isCut = keptOutput.cutBytes > 0 && own !== null && line !== null;
    const shown = isCut ? this.#shownLines(own, positionOf(line, command.to)) : null;
    const ended = { command, kept: keptOutput, offset, own, topLine, revision, shown, settledAt };
    this.#ended.set(command.number, ended);
    this.#bytes += keptOutput.bytes.length;
    this.#dropOverLimits(command);
  }

  lines(command: CommandRecord): CommandLines {
    return command.to === null ? this.#runningLines(command) : this.#endedLines(command);
  }

  bytes({ number, from, to }: CommandRecord): CommandBytes {
    const ended = this.#ended.get(number);
    const keptOutput = ended?.kept ?? null;
    const start = ended?.offset ?? this.#running?.offset ?? from.offset;
    if (keptOutput !== null && keptOutput.cutBytes === 0) {
      return { bytes: keptOutput.bytes, offset: start, lostBytes: 0 };
    }
    const chunks = this.#rawBetween(start, to?.offset ?? all);
    const offset = chunks[0]?.offset ?? Math.max(start, to?.offset ?? start);
    const keptAt = keptOutput === null ? all : keptOutput.offset + keptOutput.stylesBytes;
    if (keptOutput === null || keptAt >= offset) {
      return { bytes: joined(chunks), offset, lostBytes: offset - start };
    }
    const bytes = keptOutput.bytes.subarray(keptOutput.stylesBytes);
    return { bytes, offset: keptAt, lostBytes: keptAt - start };
  }

  #runningLines(command: CommandRecord): CommandLines {
    const running = this.#running;
    if (running === null || running.number !== command.number) return nothing(command);
    const keptOutput = this.#keptOf(running, all, maxRenderedBytes);
    const isWhole = keptOutput.cutBytes === 0;
    const own = this.#ownFrom(command, running);
    if (isWhole || own === null) return this.#rendered(command, keptOutput);
    return this.#sessionLines(own, this.#terminal.linePosition(), keptOutput.clearedLines);
  }

  #endedLines(command: CommandRecord): CommandLines {
    const ended = this.#ended.get(command.number);
    if (ended === undefined || command.to === null) return nothing(command);
    const { kept, own, settledAt } = ended;
    const { from, to } = command;
    if (kept === null) {
      const isThere = settledAt !== null && to.line !== null && from.line !== null;
      if (!isThere || this.#terminal.returnedFrom(settledAt) <= to.line) return nothing(command);
      return this.#sessionLines(positionOf(from.line, from), positionOf(to.line, to));
    }
    if (kept.cutBytes === 0 || own === null || to.line === null) {
      return this.#rendered(command, kept);
    }
    return this.#longOutput(command, { ...ended, own }, kept, positionOf(to.line, to));
  }

  /** Returns the lines that have not changed, and the kept end if it has more. */
  #longOutput(
    command: CommandRecord,
    ended: Ended & { readonly own: LinePosition },
    keptOutput: KeptOutput,
    to: LinePosition,
  ): CommandLines {
    const { own } = ended;
    const output = renderOutput(keptOutput);
    const shift = to.line - output.endLine;
    const tail = output.from + shift;
    // The command cleared the screen within the kept end.
    if (tail < own.line) return this.#rendered(command, keptOutput);
    const unchanged = this.#changedFrom(ended, to);
    const { beginsInLine = false } = keptOutput;
    const hasTail = tail <= unchanged && !beginsInLine && this.#hasLines(output, shift);
    if (hasTail || unchanged >= endOf(to)) {
      const { screenRows } = output;
      return { ...this.#sessionLines(own, to, keptOutput.clearedLines), screenRows };
    }
    const end = Math.max(own.line, Math.min(tail, unchanged));
    const head = this.#sessionLines(own, { line: end, col: 0 }, keptOutput.clearedLines);
    const gone = Math.max(beginsInLine ? 1 : 0, tail - end);
    const parts = [...head.parts, partOf(output, () => null)];
    return {
      parts,
      lostLines: head.lostLines + gone,
      cleared: gone > 0,
      openEnd: output.openEnd,
      screenRows: output.screenRows,
    };
  }

  /** Returns those of the lines between two positions that are on the screen. */
  #shownLines(from: LinePosition, to: LinePosition): ShownLines {
    const { topLine } = this.#terminal;
    // Includes the part of the topmost line that is above the screen: a resize may move it back.
    const first = from.line < topLine ? { line: topLine, col: 0 } : from;
    return { ...first, hashes: this.#hashes(first, to) };
  }

  #hashes(from: LinePosition, to: LinePosition): string[] {
    const end = Math.max(from.line, endOf(to));
    const toCol = to.col > 0 ? to.col : all;
    const texts = textsOf(this.#lines, from.line, end, from.col, toCol);
    return texts.map((text) => contentHash(text));
  }

  /** Returns the first line of an output that may have changed since its end; else one past its last line. */
  #changedFrom({ topLine, revision, shown }: Ended, to: LinePosition): number {
    const returned = this.#terminal.returnedFrom(revision - 1);
    if (shown == null || returned < shown.line) return Math.min(topLine, returned);
    const now = this.#hashes(shown, to);
    const same = shown.hashes.findIndex((hash, index) => hash !== now[index]);
    return shown.line + (same < 0 ? shown.hashes.length : same);
  }

  #rendered(command: CommandRecord, keptOutput: KeptOutput): CommandLines {
    // Many commands print nothing, and a terminal of its own takes longer than the rest of their answer.
    const isSilent = keptOutput.bytes.length === 0 && keptOutput.cutBytes === 0;
    if (isSilent && command.to !== null) return silent;
    const output = renderOutput(keptOutput);
    const { line } = command.to ?? this.#terminal.position;
    const shift = () => {
      if (line === null || command.from.line === null) return null;
      const by = line - output.endLine;
      return this.#hasLines(output, by) ? by : null;
    };
    return {
      parts: output.to > output.from ? [partOf(output, shift)] : [],
      lostLines: Math.max(keptOutput.beginsInLine ? 1 : 0, keptOutput.cutLines),
      cleared: false,
      openEnd: output.openEnd,
      screenRows: command.to === null ? 0 : output.screenRows,
    };
  }

  /**
   * Returns the lines of the session from one position up to another.
   *
   * @param lostBefore lines of the output above that are no longer kept
   */
  #sessionLines(from: LinePosition, to: LinePosition, lostBefore = 0): CommandLines {
    const { firstLine } = this.#lines.terminal;
    const begin = from.line;
    const end = endOf(to);
    const first = Math.min(end, Math.max(begin, firstLine));
    const fromCol = first === begin ? from.col : 0;
    const part = { lines: this.#lines, from: first, to: end, fromCol, shift: () => 0 };
    const isEmpty = first === end;
    return {
      parts: isEmpty ? [] : [{ ...part, toCol: to.col > 0 ? to.col : all }],
      lostLines: lostBefore + first - begin,
      cleared: false,
      openEnd: isEmpty || to.col > 0,
    };
  }

  /** Whether the session still has the lines of an output, `shift` further down. */
  #hasLines({ lines, from, to, fromCol, toCol, openEnd }: RenderedOutput, shift: number): boolean {
    if (from + shift < this.#lines.terminal.firstLine) return false;
    const own = textsOf(lines, from, to, fromCol, toCol);
    const texts = textsOf(this.#lines, from + shift, to + shift, fromCol, toCol);
    // The prompt follows a last line without a line end.
    const isStart = (index: number) => openEnd && index === own.length - 1;
    return own.every((text, index) =>
      isStart(index) ? texts[index]?.startsWith(text) : texts[index] === text,
    );
  }

  /**
   * Returns the position from which on the lines are only the output of a command: where it began
   * if it only printed downwards, or the top of the screen when it last cleared it. Null if unknown.
   */
  #ownFrom(
    { from, to, startRevision }: CommandRecord,
    { clears, rewrittenFrom }: Running,
  ): LinePosition | null {
    const terminal = this.#terminal;
    const { lastClear } = terminal;
    const line = to === null ? terminal.position.line : to.line;
    if (from.line === null || line === null || terminal.frameOpen) return null;
    // The command may have begun in the middle of the revision.
    const since = startRevision - 1;
    if (lastClear !== null && lastClear.number > clears) {
      const isOwn = line >= lastClear.line && terminal.returnedFrom(since) >= lastClear.line;
      return isOwn ? { line: lastClear.line, col: 0 } : null;
    }
    const isDownward = terminal.rewrittenFrom(since) >= Math.min(from.line, rewrittenFrom);
    return line >= from.line && isDownward ? positionOf(from.line, from) : null;
  }

  #keptOf(running: Running, end: number, limit: number): KeptOutput {
    const { beginning, offset, changes, clears } = running;
    const chunks = newest(this.#rawBetween(offset, end), limit + maxCutBytes);
    const first = chunks[0]?.offset ?? this.#knownEnd(offset, end);
    const bytes = joined(chunks);
    const base = { beginning, changes: [...changes] };
    if (first <= offset && bytes.length <= limit) {
      const whole = { stylesBytes: 0, cutLines: 0, clearedLines: 0, cutBytes: 0 };
      return { ...base, offset, bytes: bytes.slice(), ...whole };
    }
    const { styles, tail, cutLines, beginsInLine } = cutOutput(
      bytes,
      Math.min(limit, bytes.length),
    );
    const withStyles = new Uint8Array(styles.length + tail.length);
    withStyles.set(styles);
    withStyles.set(tail, styles.length);
    const at = first + bytes.length - withStyles.length;
    const cutBytes = first + bytes.length - tail.length - offset;
    const isCleared = (this.#terminal.lastClear?.number ?? 0) > clears;
    const clearedLines = isCleared ? linesBeforeClear(bytes) : 0;
    const later = changes.filter((change) => change.offset > at);
    const size = changes.findLast((change) => change.offset <= at)?.size ?? beginning.size;
    return {
      beginning: { ...beginning, size },
      changes: later,
      offset: at,
      bytes: withStyles,
      stylesBytes: styles.length,
      cutLines,
      clearedLines,
      cutBytes,
      beginsInLine,
    };
  }

  /** Returns the end of the output of a command, within `end`. */
  #knownEnd(offset: number, end: number): number {
    return Math.max(offset, end === all ? this.#terminal.position.offset : end);
  }

  /** Returns the raw output from `start` up to but excluding `end`, as far as it is kept. */
  #rawBetween(start: number, end: number): OutputChunk[] {
    const chunks: OutputChunk[] = [];
    for (const { offset, bytes } of this.#rawOutput(start)) {
      const length = Math.min(bytes.length, end - offset);
      if (length > 0) chunks.push({ offset, bytes: bytes.subarray(0, length) });
    }
    return chunks;
  }

  /** Drops the oldest output over the limits. */
  #dropOverLimits(newest: CommandRecord): void {
    for (const [number, ended] of this.#ended) {
      const isOver = this.#bytes > maxAllBytes || this.#ended.size > maxCommands;
      if (!isOver || number === newest.number) break;
      if (this.#ended.size > maxCommands) this.#forget(number, ended);
      else if (ended.kept !== null && ended.kept.bytes.length > 0) this.#drop(ended, ended.kept);
    }
  }

  /** Drops the output of a command that the ledger no longer has. */
  #forget(number: number, { kept }: Ended): void {
    this.#ended.delete(number);
    this.#bytes -= kept?.bytes.length ?? 0;
  }

  /** Drops the output of a command. Its lines replace it if they can no longer change. */
  #drop(ended: Ended, keptOutput: KeptOutput): void {
    const { to, from } = ended.command;
    const isDownward =
      ended.own !== null && ended.own.line === from.line && ended.own.col === from.col;
    if (isDownward && to?.line != null && to.line < this.#terminal.topLine) {
      if (this.#isThere(ended, keptOutput, positionOf(to.line, to)))
        ended.settledAt = this.#terminal.revision;
    }
    this.#bytes -= keptOutput.bytes.length;
    ended.kept = null;
  }

  /** Whether the session still has the lines of an output, all of them above the screen. */
  #isThere(ended: Ended, keptOutput: KeptOutput, to: LinePosition): boolean {
    if (keptOutput.cutBytes > 0) return this.#changedFrom(ended, to) >= endOf(to);
    if (this.#terminal.returnedFrom(ended.revision - 1) !== all) return false;
    const output = renderOutput(keptOutput);
    return this.#hasLines(output, to.line - output.endLine);
  }
}

/** Returns the last chunks, with at least `count` bytes if there are so many. */
function newest(chunks: readonly OutputChunk[], count: number): readonly OutputChunk[] {
  let left = count;
  const first = chunks.findLastIndex(({ bytes }) => {
    left -= bytes.length;
    return left <= 0;
  });
  return chunks.slice(Math.max(0, first));
}

const nothing = ({ from, to }: CommandRecord): CommandLines => {
  const lostLines = Math.max(1, (to?.line ?? 0) - (from.line ?? 0));
  return { parts: [], lostLines, cleared: true, openEnd: true };
};

/** The lines of a command that has ended without output. */
const silent: CommandLines = {
  parts: [],
  lostLines: 0,
  cleared: false,
  openEnd: true,
  screenRows: 0,
};

const positionOf = (line: number, { col }: { readonly col: number }): LinePosition => ({
  line,
  col,
});

/** One past the last line of an output with this end. */
const endOf = ({ line, col }: LinePosition): number => (col > 0 ? line + 1 : line);

function partOf(output: RenderedOutput, shift: () => number | null): OutputPart {
  const { lines, from, to, fromCol, toCol } = output;
  return { lines, from, to, fromCol, toCol, shift };
}

/** Returns the texts of lines between two columns; empty for lines that do not exist. */
function textsOf(
  lines: TerminalLines,
  from: number,
  to: number,
  fromCol: number,
  toCol: number,
): string[] {
  const texts = new Array<string>(to - from).fill('');
  for (const { line, text } of lines.lineTexts(from, to)) texts[line - from] = text;
  const part = (line: number) => {
    const columns = { from: line === from ? fromCol : 0, to: line === to - 1 ? toCol : all };
    texts[line - from] = lines.linePart(line, columns);
  };
  if (fromCol > 0 && to > from) part(from);
  if (toCol !== all && to > from) part(to - 1);
  return texts;
}

const bel = 0x07;
/** The two forms of ST: ESC and a backslash, and U+009C in UTF-8. */
const stringEnds = [
  [0x1b, 0x5c],
  [0xc2, 0x9c],
] as const;

/** Returns the length of the control string (OSC) that some output begins with. */
function markLength(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === bel) return at + 1;
    for (const [first, second] of stringEnds) {
      if (bytes[at] === first && bytes[at + 1] === second) return at + 2;
    }
  }
  return 0;
}
