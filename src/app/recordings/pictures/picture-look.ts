import type { Scale, ScreenPicture, Surround, Theme } from '#image';
import { checkBitmapSize } from './bitmap-size.ts';
import type { Image } from './terminal-pictures.ts';

/** How pictures look, of recordings and of screens. */
export interface PictureLook {
  /** Pixels of bitmaps: 10 by 20 for each cell, times this. Default: 1. */
  readonly scale?: Scale | undefined;
  /** Colours that the program has not set. Default: those of the recording, else xterm's. */
  readonly theme?: Theme | undefined;
  /** Used in bitmaps and SVG. Default: none in bitmaps, and a little space in SVG. */
  readonly surround?: Surround | undefined;
}

/** @throws VtrError INVALID_ARGUMENT if the bitmap would be too large */
export function pngOf(
  picture: ScreenPicture,
  { scale = 1, surround }: PictureLook,
  image: Image,
): Uint8Array {
  checkBitmapSize(picture.size, scale);
  const bitmap = image.drawPicture(picture, scale);
  if (surround === undefined) return image.encodePng(bitmap);
  return image.encodePng(image.surrounded(bitmap, surround, picture.colors, scale));
}
