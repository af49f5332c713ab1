import type { Size } from '#model';
import { arc, type Polygon, stroke } from '#shapes';
import type { Pixels } from '../files/pixels.ts';
import type { AnimatedFrame } from '../files/png.ts';
import {
  cellHeight,
  type PictureColors,
  paced,
  type ScreenPicture,
  type TimedPicture,
} from '../screen-picture.ts';
import { type Button, layoutOf, ringWidth, type Surround } from '../surround/surround.ts';
import { Bitmap, maskOf } from './bitmap.ts';
import type { Scale } from './cell-painter.ts';
import { emptyBitmap, ScreenPainter } from './draw-picture.ts';

export interface FilmOptions {
  /** The size of the largest picture. Smaller ones are in the upper left corner. */
  readonly size: Size;
  /** Default: 1. */
  readonly scale?: Scale;
  /** How long the last picture is shown, in ms. */
  readonly lastMs: number;
  /** See `paced`. */
  readonly minFrameMs?: number | undefined;
}

/**
 * Draws pictures as the frames of an animation: the first is whole, the others are the smallest rectangle
 * that changed. Only rows that are other objects than in the picture before are drawn.
 */
export function* film(
  pictures: Iterable<TimedPicture>,
  { size, scale = 1, lastMs, minFrameMs }: FilmOptions,
): Generator<AnimatedFrame> {
  const canvas = new Canvas(size, scale);
  let shown: { readonly atMs: number; readonly part: Part } | null = null;
  let endMs = 0;
  for (const { atMs, picture } of paced(pictures, minFrameMs)) {
    endMs = atMs + lastMs;
    const part = canvas.show(picture);
    if (part === null) continue;
    if (shown !== null) yield* timed(shown.part, atMs - shown.atMs);
    shown = { atMs, part };
  }
  if (shown !== null) yield* timed(shown.part, endMs - shown.atMs);
}

type Part = Omit<AnimatedFrame, 'durationMs'>;

/** Formats have 16 bits for the time of a frame, in units of down to 1 ms. */
const maxFrameMs = 60_000;

/** Yields a part, and again one pixel of it until its time is over. */
function* timed(part: Part, durationMs: number): Generator<AnimatedFrame> {
  const [color = 0] = part.pixels.pixels;
  let restMs = durationMs;
  let next = part;
  for (; restMs > maxFrameMs; restMs -= maxFrameMs) {
    yield { ...next, durationMs: maxFrameMs };
    next = { ...part, pixels: { width: 1, height: 1, pixels: Int32Array.of(color) } };
  }
  yield { ...next, durationMs: restMs };
}

/** A bitmap that shows one picture after the other. */
class Canvas {
  readonly #bitmap: Bitmap;
  readonly #scale: Scale;
  #before: ScreenPicture | null = null;
  #painter: ScreenPainter | null = null;

  constructor(size: Size, scale: Scale) {
    this.#bitmap = emptyBitmap(size, scale);
    this.#scale = scale;
  }

  /** Returns the part that changed; null if none did. */
  show(picture: ScreenPicture): Part | null {
    const before = this.#before;
    this.#before = picture;
    const bitmap = this.#bitmap;
    if (before?.colors !== picture.colors || this.#painter === null) {
      this.#painter = new ScreenPainter(picture.colors, this.#scale);
    }
    if (before === null || !looksAs(before, picture)) {
      const old = before === null ? null : bitmap.pixels.slice();
      bitmap.pixels.fill(picture.colors.background);
      this.#painter.draw(bitmap, picture, picture.rows.keys());
      return old === null ? whole(bitmap) : changedPart(bitmap, old, 0);
    }
    const drawn = changedRows(before, picture);
    if (drawn.size === 0) return null;
    const height = cellHeight * this.#scale;
    const [from, to] = [Math.min(...drawn) * height, (Math.max(...drawn) + 1) * height];
    const old = bitmap.pixels.slice(from * bitmap.width, to * bitmap.width);
    this.#painter.draw(bitmap, picture, drawn);
    return changedPart(bitmap, old, from);
  }
}

function changedRows(before: ScreenPicture, picture: ScreenPicture): ReadonlySet<number> {
  const rows = picture.rows.flatMap((row, at) => (row === before.rows[at] ? [] : [at]));
  const cursors = isSameCursor(before, picture) ? [] : [before.cursor?.row, picture.cursor?.row];
  return new Set([...rows, ...cursors.filter((row) => row !== undefined)]);
}

