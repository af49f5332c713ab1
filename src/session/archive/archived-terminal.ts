import type { LineFinder, LineScan } from '#model';
import type { Reader, Terminal } from '#vt';
import {
  firstStored,
  onDroppedLines,
  type PackedLines,
  packedLines,
  unpackedLines,
} from '#vt/saving';

/** Held at once: those that are read one after the other, and those around a match. */
const maxBlocks = 2;

/** A block of lines that can be read. */
interface Block {
  readonly from: number;
  readonly to: number;
  readonly terminal: Terminal;
}

/** The lines of a terminal, and before them those that it dropped, as far as the archive has them. */
export class ArchivedTerminal {
  readonly #terminal: Terminal;
  readonly #archive: LineArchive;
  /** The newest last. */
  #blocks: Block[] = [];

  constructor(terminal: Terminal, archive: LineArchive) {
    this.#terminal = terminal;
    this.#archive = archive;
  }

  get revision(): number {
    return this.#terminal.revision;
  }

  /** The oldest line that can be read. */
  get firstLine(): number {
    const { firstLine } = this.#terminal;
    const stored = firstStored(this.#terminal);
    const { firstLine: archived, endLine } = this.#archive;
    if (endLine >= stored && archived < endLine) return Math.min(firstLine, archived);
    return Math.min(firstLine, stored);
  }

  get endLine(): number {
    return this.#terminal.endLine;
  }

  *readLines(from: number, to: number): Generator<{ line: number; reader: Reader }> {
    const { firstLine } = this.#terminal;
    for (let line = Math.max(from, this.firstLine); line < Math.min(to, firstLine); ) {
      const block = this.#blockOf(line);
      if (block === null) {
        const [{ to: next } = { to: line + 1 }] = this.#archive.sizes(line, line + 1);
        line = Math.max(line + 1, next);
        continue;
      }
      const end = Math.min(block.to, to, firstLine);
      yield* block.terminal.readLines(line, end);
      line = end;
    }
    yield* this.#terminal.readLines(from, to);
  }

  scanLines(from: number, to: number, find: LineFinder): LineScan {
    const { firstLine } = this.#terminal;
    const first = Math.max(from, this.firstLine);
    if (first >= Math.min(to, firstLine)) return this.#terminal.scanLines(first, to, find);
    const block = this.#blockOf(first);
    if (block === null) return { line: first + 1, mayMatch: false, unreadable: true };
    return block.terminal.scanLines(first, Math.min(block.to, to, firstLine), find);
  }

  textBytes(from: number, to: number): number {
    const { firstLine } = this.#terminal;
    const stored = firstStored(this.#terminal);
    const first = Math.max(from, this.firstLine);
    const end = Math.min(to, firstLine);
    let bytes = this.#terminal.textBytes(Math.max(from, firstLine), to);
    for (const block of this.#archive.sizes(first, Math.min(end, stored))) {
      const isWhole = block.from >= first && block.to <= Math.min(end, stored);
      bytes += isWhole
        ? block.textBytes
        : this.#textBytesOf(block.from, Math.max(first, block.from), Math.min(end, block.to));
    }
    return bytes + this.#textBytesOf(stored, Math.max(first, stored), end);
  }

  #textBytesOf(line: number, from: number, to: number): number {
    return from < to ? (this.#blockOf(line)?.terminal.textBytes(from, to) ?? 0) : 0;
  }

  /** Returns the block that has a line before the first of the terminal. */
  #blockOf(line: number): Block | null {
    const index = this.#blocks.findIndex(({ from, to }) => line >= from && line < to);
    const [record] = index < 0 ? [] : this.#blocks.splice(index, 1);
    const block = record ?? this.#read(line);
    if (block === null) return null;
    this.#blocks.push(block);
    if (this.#blocks.length > maxBlocks) this.#blocks.shift();
    return block;
  }

  #read(line: number): Block | null {
    const { firstLine } = this.#terminal;
    const isStored = line >= firstStored(this.#terminal);
    const lines = !isStored ? this.#archive.read(line) : this.#ownLines(line, firstLine);
    const terminal = lines === null ? null : unpackedLines(lines.to, lines.bytes);
    return lines === null || terminal === null ? null : { ...lines, terminal };
  }

  #ownLines(line: number, end: number): ReadLines | null {
    const lines = packedLines(this.#terminal, line, end);
    return lines && { from: lines.from, to: lines.to, bytes: Buffer.concat(lines.parts) };
  }
}

/** Adds the lines that a terminal drops from now on to an archive. @param onAdd called after each addition */
export function keepDroppedLines(
  terminal: Terminal,
  archive: LineArchive,
  onAdd: () => void,
): void {
  onDroppedLines(
    terminal,
    (lines, textBytes) => {
      archive.add(lines, textBytes);
      onAdd();
    },
    () => archive.erase(),
    archive.endLine,
  );
}

/** Lines that a session's scrollback has dropped, in files: without gaps, the newest within limits. */
export interface LineArchive {
  /** The oldest line; {@link endLine} if there is none. */
  readonly firstLine: number;
  /** One past the last line. */
  readonly endLine: number;
  /**
   * Adds lines after the last one. Those that it has already are skipped: the output of a session that is
   * continued is applied again. If lines are missing before them, all older ones are removed. Never throws:
   * lines that cannot be written are not in the archive. A file may have them only after {@link flush}.
   *
   * @param textBytes of their text as UTF-8, with a line feed for each
   */
  add(lines: PackedLines, textBytes: number): void;
  /**
   * Writes what was added. Must be called before a state without these lines is saved: what was not written when the
   * process is killed is then added again.
   */
  flush(): void;
  /** Returns the block that has a line; null if it cannot be read. */
  read(line: number): ReadLines | null;
  /** Returns the sizes of the blocks that have lines from `from` up to but excluding `to`. */
  sizes(from: number, to: number): readonly ArchivedBlock[];
  /** Removes all lines. */
  erase(): void;
}

/** Lines of a block. */
export interface ReadLines {
  readonly from: number;
  /** One past the last line. */
  readonly to: number;
  /** The parts of {@link PackedLines}, joined; there can be lines before `from` in them. */
  readonly bytes: Uint8Array;
}

/** Consecutive lines that are read together. */
export interface ArchivedBlock {
  readonly from: number;
  /** One past the last line. */
  readonly to: number;
  /** Bytes of UTF-8 in their text, with a line feed for each. */
  readonly textBytes: number;
}

/** Opens archives of sessions. */
export interface LineArchives {
  /**
   * Opens the archive of a session.
   *
   * @param id of the session
   * @param key encrypts its lines, 32 bytes; lines that another key encrypted are not read
   * @param isLeft whether an earlier coordinator may have begun it
   */
  open(id: string, key: Uint8Array, isLeft: boolean): LineArchive;
  /** Removes the archive of a session. */
  remove(id: string): void;
  /** Removes the archives of other sessions. */
  keepOnly(ids: ReadonlySet<string>): void;
}
