import type { Palette } from './palette.ts';

/** As many as xterm keeps. */
export const maxSavedColors = 10;

/** Place and colour in turn, of those that are not as they were initially. */
type SavedPalette = Int32Array;

/**
 * The stack of XTPUSHCOLORS and XTPOPCOLORS. Its places can be written and read by their number too,
 * which pushes and pops nothing: what was popped stays there until the next push.
 */
export class SavedColors {
  readonly #slots: (SavedPalette | undefined)[] = [];
  #depth = 0;

  /** How many are pushed. */
  get depth(): number {
    return this.#depth;
  }

  /** How many places there are, up to the last that was ever written. */
  get size(): number {
    return this.#slots.length;
  }

  get bytes(): number {
    return this.#slots.reduce((sum, slot) => sum + (slot?.byteLength ?? 0), 0);
  }

  /** Places and colours; nothing where no palette was saved. @param slot from 0 */
  at(slot: number): readonly (readonly [slot: number, color: number])[] | undefined {
    const saved = this.#slots[slot];
    if (saved === undefined) return undefined;
    return Array.from({ length: saved.length / 2 }, (_, at) => [saved[2 * at], saved[2 * at + 1]]);
  }

  /** A push on a full stack forgets the oldest. */
  push(palette: Palette): void {
    if (this.#depth === maxSavedColors) this.#slots.shift();
    else this.#depth++;
    this.store(this.#depth - 1, palette);
  }

  /** @param slot from 0, below {@link maxSavedColors} */
  store(slot: number, palette: Palette): void {
    this.#slots[slot] = Int32Array.from([...palette.changed].flat());
  }

  pop(palette: Palette): void {
    if (this.#depth > 0) this.recall(--this.#depth, palette);
  }

  /** Changes nothing where no palette was saved. @param slot from 0 */
  recall(slot: number, palette: Palette): void {
    const saved = this.at(slot);
    if (saved === undefined) return;
    palette.resetAll();
    for (const [index, color] of saved) palette.set(index, color);
  }
}
