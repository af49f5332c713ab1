import { expect } from 'vitest';
import type { ArchivedBlock, LineArchive } from '#session';
import type { PackedLines } from '#vt/saving';

/** An archive in memory. */
export class MemoryArchive implements LineArchive {
  readonly blocks: (ArchivedBlock & { readonly bytes: Uint8Array })[] = [];
  /** The end of what would be in a file. */
  flushedTo = 0;

  get firstLine(): number {
    return this.blocks[0]?.from ?? 0;
  }

  get endLine(): number {
    return this.blocks.at(-1)?.to ?? 0;
  }

  add({ from, to, parts }: PackedLines, textBytes: number): void {
    expect(from).toBe(this.blocks.length === 0 ? from : this.endLine);
    this.blocks.push({ from, to, bytes: Buffer.concat(parts), textBytes });
  }

  flush(): void {
    this.flushedTo = this.endLine;
  }

  read(line: number) {
    return this.blocks.find(({ from, to }) => line >= from && line < to) ?? null;
  }

  sizes(from: number, to: number) {
    return this.blocks.filter((each) => each.from < to && each.to > from);
  }

  erase(): void {
    this.blocks.length = 0;
  }
}