const looksAs = (a: ScreenPicture, b: ScreenPicture): boolean =>
  a.size.cols === b.size.cols && a.size.rows === b.size.rows && a.colors === b.colors;

const isSameCursor = ({ cursor: a }: ScreenPicture, { cursor: b }: ScreenPicture): boolean =>
  a?.row === b?.row && a?.col === b?.col && a?.shape === b?.shape && a?.visible === b?.visible;

const whole = (bitmap: Bitmap): Part => ({
  pixels: cut(bitmap, 0, 0, bitmap.width, bitmap.height),
  x: 0,
  y: 0,
});

/** @param old the pixels before, from line `from` on */
function changedPart(bitmap: Bitmap, old: Int32Array, from: number): Part | null {
  const { width, pixels } = bitmap;
  let [left, right, top, bottom] = [width, 0, -1, 0];
  for (let line = 0; line < old.length / width; line++) {
    const [was, is] = [line * width, (from + line) * width];
    let first = 0;
    while (first < width && old[was + first] === pixels[is + first]) first++;
    if (first === width) continue;
    let end = width;
    while (old[was + end - 1] === pixels[is + end - 1]) end--;
    left = Math.min(left, first);
    right = Math.max(right, end);
    if (top < 0) top = from + line;
    bottom = from + line + 1;
  }
  if (top < 0) return null;
  return { pixels: cut(bitmap, left, top, right, bottom), x: left, y: top };
}

function cut(
  { width, pixels }: Bitmap,
  left: number,
  top: number,
  right: number,
  bottom: number,
): Pixels {
  const part = new Int32Array((right - left) * (bottom - top));
  for (let y = top; y < bottom; y++) {
    part.set(pixels.subarray(y * width + left, y * width + right), (y - top) * (right - left));
  }
  return { width: right - left, height: bottom - top, pixels: part };
}

/** Returns a picture of a screen with its surround. */
export function surrounded(
  screen: Pixels,
  surround: Surround,
  colors: PictureColors,
  scale: Scale = 1,
): Pixels {
  const {
    width,
    height,
    window,
    buttons,
    screen: place,
  } = layoutOf(surround, screen, colors, scale);
  const { background } = colors;
  const bitmap = new Bitmap(width, height);
  bitmap.fill({ x: 0, y: 0, width, height }, surround.marginColor ?? background);
  bitmap.draw(window, maskOf(window, [roundedRectangle(window)]), background);
  for (const { centre, radius, color, isRing } of buttons) {
    const side = Math.ceil(2 * radius) + 2;
    const corner = { x: Math.floor(centre.x - radius), y: Math.floor(centre.y - radius) };
    const frame = { ...corner, width: side, height: side };
    const middle = { x: centre.x - corner.x, y: centre.y - corner.y };
    bitmap.draw(frame, maskOf(frame, [circle({ centre: middle, radius, isRing })]), color);
  }
  bitmap.put({ ...place, width: screen.width, height: screen.height }, screen.pixels);
  return bitmap;
}

/**
 * Adds the surround to the frames of an animation, of which the first is the whole screen.
 *
 * @param colors of the first picture
 */
export function* surroundedFilm(
  frames: Iterable<AnimatedFrame>,
  surround: Surround,
  colors: PictureColors,
  scale: Scale = 1,
): Generator<AnimatedFrame> {
  let place: { readonly x: number; readonly y: number } | null = null;
  for (const frame of frames) {
    if (place === null) {
      place = layoutOf(surround, frame.pixels, colors, scale).screen;
      yield { ...frame, pixels: surrounded(frame.pixels, surround, colors, scale) };
    } else yield { ...frame, x: frame.x + place.x, y: frame.y + place.y };
  }
}

function roundedRectangle({
  width,
  height,
  radius,
}: {
  readonly width: number;
  readonly height: number;
  readonly radius: number;
}): Polygon {
  const around = { x: radius, y: radius };
  const [right, bottom] = [width - radius, height - radius];
  return [
    ...arc({ x: radius, y: radius }, around, 2, 3),
    ...arc({ x: right, y: radius }, around, 3, 4),
    ...arc({ x: right, y: bottom }, around, 0, 1),
    ...arc({ x: radius, y: bottom }, around, 1, 2),
  ];
}

function circle({ centre, radius, isRing }: Omit<Button, 'color'>): Polygon {
  const turn = (r: number) => [0, 1, 2, 3].flatMap((at) => arc(centre, { x: r, y: r }, at, at + 1));
  if (!isRing) return turn(radius);
  return stroke(turn(radius * (1 - ringWidth / 2)), radius * ringWidth);
}
