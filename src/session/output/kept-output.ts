import { joinBytes } from '#base';
import type { Size } from '#model';
import type { OutputChunk } from '#pty';
import { Terminal } from '#vt';
import { TerminalLines } from '../terminal-reader.ts';

/** The state of the terminal when a command began. */
export interface Beginning {
  readonly size: Size;
  /** Gives a terminal its settings and the cursor; see `Terminal.dumpSettings`. */
  readonly settings: Uint8Array;
}

/** A change of the size while the command ran. */
export interface SizeChange {
  /** Absolute offset of the first byte after it. */
  readonly offset: number;
  readonly size: Size;
}

/** The output of a command, or its end, with all that is needed to render it. */
export interface KeptOutput {
  readonly beginning: Beginning;
  readonly changes: readonly SizeChange[];
  /** Absolute offset of the first byte, as if {@link bytes} were all raw output. */
  readonly offset: number;
  /** Raw output, after SGR sequences if its beginning was cut off. */
  readonly bytes: Uint8Array;
  readonly stylesBytes: number;
  /** Lines and bytes of the output before {@link bytes}. */
  readonly cutLines: number;
  readonly cutBytes: number;
  /** Whether the first line of {@link bytes} is only the end of one. Undefined if an earlier version saved it. */
  readonly beginsInLine?: boolean;
  /** Lines of the output before it last cleared the screen, as far as known. */
  readonly clearedLines: number;
}

/** The lines that a command wrote, in a terminal of their own. */
export interface RenderedOutput {
  readonly lines: TerminalLines<Terminal>;
  readonly from: number;
  /** One past the last line. */
  readonly to: number;
  /** The first column of the first line that belongs to the output. */
  readonly fromCol: number;
  /** One past the last column of the last line. */
  readonly toCol: number;
  /** The line of the cursor at the end. */
  readonly endLine: number;
  /** Whether the output is empty or its last line has no line end. */
  readonly openEnd: boolean;
  /** The number of rows that are not empty, if the alternate screen is shown at the end; else 0. */
  readonly screenRows: number;
}

/** More than the lines of the bytes that are rendered at once. */
const scrollback = { maxLines: 1_000_000, maxBytes: 64 * 1024 * 1024 };
const lineFeed = 0x0a;
const all = Number.POSITIVE_INFINITY;
/** The last row, where the output continues after its beginning was cut off. */
const lastRow = new TextEncoder().encode('\x1b[999H');

/** Ends an unfinished sequence, and prints a character after the output. */
const endMark = new TextEncoder().encode('\x18.');

/**
 * Renders output in an empty terminal with the cursor where the command began. So nothing of other
 * commands is in it, wherever the command moved the cursor. Lines that the command itself cleared
 * are included.
 */
export function renderOutput(keptOutput: KeptOutput): RenderedOutput {
  const { size, settings } = keptOutput.beginning;
  const terminal = new Terminal({ size, scrollback, keepsErased: true });
  terminal.feed(settings);
  if (keptOutput.cutBytes > 0) terminal.feed(lastRow);
  const start = terminal.linePosition();
  feedWithSizes(terminal, keptOutput);
  // The cursor of an unfinished frame counts, too.
  terminal.endFrame();
  const screenRows = terminal.alternate
    ? terminal.screenText().filter((row) => row !== '').length
    : 0;
  const isElsewhere = keptOutput.cutBytes === 0 && movesFirst(keptOutput.bytes);
  const { from, fromCol } = beginningOf(terminal, start, isElsewhere);
  const { to, toCol, endLine, isOpen } = endOf(terminal);
  // Without a character below them, empty lines at the end would not exist.
  if (endLine === to) terminal.feed(endMark);
  const lines = new TerminalLines(terminal);
  return {
    lines,
    from,
    to: Math.max(from, to),
    fromCol,
    toCol,
    endLine,
    openEnd: from >= to || isOpen,
    screenRows,
  };
}

function feedWithSizes(terminal: Terminal, { changes, offset, bytes }: KeptOutput): void {
  let at = 0;
  for (const change of changes) {
    const end = Math.max(at, change.offset - offset);
    terminal.feed(bytes.subarray(at, end));
    terminal.resize(change.size);
    at = end;
  }
  terminal.feed(bytes.subarray(at));
}

