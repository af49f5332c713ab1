export { pictureColors, type Theme } from './default-colors.ts';
export { GifEncoder } from './files/gif.ts';
export { ApngEncoder, encodePng } from './files/png.ts';
export { drawPicture } from './raster/draw-picture.ts';
export { film, type TimedPicture } from './raster/film.ts';
export type { PictureColors, ScreenPicture } from './screen-picture.ts';
export { animatedSvgOf } from './vector/animated-svg.ts';
export { htmlOf } from './vector/html.ts';
export { svgOf } from './vector/svg.ts';
