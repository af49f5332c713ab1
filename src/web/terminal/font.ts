import type { Size } from '#model';
import { settings } from '../look/settings.ts';
import { shapeFont } from './shape-font.ts';

/** The size of a cell in CSS pixels: whole pixels of the device, so that cells join. */
export interface CellBox {
  readonly width: number;
  readonly height: number;
}

/** What a font takes in a terminal, in CSS pixels, for a size of 1. */
export interface FontMetrics {
  /** How far a letter goes on. */
  readonly advance: number;
  readonly lineHeight: number;
}

const sample = 'M'.repeat(100);

/** Measures a letter of a terminal element in its present font, without the space between letters, in CSS pixels. */
function measured(terminal: HTMLElement): { readonly width: number; readonly height: number } {
  const probe = document.createElement('div');
  probe.className = 'probe row';
  probe.textContent = sample;
  terminal.append(probe);
  const { width, height } = probe.getBoundingClientRect();
  probe.remove();
  return { width: width / sample.length, height };
}

/** Returns where the baseline of text is in a row of a terminal element, from its top, in CSS pixels. */
function baselineOf(terminal: HTMLElement): number {
  const row = document.createElement('div');
  row.className = 'probe row placed';
  const mark = document.createElement('span');
  mark.className = 'baseline';
  row.append('M', mark);
  terminal.append(row);
  const baseline = mark.getBoundingClientRect().bottom - row.getBoundingClientRect().top;
  row.remove();
  return baseline;
}

/** Returns the size of cells for a size of the font in CSS pixels. @param ratio pixels of the device for a CSS pixel */
export function cellOf({ advance, lineHeight }: FontMetrics, font: number, ratio: number): CellBox {
  const whole = (length: number) => Math.max(1, Math.round(length * ratio)) / ratio;
  const height = lineHeight * font;
  // Browsers put text at whole CSS pixels, where those are whole pixels of the device.
  const isWhole = Number.isInteger(ratio);
  return { width: whole(advance * font), height: isWhole ? Math.round(height) : whole(height) };
}

/** Returns the room for cells in a terminal element, without its padding and its scroll bar, in CSS pixels. */
function roomIn(terminal: HTMLElement): { readonly width: number; readonly height: number } {
  const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(terminal);
  const sum = (...lengths: string[]) =>
    lengths.reduce((total, length) => total + Number.parseFloat(length), 0);
  return {
    width: terminal.clientWidth - sum(paddingLeft, paddingRight),
    height: terminal.clientHeight - sum(paddingTop, paddingBottom),
  };
}

/** Returns the columns and rows that fit into a box, at least 20 by 4. */
export const fittingSize = (width: number, height: number, cell: CellBox): Size => ({
  cols: Math.min(1000, Math.max(20, Math.floor(width / cell.width))),
  rows: Math.min(1000, Math.max(4, Math.floor(height / cell.height))),
});

/** The smallest font that the page chooses: else a person who zooms in would get no larger text. */
const smallest = 11;
/** On a phone, all columns are seen at once, as far as they can be read at all. */
const smallestOfPhone = 6;
/** Rows are scrolled before the font becomes smaller than this. */
const smallestForRows = 9;

interface Fitting {
  /** What the font takes. */
  readonly metrics: FontMetrics;
  /** Pixels of the device for a CSS pixel. */
  readonly ratio: number;
  /** The size that the person wants, which is the largest one. */
  readonly font: number;
  /** The smallest font; what does not fit in it is scrolled to. */
  readonly least?: number;
}

/**
 * Returns the largest font in which all columns fit, in CSS pixels, in steps of a quarter.
 *
 * @param height in which all rows fit, too, unless the font becomes too small; absent: any
 */
