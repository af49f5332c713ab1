export { GifEncoder } from './files/gif.ts';
export type { Pixels } from './files/pixels.ts';
export { type AnimatedFrame, ApngEncoder, encodePng } from './files/png.ts';
export type { Scale } from './raster/cell-painter.ts';
export { drawPicture } from './raster/draw-picture.ts';
export { film, surrounded, surroundedFilm } from './raster/film.ts';
export {
  type PictureColors,
  pictureColors,
  type ScreenPicture,
  type Theme,
  type TimedPicture,
} from './screen-picture.ts';
export type { Surround } from './surround/surround.ts';
export { htmlOf } from './vector/html.ts';
export { animatedSvgOf, svgOf } from './vector/svg.ts';
