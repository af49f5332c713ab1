import { decodeUtf8, encodeUtf8 } from '#base';
import type { PageContent } from '../scrollback/page.ts';
import { type Inside, inside, Terminal } from '../terminal.ts';

/** Complete lines above the screen, as a page stores them: packing them copies and renders nothing. */
export interface PackedLines {
  readonly from: number;
  /** One past the last line. */
  readonly to: number;
  /** Joined, they are the bytes that {@link unpackedLines} reads. Valid until the terminal changes. */
  readonly parts: readonly Uint8Array[];
}

/** Changes with `page-text.ts`, `page-styles.ts` and the form below. */
const version = 1;
/** Seven numbers of 32 bits, little-endian: version, lines, text, runs, links (bytes), the two starts. */
const headerBytes = 28;
const bytesOfEnds = 2 * Uint32Array.BYTES_PER_ELEMENT;

/**
 * Calls `drop` during a feed for lines above the screen before the limits of the scrollback drop them, oldest
 * first and without gaps; `textBytes` is the size of their text, as `Terminal.textBytes` returns it. Calls
 * `erase` when the program erases all lines above the screen. Must be called once.
 *
 * @param from the first line that is not known yet
 */
export function onDroppedLines(
  terminal: Inside,
  drop: (lines: PackedLines, textBytes: number) => void,
  erase: () => void,
  from = 0,
): void {
  const { scrollback } = terminal[inside].state;
  scrollback.onErase = erase;
  scrollback.reportedEnd = from;
  scrollback.onDrop = (content, textBytes) => drop(pack(content), textBytes);
}

/**
 * Reports the lines over the limit of the scrollback, which may still be in memory, as {@link onDroppedLines}
 * does: a restored terminal does not have them.
 */
export function reportDroppedLines(terminal: Inside): void {
  terminal[inside].state.scrollback.reportBeyondLimits();
}

/**
 * The oldest line that is in memory. Lines over the limit of the scrollback stay there until there are enough
 * to be dropped together.
 */
export function firstStored(terminal: Inside): number {
  return terminal[inside].state.scrollback.firstStored;
}

/**
 * Returns a line that is in memory, and lines beside it that were printed with it, all before `to`; null if
 * it is not in memory.
 */
export function packedLines(terminal: Inside, line: number, to: number): PackedLines | null {
  const content = terminal[inside].state.scrollback.content(line, to);
  return content && pack(content);
}

/**
 * Returns a terminal with lines above its empty screen that are read as those that were packed.
 *
 * @param to one past the last line
 * @param bytes the parts of {@link PackedLines}, joined
 * @returns null if an incompatible version of vtr has packed them
 */
export function unpackedLines(to: number, bytes: Uint8Array): Terminal | null {
  const content = unpack(to, bytes);
  if (content === null) return null;
  const limits = { maxLines: content.lineCount, maxBytes: Number.POSITIVE_INFINITY };
  const terminal = new Terminal({ size: { cols: 80, rows: 1 }, scrollback: limits });
  terminal[inside].state.scrollback.hold(content);
  return terminal;
}

/** Header, text, and if there are runs: the runs, the ends in the byte order of the machine, the links. */
function pack({
  firstLine: from,
  lineCount,
  text,
  runs,
  ends,
  ...others
}: PageContent): PackedLines {
  const { textStart, runsStart, links } = others;
  const to = from + lineCount;
  const hasLinks = runs.length > 0 && links.length > 0;
  const linkBytes = encodeUtf8(hasLinks ? JSON.stringify(links) : '');
  const header = new DataView(new ArrayBuffer(headerBytes));
  const numbers = [version, lineCount, text.length, runs.length, linkBytes.length];
  for (const [index, number] of [...numbers, textStart, runsStart].entries()) {
    header.setUint32(index * 4, number, true);
  }
  const parts = [new Uint8Array(header.buffer), text];
  if (runs.length > 0) {
    parts.push(runs, new Uint8Array(ends.buffer, ends.byteOffset, ends.byteLength), linkBytes);
  }
  return { from, to, parts };
}

/** Returns null if the bytes have the form of another version of vtr. */
function unpack(to: number, bytes: Uint8Array): PageContent | null {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < headerBytes || header.getUint32(0, true) !== version) return null;
  const number = (index: number) => header.getUint32(index * 4, true);
  const lineCount = number(1);
  let at = headerBytes;
  const next = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const text = next(number(2));
  const runs = next(number(3));
  // Copied: they may not be aligned.
  const endBytes = new Uint8Array(next(runs.length > 0 ? lineCount * bytesOfEnds : 0));
  const ends = new Uint32Array(endBytes.buffer);
  const linkBytes = next(number(4));
  const links = linkBytes.length > 0 ? (JSON.parse(decodeUtf8(linkBytes)) as string[]) : [];
  const starts = { firstLine: to - lineCount, textStart: number(5), runsStart: number(6) };
  return { ...starts, lineCount, text, runs, ends, links };
}
