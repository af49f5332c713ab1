import type { Point } from '#shapes';
import { mixed, type PictureColors } from '../screen-picture.ts';

/** The buttons of a window: filled, or as rings; on the left or on the right. */
export interface WindowBar {
  readonly height: number;
  readonly isRings: boolean;
  readonly isRight: boolean;
}

/** What is around the screen in a picture. Lengths are in pixels of cells of 10 by 20. */
export interface Surround {
  /** Around the screen, in its background. */
  readonly padding: number;
  /** Above the padding; null for none. */
  readonly bar: WindowBar | null;
  /** At the corners of the window, which is the screen with padding and bar; at most 3 times the padding. */
  readonly radius: number;
  /** Around the window. */
  readonly margin: number;
  /** In the margin and outside the corners, as 0xRRGGBB; null for the background of the screen. */
  readonly marginColor: number | null;
}

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Button {
  readonly centre: Point;
  readonly radius: number;
  readonly color: number;
  readonly isRing: boolean;
}

/** The width of a ring, by the radius of its button. */
export const ringWidth = 0.3;

/** Where the parts of a picture are, in pixels. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly window: Rectangle & { readonly radius: number };
  /** The left upper corner of the screen. */
  readonly screen: Point;
  readonly buttons: readonly Button[];
}

const buttonColors = [0xff5f57, 0xfebc2e, 0x28c840];

/** @param screen in pixels of the picture @param scale pixels of the picture for one of the surround */
export function layoutOf(
  { padding, bar, radius, margin }: Surround,
  screen: { readonly width: number; readonly height: number },
  colors: PictureColors,
  scale: number,
): Layout {
  const scaled = (length: number) => Math.round(length * scale);
  const [pad, edge, barHeight] = [scaled(padding), scaled(margin), scaled(bar?.height ?? 0)];
  const width = screen.width + 2 * pad;
  const height = screen.height + 2 * pad + barHeight;
  // The screen does not reach into the corners.
  const window = { x: edge, y: edge, width, height, radius: Math.min(scaled(radius), 3 * pad) };
  return {
    width: width + 2 * edge,
    height: height + 2 * edge,
    window,
    screen: { x: edge + pad, y: edge + pad + barHeight },
    buttons: bar === null ? [] : buttonsOf(bar, { ...window, height: barHeight }, colors),
  };
}

function buttonsOf({ isRings, isRight }: WindowBar, bar: Rectangle, colors: PictureColors) {
  const radius = bar.height / 5;
  const step = 3.2 * radius;
  const y = bar.y + bar.height / 2;
  const grey = mixed(colors.foreground, colors.background, 0.4);
  return buttonColors.map((color, at): Button => {
    const left = bar.x + bar.height / 2 + at * step;
    const x = isRight ? bar.x + bar.width - bar.height / 2 - (2 - at) * step : left;
    return { centre: { x, y }, radius, color: isRings ? grey : color, isRing: isRings };
  });
}
