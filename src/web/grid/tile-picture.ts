import type { RowFrameJson } from '#messages';
import { type ScreenOf, screenAfter } from '#mirror/frames';
import { type FrameRow, runsOfCells, type Size } from '#model';
import { firstShape, type Shape, shapeOf } from '#shapes';
import { frameRows } from '../link/values.ts';
import { isPhone } from '../page/device.ts';
import { cellColors, type ProgramColors } from '../terminal/colors.ts';

const noColors: ProgramColors = {
  palette: {},
  foreground: null,
  background: null,
  reverseVideo: false,
};

/** Sizes of the font, in CSS pixels. */
const leastFont = 9;
const leastOfPhone = 11;
const largestFont = 13;
/** The height of a row, in sizes of the font. */
const lineHeight = 1.25;
/** The width of a cell, in sizes of the font. */
const advance = 0.6;
/** The room around the text, in CSS pixels. */
const padding = 6;
/** Time for painting tiles in a frame of the browser, in ms. */
const paintMs = 8;

const waiting = new Set<TilePicture>();
let isScheduled = false;

/** Paints the tiles that wait, as many as a frame of the browser has time for, in turns. */
function paintWaiting(): void {
  const until = performance.now() + paintMs;
  for (const tile of waiting) {
    waiting.delete(tile);
    tile.paint();
    if (performance.now() > until) break;
  }
  isScheduled = false;
  schedule();
}

function schedule(): void {
  if (isScheduled || waiting.size === 0) return;
  isScheduled = true;
  requestAnimationFrame(paintWaiting);
}

/** What a tile shows of a frame. */
interface TileFrame {
  readonly full: boolean;
  readonly size: Size;
  readonly rows: readonly FrameRow[];
  readonly cursor: { readonly row: number; readonly col: number } | null;
  readonly colors: ProgramColors;
}

/** The part of a screen that a tile shows, in pixels of the device. */
export interface TilePart {
  readonly font: number;
  readonly cell: number;
  readonly line: number;
  /** The first row that is shown. */
  readonly firstRow: number;
  /** Whether columns at the right are not shown. */
  readonly isCutRight: boolean;
}

/**
 * Returns which part of a screen a picture shows: all columns, if its text is not smaller than `least` then, and as many
 * rows as there is room for, up to the last one that is in use.
 */
export function partOf(
  { size, rows, cursor }: Pick<ScreenOf<TileFrame>, 'size' | 'rows' | 'cursor'>,
  { width, height }: { readonly width: number; readonly height: number },
  { least, most }: { readonly least: number; readonly most: number },
): TilePart {
  const forCols = width / size.cols / advance;
  const forRows = height / size.rows / lineHeight;
  // Without a limit the whole screen is shown.
  const fitting = least === 0 ? Math.min(forCols, forRows) : Math.max(least, forCols);
  const font = Math.min(most, fitting);
  const isSmall = font < least || least === 0;
  const cell = isSmall ? font * advance : Math.max(1, Math.floor(font * advance));
  const line = isSmall ? font * lineHeight : Math.max(1, Math.round(font * lineHeight));
  const lastUsed = rows.findLastIndex((row) => row.some(({ text }) => text.trim() !== ''));
  const last = Math.max(lastUsed, cursor?.row ?? 0);
  const rowCount = Math.floor(height / line);
  const firstRow = least === 0 ? 0 : Math.max(0, Math.min(last + 1, size.rows) - rowCount);
  return { font, cell, line, firstRow, isCutRight: cell * size.cols > width + 1 };
}

const isSamePart = (one: TilePart, other: TilePart | null): boolean =>
  other !== null &&
  one.font === other.font &&
  one.cell === other.cell &&
  one.line === other.line &&
  one.firstRow === other.firstRow;

const topOf = (row: number, { firstRow, line }: TilePart): number =>
  Math.round((row - firstRow) * line);

interface RunPlace {
  readonly col: number;
  readonly cols: number;
  readonly cell: number;
  readonly top: number;
  readonly height: number;
}

