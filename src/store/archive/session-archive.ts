import { createSecretKey, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { ArchivePart, type Block, type Lines, type ReadLines } from './archive-part.ts';

/** A part is full when it has this many bytes; the limit removes whole parts. */
const fullBytes = 4 * 1024 * 1024;

export interface SessionArchiveParts {
  /** The directory of this session; made when there is something to write. */
  readonly directory: string;
  readonly key: Uint8Array;
  /** Those of an earlier process, oldest first. */
  readonly found: readonly ArchivePart[];
  /** Makes the directory. @throws Error */
  readonly makeDirectory: () => void;
  /** Called after a part was begun or has grown. */
  readonly onGrown: () => void;
  /** Called with the reason why lines could not be written or read. */
  readonly onFailed: (error: Error) => void;
}

/** The archived lines of one session, in parts; the oldest parts can be removed. Contract: `LineArchive` of `session`. */
export class SessionArchive {
  readonly #options: SessionArchiveParts;
  /** Made once, because each use of the bytes would copy them. */
  readonly #key: KeyObject;
  /** Oldest first, without gaps. */
  #parts: ArchivePart[] = [];

  constructor(options: SessionArchiveParts) {
    this.#options = options;
    this.#key = createSecretKey(options.key);
    for (const part of options.found) {
      const isNext = part.blocks[0]?.from === this.endLine;
      if (!isNext) this.erase();
      if (part.blocks.length > 0) this.#parts.push(part);
      else this.#remove(part);
    }
  }

  get firstLine(): number {
    return this.#parts[0]?.blocks[0]?.from ?? 0;
  }

  get endLine(): number {
    return this.#parts.at(-1)?.blocks.at(-1)?.to ?? 0;
  }

  get bytes(): number {
    return this.#parts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Whether {@link dropOldest} can remove anything. */
  get canDrop(): boolean {
    return this.#parts.length > 1;
  }

  add(lines: Lines, textBytes: number): void {
    if (lines.to <= this.endLine && lines.from >= this.firstLine) return;
    const isNext = lines.from === this.endLine;
    if (!isNext && lines.from > this.firstLine && lines.from < this.endLine) {
      // Continued after a restart, with other borders. The first lines of the block are never read.
      this.add({ ...lines, from: this.endLine }, textBytes);
      return;
    }
    if (!isNext) this.erase();
    if (this.#tryAdd(lines, textBytes, this.#options.onFailed)) this.#options.onGrown();
  }

  read(line: number): ReadLines | null {
    for (const part of this.#parts) {
      const block = part.blocks.find(({ from, to }) => line >= from && line < to);
      if (block === undefined) continue;
      try {
        return part.read(block, this.#key);
      } catch (error) {
        this.#options.onFailed(error as Error);
        return null;
      }
    }
    return null;
  }

  sizes(from: number, to: number): readonly Block[] {
    return this.#parts.flatMap(({ blocks }) =>
      blocks.filter((each) => each.from < to && each.to > from),
    );
  }

  erase(): void {
    for (const part of this.#parts.splice(0)) this.#remove(part);
  }

  /** Removes the oldest part. */
  dropOldest(): void {
    const part = this.#parts.shift();
    if (part !== undefined) this.#remove(part);
  }

  /** Ends the writing; what is written stays. */
  close(): void {
    for (const part of this.#parts) part.close();
  }

  #tryAdd(lines: Lines, textBytes: number, failed: (error: Error) => void): boolean {
    try {
      this.#partFor(lines).add(lines, textBytes, this.#key);
      return true;
    } catch (error) {
      const last = this.#parts.at(-1);
      if (last?.blocks.length === 0) {
        this.#parts.pop();
        this.#remove(last);
      }
      failed(error as Error);
      return false;
    }
  }

  #partFor({ from }: Lines): ArchivePart {
    const last = this.#parts.at(-1);
    if (last !== undefined && last.bytes < fullBytes) return last;
    last?.close();
    this.#options.makeDirectory();
    const part = new ArchivePart(join(this.#options.directory, partName(from)));
    this.#parts.push(part);
    return part;
  }

  #remove(part: ArchivePart): void {
    try {
      part.remove();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#options.onFailed(error as Error);
    }
  }
}

/** A name by which parts are sorted: line numbers have at most 16 digits. */
const partName = (from: number): string => `${String(from).padStart(16, '0')}.lines`;
