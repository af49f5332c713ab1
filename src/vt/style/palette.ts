import { defaultBackgroundRgb, defaultForegroundRgb, paletteRgb } from '#model';

/** The initial colours of a terminal as 0xRRGGBB; default: xterm's. */
export interface TerminalColors {
  readonly foreground?: number;
  readonly background?: number;
  readonly cursor?: number;
  /**
   * The first entries of the palette. The rest are the colour cube and the greys of the 256
   * colours.
   */
  readonly palette?: readonly number[];
}

export const paletteSize = 256;
/** OSC 5: bold, underline, blink, inverse, italic. */
export const specialCount = 5;
/** OSC 10 to 19: foreground, background, cursor, and those that xterm adds. */
export const dynamicCount = 10;

/**
 * All colours are in one list: the palette, the special colours as OSC 4 numbers them, then the
 * dynamic colours.
 */
export const firstDynamic = paletteSize + specialCount;
const colorCount = firstDynamic + dynamicCount;

const background = firstDynamic + 1;
/** The dynamic colours that are backgrounds: of text, of the pointer, of the Tektronix window. */
const backgrounds = [1, 4, 6];
const cursors = [2, 8];

const defaultColors: TerminalColors = {};

/** The colours behind the colour numbers. Programs can query and change them. */
export class Palette {
  readonly #initial: Int32Array;
  #changed = new Map<number, number>();
  /** Whether a snapshot refers to the map: the next change replaces it. */
  #isShared = false;

  constructor(colors: TerminalColors = defaultColors) {
    this.#initial = initialOf(colors);
  }

  /** The colours that differ from the initial ones, by index. */
  get changed(): ReadonlyMap<number, number> {
    return this.#changed;
  }

  /** As {@link changed}, without later changes. The same object if no colour changed since. */
  snapshot(): ReadonlyMap<number, number> {
    this.#isShared = true;
    return this.#changed;
  }

  /** Whether the background is nearer to black than to white (ITU-R BT.601 luma). */
  get isDark(): boolean {
    const color = this.get(background);
    return 299 * (color >> 16) + 587 * ((color >> 8) & 0xff) + 114 * (color & 0xff) < 127_500;
  }

  /**
   * Returns 0xRRGGBB.
   *
   * @param index 0 up to but excluding the number of colours
   */
  get(index: number): number {
    return this.#changed.get(index) ?? this.#initial[index];
  }

  set(index: number, color: number): void {
    if (color === this.get(index)) return;
    if (color === this.#initial[index]) this.reset(index);
    else this.#own().set(index, color);
  }

  reset(index: number): void {
    if (this.#changed.has(index)) this.#own().delete(index);
  }

  /** Resets the colours from `from` up to but excluding `to`; default all. */
  resetAll(from = 0, to = colorCount): void {
    for (const index of [...this.#changed.keys()]) {
      if (index >= from && index < to) this.reset(index);
    }
  }

  #own(): Map<number, number> {
    if (this.#isShared) this.#changed = new Map(this.#changed);
    this.#isShared = false;
    return this.#changed;
  }
}

/** By the options, which do not change. Terminals with the same options share it. */
const initials = new WeakMap<TerminalColors, Int32Array>();

function initialOf(colors: TerminalColors): Int32Array {
  const palette = initials.get(colors) ?? initialColors(colors);
  initials.set(colors, palette);
  return palette;
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
