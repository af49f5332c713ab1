import { expect } from 'vitest';
import type { LineArchive } from '#session';
import type { SavedLines } from '#vt';

/** An archive in memory. */
export class MemoryArchive implements LineArchive {
  readonly blocks: (SavedLines & { readonly textBytes: number })[] = [];

  get firstLine(): number {
    return this.blocks[0]?.from ?? 0;
  }

  get endLine(): number {
    return this.blocks.at(-1)?.to ?? 0;
  }

  add(lines: SavedLines, textBytes: number): void {
    expect(lines.from).toBe(this.blocks.length === 0 ? lines.from : this.endLine);
    this.blocks.push({ ...lines, textBytes });
  }

  read(line: number): SavedLines | null {
    return this.blocks.find(({ from, to }) => line >= from && line < to) ?? null;
  }

  sizes(from: number, to: number) {
    return this.blocks.filter((each) => each.from < to && each.to > from);
  }

  erase(): void {
    this.blocks.length = 0;
  }
}
