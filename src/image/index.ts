export { GifEncoder } from './files/gif.ts';
export type { Pixels } from './files/pixels.ts';
export { type AnimatedFrame, ApngEncoder, encodePng } from './files/png.ts';
export type { Scale } from './raster/cell-painter.ts';
export { drawPicture } from './raster/draw-picture.ts';
export { film } from './raster/film.ts';
export { surrounded, surroundedFilm } from './raster/surrounded.ts';
export {
  type PictureColors,
  pictureColors,
  type ScreenPicture,
  type Theme,
} from './screen-picture.ts';
export type { Surround } from './surround/surround.ts';
export type { TimedPicture } from './timed-pictures.ts';
export { animatedSvgOf } from './vector/animated-svg.ts';
export { htmlOf } from './vector/html.ts';
export { svgOf } from './vector/svg.ts';