/** Paints the characters of a run: boxes and blocks as they are in a terminal, others in the font. */
function paintText(
  context: CanvasRenderingContext2D,
  graphemes: readonly string[],
  { col, cols, cell, top, height }: RunPlace,
): void {
  const left = col * cell;
  const wide = cols / graphemes.length;
  const middle = top + height / 2;
  const hasShapes = graphemes.some((each) => (each.codePointAt(0) ?? 0) >= firstShape);
  if (wide === 1 && !hasShapes) {
    // One call draws a run.
    context.fillText(graphemes.join(''), left, middle, cols * cell);
    return;
  }
  for (const [at, each] of graphemes.entries()) {
    const from = Math.round(left + at * wide * cell);
    const width = Math.round(left + (at + 1) * wide * cell) - from;
    const shape = shapeOf(each, { width, height });
    if (shape === null) context.fillText(each, from, middle, wide * cell);
    else paintShape(context, shape, from, top);
  }
}

function paintShape(
  context: CanvasRenderingContext2D,
  { polygons, share = 1 }: Shape,
  left: number,
  top: number,
): void {
  const alpha = context.globalAlpha;
  context.globalAlpha = alpha * share;
  context.beginPath();
  for (const polygon of polygons) {
    for (const [at, { x, y }] of polygon.entries()) {
      if (at === 0) context.moveTo(left + x, top + y);
      else context.lineTo(left + x, top + y);
    }
    context.closePath();
  }
  context.fill();
  context.globalAlpha = alpha;
}

/** A small picture of a session's screen, on a canvas. */
export class TilePicture {
  readonly #canvas: HTMLCanvasElement;
  readonly #theme: CSSStyleDeclaration;
  #screen: ScreenOf<TileFrame> | null = null;
  /** Rows that differ from the canvas; null for all. */
  #stale: Set<number> | null = null;
  #resolved = new Map<string, string>();
  #mono: string | null = null;
  #isWhole = false;
  #part: TilePart | null = null;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#theme = getComputedStyle(document.documentElement);
    const link = canvas.closest('a');
    for (const type of ['pointerenter', 'focus']) {
      link?.addEventListener(type, () => this.#showWhole(matchMedia('(hover: hover)').matches));
    }
    for (const type of ['pointerleave', 'blur']) {
      link?.addEventListener(type, () => this.#showWhole(false));
    }
  }

  /** The newest state counts: what was not painted yet is not painted any more. */
  frame(frame: RowFrameJson): void {
    const before = this.#screen;
    const { cols = 0, rows = 0, full = false } = frame;
    const isWhole = full || cols !== before?.size.cols || rows !== before.size.rows;
    const changed = frameRows(frame);
    this.#screen = screenAfter(before, {
      full: isWhole,
      size: { cols, rows },
      rows: changed,
      cursor: frame.cursor?.visible
        ? { row: frame.cursorRow ?? 0, col: frame.cursorCol ?? 0 }
        : null,
      colors: { ...noColors, reverseVideo: frame.modes?.reverseVideo ?? false },
    });
    if (isWhole) this.#stale = null;
    else {
      for (const each of changed) this.#stale?.add(each.row);
      for (const each of [before, this.#screen]) {
        if (each?.cursor) this.#stale?.add(each.cursor.row);
      }
    }
    this.#wait();
  }

