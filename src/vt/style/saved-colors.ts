import type { Palette } from './palette.ts';

/** The same limit as xterm. */
export const maxSavedColors = 10;

/** Alternating indexes and colours of the colours that differ from the initial ones. */
type SavedPalette = Int32Array;

/**
 * The stack of XTPUSHCOLORS and XTPOPCOLORS. A slot can also be written and read by number without
 * pushing or popping. A popped palette stays in its slot until the next push.
 */
export class SavedColors {
  readonly #slots: (SavedPalette | undefined)[] = [];
  #depth = 0;

  /** Number of pushed palettes. */
  get depth(): number {
    return this.#depth;
  }

  /** Number of slots, up to the last one that was ever written. */
  get size(): number {
    return this.#slots.length;
  }

  get bytes(): number {
    return this.#slots.reduce((sum, slot) => sum + (slot?.byteLength ?? 0), 0);
  }

  /**
   * Returns indexes and colours, or undefined if the slot is empty.
   *
   * @param slot 0-based
   */
  at(slot: number): readonly (readonly [slot: number, color: number])[] | undefined {
    const saved = this.#slots[slot];
    if (saved === undefined) return undefined;
    return Array.from({ length: saved.length / 2 }, (_, at) => [saved[2 * at], saved[2 * at + 1]]);
  }

  /** On a full stack, drops the oldest. */
  push(palette: Palette): void {
    if (this.#depth === maxSavedColors) this.#slots.shift();
    else this.#depth++;
    this.store(this.#depth - 1, palette);
  }

  /** @param slot 0-based, below {@link maxSavedColors} */
  store(slot: number, palette: Palette): void {
    this.#slots[slot] = Int32Array.from([...palette.changed].flat());
  }

  pop(palette: Palette): void {
    if (this.#depth > 0) this.recall(--this.#depth, palette);
  }

  /**
   * Does nothing if the slot is empty.
   *
   * @param slot 0-based
   */
  recall(slot: number, palette: Palette): void {
    const saved = this.at(slot);
    if (saved === undefined) return;
    palette.resetAll();
    for (const [index, color] of saved) palette.set(index, color);
  }
}
