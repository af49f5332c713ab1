import * as attribute from './attributes.ts';
import type { Palette } from './palette.ts';
import { Pen } from './pen.ts';

/** The same limit as xterm. */
const maxEntries = 10;

/** The attributes by their numbers in XTPUSHSGR, which are those of SGR. */
const attributeBits: Readonly<Record<number, number>> = {
  1: attribute.bold,
  2: attribute.dim,
  3: attribute.italic,
  4: attribute.underlineMask,
  5: attribute.blink,
  7: attribute.inverse,
  8: attribute.hidden,
  9: attribute.strikethrough,
  21: attribute.underlineMask,
};
/** The numbers of the colours: the current one, and the one before xterm patch 334. */
const foregroundParts = [30, 10];
const backgroundParts = [31, 11];
/** Has no meaning. Written when none of the requested parts is known. */
const noPart = 99;

interface SavedPen {
  readonly pen: Pen;
  /** The parts to restore: the attributes in the mask and these colours; null for all. */
  readonly parts: { readonly mask: number; readonly fg: boolean; readonly bg: boolean } | null;
}

/** The stack of pens of XTPUSHSGR and XTPOPSGR. */
export class SavedPens {
  #entries: SavedPen[] = [];

  /** The oldest first; `requested` as in {@link push}. */
  get entries(): readonly { readonly pen: Pen; readonly requested: readonly number[] }[] {
    return this.#entries.map(({ pen, parts }) => ({ pen, requested: numbersOf(parts) }));
  }

  /**
   * On a full stack, drops the oldest.
   *
   * @param requested numbers of the parts to save; empty for all
   */
  push(pen: Pen, requested: readonly number[]): void {
    if (this.#entries.length === maxEntries) this.#entries.shift();
    const copy = new Pen();
    copy.copyFrom(pen);
    this.#entries.push({ pen: copy, parts: requested.length === 0 ? null : partsOf(requested) });
  }

  pop(pen: Pen): void {
    const saved = this.#entries.pop();
    if (saved === undefined) return;
    const { parts } = saved;
    if (parts === null) {
      const protection = pen.attributes & attribute.protectedCell;
      pen.copyFrom(saved.pen);
      // Protection is not an SGR attribute.
      pen.attributes = (pen.attributes & ~attribute.protectedCell) | protection;
      return;
    }
    pen.attributes = (pen.attributes & ~parts.mask) | (saved.pen.attributes & parts.mask);
    if (parts.fg) pen.fg = saved.pen.fg;
    if (parts.bg) pen.bg = saved.pen.bg;
  }
}

function partsOf(requested: readonly number[]): SavedPen['parts'] {
  let mask = 0;
  for (const number of requested) mask |= attributeBits[number] ?? 0;
  const has = (numbers: number[]) => numbers.some((number) => requested.includes(number));
  return { mask, fg: has(foregroundParts), bg: has(backgroundParts) };
}

function numbersOf(parts: SavedPen['parts']): number[] {
  if (parts === null) return [];
  const numbers = Object.keys(attributeBits).map(Number);
  const present = numbers.filter((number) => (parts.mask & attributeBits[number]) !== 0);
  if (parts.fg) present.push(foregroundParts[0]);
  if (parts.bg) present.push(backgroundParts[0]);
  return present.length > 0 ? present : [noPart];
}

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