  /** Paints all of it: the size of the canvas or the theme has changed. */
  refresh(): void {
    this.#stale = null;
    this.#resolved.clear();
    this.#mono = null;
    if (this.#screen !== null) this.#wait();
  }

  /** Shows the whole screen, however small that is, or a part of it that can be read. */
  #showWhole(isWhole: boolean): void {
    if (isWhole === this.#isWhole) return;
    this.#isWhole = isWhole;
    this.refresh();
  }

  paint(): void {
    const canvas = this.#canvas;
    const context = canvas.getContext('2d', { alpha: false });
    const screen = this.#screen;
    if (context === null || screen === null || canvas.clientWidth === 0) return;
    const scale = devicePixelRatio;
    const width = Math.round(canvas.clientWidth * scale);
    const height = Math.round(canvas.clientHeight * scale);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      this.#stale = null;
    }
    const least = this.#isWhole ? 0 : (isPhone() ? leastOfPhone : leastFont) * scale;
    const edge = Math.round(padding * scale);
    const room = { width: width - 2 * edge, height: height - 2 * edge };
    const part = partOf(screen, room, { least, most: largestFont * scale });
    if (!isSamePart(part, this.#part)) this.#stale = null;
    this.#part = part;
    this.#useFont(context, part);
    const fades = this.#fadesOf(context, part, { width: width - edge, height });
    const stale = this.#stale ?? Array.from({ length: screen.size.rows }, (_, row) => row);
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (this.#stale === null) {
      context.fillStyle = this.#resolve('var(--back)');
      context.fillRect(0, 0, width, height);
    }
    context.translate(edge, edge);
    for (const row of stale) {
      if (row < part.firstRow) continue;
      this.#paintRow(context, screen, row, part);
      const top = topOf(row, part);
      for (const fade of fades) {
        context.fillStyle = fade;
        context.fillRect(0, top, width, topOf(row + 1, part) - top);
      }
    }
    this.#stale = new Set();
  }

  /**
   * Returns what fades out the ends of the picture at which the screen goes on. It is painted: a mask would be applied
   * to the whole picture each time that a row of it changes.
   */
  #fadesOf(
    context: CanvasRenderingContext2D,
    { isCutRight, firstRow }: TilePart,
    { width, height }: { readonly width: number; readonly height: number },
  ): CanvasGradient[] {
    const back = this.#resolve('var(--back)');
    const fade = (...from: [x0: number, y0: number, x1: number, y1: number]) => {
      const gradient = context.createLinearGradient(...from);
      gradient.addColorStop(0, back);
      gradient.addColorStop(1, `${back}00`);
      return gradient;
    };
    const right = isCutRight ? [fade(width, 0, width * 0.88, 0)] : [];
    return firstRow > 0 ? [...right, fade(0, 0, 0, height * 0.15)] : right;
  }

  #useFont(context: CanvasRenderingContext2D, { font, cell }: TilePart): void {
    this.#mono ??= this.#theme.getPropertyValue('--mono');
    context.font = `${font}px ${this.#mono}`;
    context.textBaseline = 'middle';
    // Each character takes a cell, whatever the font says.
    context.letterSpacing = '0px';
    context.letterSpacing = `${cell - context.measureText('M').width}px`;
  }

  #paintRow(
    context: CanvasRenderingContext2D,
    { rows, size, cursor, colors }: ScreenOf<TileFrame>,
    row: number,
    part: TilePart,
  ): void {
    // Whole pixels: rows of one background have no lines between them.
    const { cell } = part;
    const top = topOf(row, part);
    const height = topOf(row + 1, part) - top;
    const filled = (from: number, cols: number): [number, number, number, number] => {
      const left = Math.round(from * cell);
      return [left, top, Math.round((from + cols) * cell) - left, height];
    };
    context.fillStyle = this.#resolve('var(--back)');
    context.fillRect(...filled(0, size.cols));
    let col = 0;
    for (const { text, cols, cluster, style } of runsOfCells(rows[row] ?? [])) {
      const { front, back } = cellColors(style, colors, text);
      if (back !== null) {
        context.fillStyle = this.#resolve(back);
        context.fillRect(...filled(col, cols));
      }
      if (!style.hidden && text.trim() !== '') {
        context.fillStyle = this.#resolve(front ?? 'var(--front)');
        context.globalAlpha = style.dim ? 0.6 : 1;
        paintText(context, cluster ? [text] : [...text], { col, cols, cell, top, height });
        context.globalAlpha = 1;
      }
      col += cols;
    }
    if (cursor?.row !== row) return;
    context.fillStyle = this.#resolve('var(--cursor)');
    context.globalAlpha = 0.6;
    context.fillRect(...filled(cursor.col, 1));
    context.globalAlpha = 1;
  }

  /** A canvas does not know the variables of the theme. */
  #resolve(color: string): string {
    const name = /^var\((--\w+)\)$/.exec(color)?.[1];
    if (name === undefined) return color;
    let value = this.#resolved.get(name);
    if (value === undefined) {
      value = this.#theme.getPropertyValue(name).trim() || '#888';
      this.#resolved.set(name, value);
    }
    return value;
  }

  #wait(): void {
    waiting.add(this);
    schedule();
  }
}
