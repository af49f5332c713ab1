import type { Pixels } from '../files/pixels.ts';
import type { AnimatedFrame } from '../files/png.ts';
import type { PictureColors } from '../screen-picture.ts';
import { arc, type Polygon, stroke } from '../shapes/polygons.ts';
import { type Button, layoutOf, ringWidth, type Surround } from '../surround/surround.ts';
import { Bitmap, maskOf } from './bitmap.ts';
import type { Scale } from './cell-painter.ts';

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