/** Moves to a row (CUP, HVP, VPA), with only controls and other sequences before them. */
const move =
  /^(?:[\0-\x1a\x1c-\x1f]|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[^[\]])*?\x1b\[[\d;]*[Hfd]/;
/** A longer prefix is not examined. */
const maxMoveBytes = 512;

/** Whether a command moved the cursor to a row before it wrote anything. */
function movesFirst(bytes: Uint8Array): boolean {
  return move.test(String.fromCharCode(...bytes.subarray(0, maxMoveBytes)));
}

/**
 * Returns where the output begins: where the command began, or where the first line above begins
 * that it wrote.
 *
 * @param isElsewhere whether the command wrote nothing where it began
 */
function beginningOf(
  terminal: Terminal,
  { line, col }: { readonly line: number; readonly col: number },
  isElsewhere: boolean,
): { readonly from: number; readonly fromCol: number } {
  const end = isElsewhere ? terminal.endLine : line;
  for (const read of terminal.readLines(0, end)) {
    if (read.reader.text() === '') continue;
    return { from: read.line, fromCol: read.reader.firstCol() };
  }
  return { from: line, fromCol: col };
}

/** Returns where the output ends, and whether its last line has no line end. */
function endOf(terminal: Terminal) {
  const onAlternate = terminal.position.line === null;
  const { line, col } = onAlternate ? { line: terminal.endLine, col: 0 } : terminal.linePosition();
  const [read] = terminal.readLines(line, line + 1);
  // Before its prompt, zsh prints spaces to the end of the row.
  const isBlankAfter = read === undefined || read.reader.text(col).trim() === '';
  const end = Math.max(line + 1, endOfText(terminal, line + 1));
  const isLast = end === line + 1;
  if (onAlternate || !isLast || !isBlankAfter) {
    const isOpen = !onAlternate && isLast && col > 0;
    return { to: end, toCol: all, endLine: line, isOpen };
  }
  const to = col > 0 ? line + 1 : line;
  return { to, toCol: col > 0 ? col : all, endLine: line, isOpen: col > 0 };
}

/** Returns one past the last line with text, from `from` on: rows that were cleared are blank. */
function endOfText(terminal: Terminal, from: number): number {
  let end = from;
  for (const { line, reader } of terminal.readLines(from, terminal.endLine)) {
    if (reader.text() !== '') end = line + 1;
  }
  return end;
}

/**
 * Returns the last `maxBytes` of some output, from the beginning of a line on, with the styles that
 * apply there.
 */
export function cutOutput(
  bytes: Uint8Array,
  maxBytes: number,
): {
  readonly styles: Uint8Array;
  readonly tail: Uint8Array;
  readonly cutLines: number;
  readonly beginsInLine: boolean;
} {
  const cut = bytes.length - maxBytes;
  const end = bytes.indexOf(lineFeed, cut);
  const at = end < 0 ? afterCharacter(bytes, cut) : end + 1;
  const head = bytes.subarray(0, at);
  const tail = bytes.subarray(at);
  const beginsInLine = end < 0 && tail.length > 0;
  return { styles: stylesAtEnd(head), tail, cutLines: count(head, lineFeed), beginsInLine };
}

/** ED 2 and ED 3, ED 0 at the first cell, RIS: as programs write them. */
const clears = ['\x1b[2J', '\x1b[3J', '\x1b[H\x1b[J', '\x1b[H\x1b[0J', '\x1b[1;1H\x1b[J', '\x1bc'];

/** Returns the number of line ends before the last clear of the screen. */
export function linesBeforeClear(bytes: Uint8Array): number {
  const output = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const at = Math.max(...clears.map((sequence) => output.lastIndexOf(sequence)));
  return at < 0 ? 0 : count(bytes.subarray(0, at), lineFeed);
}

/** Returns the index of the first character that begins at or after `from`. */
function afterCharacter(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

function count(bytes: Uint8Array, value: number): number {
  let index = 0;
  for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value, at + 1)) index++;
  return index;
}

const esc = 0x1b;
const openBracket = 0x5b;
const finalSgr = 0x6d;
/** The most sequences before the cut that are examined. */
const maxSequences = 256;

/** Returns the SGR sequences that apply at the end of some output. */
function stylesAtEnd(bytes: Uint8Array): Uint8Array {
  const sequences: string[] = [];
  let at = bytes.lastIndexOf(esc);
  for (let left = maxSequences; at >= 0 && left > 0; left--) {
    const sgr = sgrAt(bytes, at);
    if (sgr !== null) sequences.unshift(sgr);
    if (sgr !== null && /^\x1b\[(?:0*(?:;|m))/.test(sgr)) break;
    at = at === 0 ? -1 : bytes.lastIndexOf(esc, at - 1);
  }
  return new TextEncoder().encode(sequences.join(''));
}

function sgrAt(bytes: Uint8Array, at: number): string | null {
  if (bytes[at + 1] !== openBracket) return null;
  let end = at + 2;
  while (end < bytes.length && (bytes[end] ?? 0) >= 0x30 && (bytes[end] ?? 0) <= 0x3b) end++;
  return bytes[end] === finalSgr ? String.fromCharCode(...bytes.subarray(at, end + 1)) : null;
}

/** Returns the bytes of some chunks as one array. */
export function joined(chunks: readonly OutputChunk[]): Uint8Array {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first.bytes;
  return joinBytes(chunks.map(({ bytes }) => bytes));
}
