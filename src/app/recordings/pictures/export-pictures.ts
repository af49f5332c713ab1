import type { AnimatedFrame, Scale } from '#image';
import type { Recording } from '#recording';
import { Replay, recordedLines, type TimeRange } from '#replay';
import { checkBitmapSize } from './bitmap-size.ts';
import { mp4Of } from './mp4.ts';
import { largestSize, lastMs, recordedPictures } from './recorded-pictures.ts';
import { type Image, loadImage, TerminalPictures } from './terminal-pictures.ts';

export interface PictureOptions {
  /** Pixels of bitmaps: 10 by 20 for each cell, times this. Default: 1. */
  readonly scale?: Scale | undefined;
  /** Pauses of animations are shortened to it, in ms. Default: as the recording says. */
  readonly idleLimitMs?: number | undefined;
}

/** A part of a recording. */
interface Part {
  readonly recording: Recording;
  readonly range: Required<TimeRange>;
  readonly options: PictureOptions;
}

type Exporter = (part: Part, image: Image) => string | Uint8Array | Promise<Uint8Array>;

const exporters = {
  svg(part, image) {
    const pictures = [...picturesOf(part, image)];
    const [first] = pictures;
    const size = largestSize(part.recording, part.range);
    if (first === undefined || pictures.some(({ picture }) => picture !== first.picture)) {
      return image.animatedSvgOf(pictures, { size, lastMs });
    }
    return image.svgOf(first.picture);
  },
  html({ recording, range }, image) {
    const { terminal, lines } = recordedLines(recording, range);
    const picture = new TerminalPictures(image, recording.header.theme).ofLines(terminal, lines);
    return image.htmlOf(picture, recording.header.title ?? 'Recording');
  },
  png({ recording, range, options }, image) {
    const terminal = new Replay(recording).at(range.toMs);
    const { scale = 1 } = options;
    checkBitmapSize(terminal.size, scale);
    const picture = new TerminalPictures(image, recording.header.theme).of(terminal);
    return image.encodePng(image.drawPicture(picture, scale));
  },
  apng: (part, image) => encoded(part, image, new image.ApngEncoder()),
  gif: (part, image) => encoded(part, image, new image.GifEncoder()),
  mp4(part, image) {
    const { frames, width, height } = filmOf(part, image);
    return mp4Of(frames, { width, height });
  },
} satisfies Readonly<Record<string, Exporter>>;

export type PictureFormat = keyof typeof exporters;

/**
 * Exports a part of a recording as a picture or an animation: svg, apng, gif and mp4 as it is played, png
 * as its last screen, html as all its lines.
 *
 * @throws VtrError INVALID_ARGUMENT if a bitmap would be too large; see also `mp4Of`
 */
export const exportPictures = async (part: Part, format: PictureFormat) =>
  exporters[format](part, await loadImage());

export const isPictureFormat = (format: string): format is PictureFormat =>
  Object.hasOwn(exporters, format);

function picturesOf({ recording, range, options }: Part, image: Image) {
  const { idleLimitMs, theme } = recording.header;
  const pictures = new TerminalPictures(image, theme);
  return recordedPictures(recording, range, pictures, options.idleLimitMs ?? idleLimitMs ?? null);
}

function filmOf(part: Part, image: Image) {
  const { scale = 1 } = part.options;
  const size = largestSize(part.recording, part.range);
  checkBitmapSize(size, scale);
  const frames = image.film(picturesOf(part, image), { size, scale, lastMs });
  return { frames, width: size.cols * 10 * scale, height: size.rows * 20 * scale };
}

function encoded(
  part: Part,
  image: Image,
  encoder: { add(frame: AnimatedFrame): void; end(): Uint8Array },
): Uint8Array {
  for (const frame of filmOf(part, image).frames) encoder.add(frame);
  return encoder.end();
}
