import type { RowFrameJson } from '#messages';
import { type ScreenOf, screenAfter } from '#mirror/frames';
import { type FrameRow, runsOfCells, type Size } from '#model';
import { frameRows } from '../link/values.ts';
import { cellColors, type ProgramColors } from '../terminal/colors.ts';

const noColors: ProgramColors = {
  palette: {},
  foreground: null,
  background: null,
  reverseVideo: false,
};

/** The height of a cell for one of width 1. */
const cellRatio = 2;
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

/** A small picture of a session's screen, on a canvas. */
export class TilePicture {
  readonly #canvas: HTMLCanvasElement;
  readonly #theme: CSSStyleDeclaration;
  #screen: ScreenOf<TileFrame> | null = null;
  /** Rows that differ from the canvas; null for all. */
  #stale: Set<number> | null = null;
  #resolved = new Map<string, string>();

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#theme = getComputedStyle(document.documentElement);
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
    if (this.#screen !== null) this.#wait();
  }

  paint(): void {
    const canvas = this.#canvas;
    const context = canvas.getContext('2d', { alpha: false });
    const screen = this.#screen;
    if (context === null || screen === null || canvas.clientWidth === 0) return;
    const { cols, rows } = screen.size;
    const scale = devicePixelRatio;
    const width = Math.round(canvas.clientWidth * scale);
    const height = Math.round(canvas.clientHeight * scale);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      this.#stale = null;
    }
    const cell = Math.min(width / cols, height / rows / cellRatio);
    const line = cell * cellRatio;
    const font = `${line * 0.8}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace`;
    context.font = font;
    context.textBaseline = 'middle';
    // Each character takes a cell, whatever the font says.
    context.letterSpacing = '0px';
    context.letterSpacing = `${cell - context.measureText('M').width}px`;
    const stale = this.#stale ?? Array.from({ length: rows }, (_, row) => row);
    if (this.#stale === null) {
      context.fillStyle = this.#resolve('var(--back)');
      context.fillRect(0, 0, width, height);
    }
    for (const row of stale) this.#paintRow(context, screen, row, { cell, line });
    this.#stale = new Set();
  }

  #paintRow(
    context: CanvasRenderingContext2D,
    { rows, size, cursor, colors }: ScreenOf<TileFrame>,
    row: number,
    { cell, line }: { readonly cell: number; readonly line: number },
  ): void {
    // Whole pixels: rows of one background have no lines between them.
    const top = Math.round(row * line);
    const height = Math.round((row + 1) * line) - top;
    const base = top + height / 2;
    const filled = (from: number, cols: number): [number, number, number, number] => {
      const left = Math.round(from * cell);
      return [left, top, Math.round((from + cols) * cell) - left, height];
    };
    context.fillStyle = this.#resolve('var(--back)');
    context.fillRect(...filled(0, size.cols));
    let col = 0;
    for (const { text, cols, cluster, style } of runsOfCells(rows[row] ?? [])) {
      const { front, back } = cellColors(style, colors, text);
      const left = col * cell;
      if (back !== null) {
        context.fillStyle = this.#resolve(back);
        context.fillRect(...filled(col, cols));
      }
      col += cols;
      if (style.hidden || text.trim() === '') continue;
      context.fillStyle = this.#resolve(front ?? 'var(--front)');
      context.globalAlpha = style.dim ? 0.6 : 1;
      const graphemes = cluster ? [text] : [...text];
      const wide = cols / graphemes.length;
      // One call draws a run; the canvas stretches it to its columns.
      if (wide === 1) context.fillText(text, left, base, cols * cell);
      else {
        for (const [at, each] of graphemes.entries()) {
          context.fillText(each, left + at * wide * cell, base, wide * cell);
        }
      }
      context.globalAlpha = 1;
    }
    if (cursor?.row !== row) return;
    context.fillStyle = this.#resolve('var(--cursor)');
    context.globalAlpha = 0.6;
    context.fillRect(cursor.col * cell, top, Math.max(1, cell), line);
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
