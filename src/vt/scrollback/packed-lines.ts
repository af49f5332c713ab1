import { decodeUtf8, encodeUtf8 } from '#base';

/** Complete lines above the screen, as a page stores them: packing them copies and renders nothing. */
export interface PackedLines {
  readonly from: number;
  /** One past the last line. */
  readonly to: number;
  /** Joined, they are the bytes that {@link unpack} reads. Valid until the terminal changes. */
  readonly parts: readonly Uint8Array[];
}

/** What a page stores of consecutive lines. */
export interface PageContent {
  readonly lineCount: number;
  /** With the end of each line; see `page-text.ts`. */
  readonly text: Uint8Array;
  /** See `page-styles.ts`. */
  readonly runs: Uint8Array;
  /** For each line, where its text ends and where its runs end; needed if there are runs. */
  readonly ends: Uint32Array;
  /** What is to be subtracted from the ends of texts. */
  readonly textStart: number;
  /** What is to be subtracted from the ends of runs. */
  readonly runsStart: number;
  /** By number - 1; see `PageLinks`. */
  readonly links: readonly string[];
}

/** Changes with `page-text.ts`, `page-styles.ts` and the form below. */
const version = 1;
/** Seven numbers of 32 bits, little-endian: version, lines, text, runs, links (bytes), the two starts. */
const headerBytes = 28;
const bytesOfEnds = 2 * Uint32Array.BYTES_PER_ELEMENT;

/** Returns header, text, and if there are runs: the runs, the ends in the byte order of the machine, the links. */
export function pack(content: PageContent): Uint8Array[] {
  const { lineCount, text, runs, ends, textStart, runsStart, links } = content;
  const hasLinks = runs.length > 0 && links.length > 0;
  const linkBytes = encodeUtf8(hasLinks ? JSON.stringify(links) : '');
  const header = new DataView(new ArrayBuffer(headerBytes));
  const numbers = [version, lineCount, text.length, runs.length, linkBytes.length];
  for (const [index, number] of [...numbers, textStart, runsStart].entries()) {
    header.setUint32(index * 4, number, true);
  }
  const parts = [new Uint8Array(header.buffer), text];
  if (runs.length === 0) return parts;
  return [...parts, runs, new Uint8Array(ends.buffer, ends.byteOffset, ends.byteLength), linkBytes];
}

/** Returns null if the bytes have the form of another version of vtr. */
export function unpack(bytes: Uint8Array): PageContent | null {
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
  return { lineCount, text, runs, ends, textStart: number(5), runsStart: number(6), links };
}
