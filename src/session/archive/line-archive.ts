import type { PackedLines } from '#vt/saving';

/** Lines that a session's scrollback has dropped, in files: without gaps, the newest within limits. */
export interface LineArchive {
  /** The oldest line; {@link endLine} if there is none. */
  readonly firstLine: number;
  /** One past the last line. */
  readonly endLine: number;
  /**
   * Adds lines after the last one. Those that it has already are skipped: the output of a session that is
   * continued is applied again. If lines are missing before them, all older ones are removed. Never throws:
   * lines that cannot be written are not in the archive.
   *
   * @param textBytes of their text as UTF-8, with a line feed for each
   */
  add(lines: PackedLines, textBytes: number): void;
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