export function fontFor(
  { cols, rows }: Size,
  {
    width,
    height = Number.POSITIVE_INFINITY,
  }: { readonly width: number; readonly height?: number },
  { metrics, ratio, font, least = smallest }: Fitting,
): number {
  const floor = Math.min(font, least);
  for (let size = font; size > floor; size -= 0.25) {
    const cell = cellOf(metrics, size, ratio);
    const hasRows = cell.height * rows <= height || size <= smallestForRows;
    if (cell.width * cols <= width && hasRows) return size;
  }
  return floor;
}

/** The least space around a screen, in CSS pixels. */
const space = { x: 12, y: 8 };
const spaceOfPhone = { x: 4, y: 4 };

/** A length for CSS. Browsers cut it off at 1/64 of a pixel, and must not cut off a whole one. */
const css = (length: number): string => `${length + 0.004 / devicePixelRatio}px`;

/** The font of a terminal element, and its cells. */
export class TerminalFont {
  cell: CellBox = { width: 8, height: 18 };
  readonly #terminal: HTMLElement;
  readonly #isPhone: boolean;
  readonly #onShapes: () => void;
  #metrics: FontMetrics = { advance: 0.6, lineHeight: 1.25 };
  #size = 0;

  /** @param onShapes called when characters may be drawn in another way */
  constructor(terminal: HTMLElement, isPhone: boolean, onShapes: () => void = () => {}) {
    this.#terminal = terminal;
    this.#isPhone = isPhone;
    this.#onShapes = onShapes;
  }

  /** Shows a session of a size: all columns in the largest font in which they fit. */
  fit(size: Size): void {
    const { fontSize: font } = settings.value;
    this.#set(font);
    const { width, height } = measured(this.#terminal);
    this.#metrics = { advance: width / font, lineHeight: height / font };
    this.#placeAtPixels();
    const room = roomIn(this.#terminal);
    const fitting = { metrics: this.#metrics, ratio: devicePixelRatio, font };
    const chosen = this.#isPhone
      ? fontFor(size, { width: room.width }, { ...fitting, least: smallestOfPhone })
      : fontFor(size, room, fitting);
    this.#useCells(chosen);
  }

  /** Uses the person's font, whatever fits. */
  useOwnSize(): void {
    this.#useCells(settings.value.fontSize);
  }

  /** Returns the size of a session that fills the element in the person's font. */
  fittingSize(): Size {
    const { width, height } = roomIn(this.#terminal);
    const cell = cellOf(this.#metrics, settings.value.fontSize, devicePixelRatio);
    return fittingSize(width, height, cell);
  }

  #set(size: number): void {
    if (size === this.#size) return;
    this.#size = size;
    this.#terminal.style.setProperty('--font-size', `${size}px`);
  }

  /** The first cell begins at a whole pixel of the device. */
  #placeAtPixels(): void {
    const { left, top } = this.#terminal.getBoundingClientRect();
    const ratio = devicePixelRatio;
    const least = this.#isPhone ? spaceOfPhone : space;
    const padding = (from: number, length: number) =>
      Math.ceil((from + length) * ratio - 0.01) / ratio - from;
    this.#terminal.style.setProperty('--pad-x', css(padding(left, least.x)));
    this.#terminal.style.setProperty('--pad-y', css(padding(top, least.y)));
  }

  #useCells(size: number): void {
    const { style } = this.#terminal;
    const ratio = devicePixelRatio;
    this.#set(size);
    this.cell = cellOf(this.#metrics, size, ratio);
    const { width: advance } = measured(this.#terminal);
    style.setProperty('--cell-width', css(this.cell.width));
    style.setProperty('--row-height', css(this.cell.height));
    style.setProperty('--letter-spacing', `${this.cell.width - advance}px`);
    const cells = {
      width: this.cell.width * ratio,
      height: this.cell.height * ratio,
      // Text is at whole pixels.
      baseline: Math.round(baselineOf(this.#terminal) * ratio),
      font: size * ratio,
      advance: advance * ratio,
      overlap: Number.isInteger(ratio) ? 0 : 1,
    };
    style.setProperty('--shapes', shapeFont(cells, this.#onShapes));
  }
}
