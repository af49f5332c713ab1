import type { AnimatedFrame } from '../files/png.ts';
import type { Pixels } from '../files/pixels.ts';
import type { ScreenPicture } from '../screen-picture.ts';
import type { Bitmap } from './bitmap.ts';
import { drawPicture, drawRows, type Scale } from './draw-picture.ts';

/** A picture and its time. */
export interface TimedPicture {
  readonly atMs: number;
  readonly picture: ScreenPicture;
}

/** Frames that are nearer to each other are one: about 30 a second, in ms. */
const minFrameMs = 33;
