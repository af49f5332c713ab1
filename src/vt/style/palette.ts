import { defaultBackgroundRgb, defaultForegroundRgb, paletteRgb } from '#model';

/** The colours that a terminal begins with, as 0xRRGGBB; xterm's where nothing is said. */
export interface TerminalColors {
  readonly foreground?: number;
  readonly background?: number;
  readonly cursor?: number;
  /** The first entries of the palette; the others are the cube and the greys of 256 colours. */
  readonly palette?: readonly number[];
}

export const paletteSize = 256;
/** OSC 5: bold, underline, blink, inverse, italic. */
export const specialCount = 5;
/** OSC 10 to 19: foreground, background, cursor, and what comes after them in xterm. */
export const dynamicCount = 10;

/** All colours are one list: the palette, then the special ones, as OSC 4 counts, then these. */
export const firstDynamic = paletteSize + specialCount;
const colorCount = firstDynamic + dynamicCount;

const background = firstDynamic + 1;
/** What of the dynamic colours lies behind: background, pointer, Tektronix. */
const backgrounds = [1, 4, 6];
const cursors = [2, 8];

/** What the numbers of colours look like, which programs may ask for and change. */
export class Palette {
  readonly #initial: Int32Array;
  readonly #changed = new Map<number, number>();

  constructor(colors: TerminalColors = {}) {
    this.#initial = initialColors(colors);
  }

  /** The colours that are not as they were initially, by their place. */
  get changed(): ReadonlyMap<number, number> {
    return this.#changed;
  }

  /** Whether the background is nearer to black than to white (ITU-R BT.601 luma). */
  get isDark(): boolean {
    const color = this.get(background);
    return 299 * (color >> 16) + 587 * ((color >> 8) & 0xff) + 114 * (color & 0xff) < 127_500;
  }

  /** 0xRRGGBB. @param index 0 up to and without the number of all colours */
  get(index: number): number {
    return this.#changed.get(index) ?? this.#initial[index];
  }

  set(index: number, color: number): void {
    if (color === this.#initial[index]) this.#changed.delete(index);
    else this.#changed.set(index, color);
  }

  reset(index: number): void {
    this.#changed.delete(index);
  }

  /** Resets the places `from` up to and without `to`; all when nothing is said. */
  resetAll(from = 0, to = colorCount): void {
    for (const index of [...this.#changed.keys()]) {
      if (index >= from && index < to) this.#changed.delete(index);
    }
  }
}

function initialColors(colors: TerminalColors): Int32Array {
  const foreground = colors.foreground ?? defaultForegroundRgb;
  const all = new Int32Array(colorCount).fill(foreground);
  for (let index = 0; index < paletteSize; index++) all[index] = paletteRgb(index);
  all.set((colors.palette ?? []).slice(0, paletteSize));
  for (const index of backgrounds)
    all[firstDynamic + index] = colors.background ?? defaultBackgroundRgb;
  for (const index of cursors) all[firstDynamic + index] = colors.cursor ?? foreground;
  return all;
}
