import type { AnimatedFrame, Pixels, Theme, TimedPicture } from '#image';
import { type Size, VtrError } from '#model';
import type { Recording } from '#recording';
import { PlayingTime, Replay, recordedLines, type TimeRange } from '#replay';
import { filmBytes, wholePictures } from './ffmpeg.ts';
import {
  checkBitmapSize,
  type Image,
  loadImage,
  type PictureLook,
  pngOf,
  TerminalPictures,
} from './terminal-pictures.ts';

export interface PictureOptions extends PictureLook {
  /** Pauses of animations are shortened to it, in ms. Default: as the recording says. */
  readonly idleLimitMs?: number | undefined;
  /** The frames of an animation in a second, at most. Default: 30. */
  readonly framesPerSecond?: number | undefined;
  /** How much faster than it was recorded an animation is. Default: 1. */
  readonly speed?: number | undefined;
  /** Where an animation begins, as a part of its duration, 0 to 1. Default: 0. */
  readonly loopOffset?: number | undefined;
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
    const { surround } = part.options;
    const size = largestSize(part.recording, part.range);
    if (first === undefined || pictures.some(({ picture }) => picture !== first.picture)) {
      return image.animatedSvgOf(pictures, { size, lastMs, surround, ...pace(part) });
    }
    return image.svgOf(first.picture, surround);
  },
  html({ recording, range, options }, image) {
    const { terminal, lines } = recordedLines(recording, range);
    const picture = new TerminalPictures(image, themeOf({ recording, options })).ofLines(
      terminal,
      lines,
    );
    return image.htmlOf(picture, recording.header.title ?? 'Recording');
  },
  png({ recording, range, options }, image) {
    const terminal = new Replay(recording).at(range.toMs);
    const picture = new TerminalPictures(image, themeOf({ recording, options })).of(terminal);
    return pngOf(picture, options, image);
  },
  apng: (part, image) => encoded(part, image, new image.ApngEncoder()),
  gif: (part, image) => encoded(part, image, new image.GifEncoder()),
  mp4: (part, image) => filmBytes(wholeFilm(part, image), 'mp4'),
  webm: (part, image) => filmBytes(wholeFilm(part, image), 'webm'),
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

/** Returns PNG pictures of each interval of an animation, in its order. */
export async function* exportFrames(part: Part): AsyncGenerator<Uint8Array> {
  const image = await loadImage();
  const { frames, framesPerSecond } = wholeFilm(part, image);
  let last: Pixels | undefined;
  let png: Uint8Array = new Uint8Array();
  for (const picture of wholePictures(frames, framesPerSecond)) {
    if (picture !== last) png = image.encodePng(picture);
    last = picture;
    yield png;
  }
}

function picturesOf(part: Part, image: Image): Iterable<TimedPicture> {
  const { recording, range, options } = part;
  const { speed = 1, loopOffset = 0, idleLimitMs = recording.header.idleLimitMs } = options;
  const pictures = new TerminalPictures(image, themeOf(part));
  const recorded = recordedPictures(recording, range, pictures, idleLimitMs ?? null);
  const played = speed === 1 ? recorded : faster(recorded, speed);
  return loopOffset === 0 ? played : turned([...played], loopOffset);
}

const themeOf = ({ recording, options }: Pick<Part, 'recording' | 'options'>): Theme | undefined =>
  options.theme ?? recording.header.theme;

const pace = ({ options: { framesPerSecond } }: Part) =>
  framesPerSecond === undefined ? {} : { minFrameMs: Math.floor(1000 / framesPerSecond) };

function filmOf(part: Part, image: Image): Iterable<AnimatedFrame> {
  const { scale = 1, surround } = part.options;
  const size = largestSize(part.recording, part.range);
  checkBitmapSize(size, scale);
  const frames = image.film(picturesOf(part, image), { size, scale, lastMs, ...pace(part) });
  if (surround === undefined) return frames;
  const begin = new Replay(part.recording).at(part.range.fromMs);
  const colors = new TerminalPictures(image, themeOf(part)).colors(begin);
  return image.surroundedFilm(frames, surround, colors, scale);
}

const wholeFilm = (part: Part, image: Image) => ({
  frames: filmOf(part, image),
  framesPerSecond: part.options.framesPerSecond ?? 30,
});

async function encoded(
  part: Part,
  image: Image,
  encoder: { add(frame: AnimatedFrame): void | Promise<void>; end(): Promise<Uint8Array> },
): Promise<Uint8Array> {
  for (const frame of filmOf(part, image)) await encoder.add(frame);
  return encoder.end();
}

/** The last picture of an animation is shown for this time before it begins again, in ms. */
export const lastMs = 2_000;

/** The longest animation, in ms: a file has 30 pictures a second, or one each minute. */
const maxMs = 24 * 60 * 60 * 1000;

/**
 * Yields what a part of a recording shows, at the times at which it is played, in ms since the beginning
 * of the part. The last picture comes again at the end of the part.
 *
 * @param idleLimitMs pauses are shortened to it; null keeps them
 * @throws VtrError INVALID_ARGUMENT if it would be longer than a day
 */
function* recordedPictures(
  recording: Recording,
  range: Required<TimeRange>,
  pictures: TerminalPictures,
  idleLimitMs: number | null,
): Generator<TimedPicture> {
  const time = new PlayingTime(recording.events, idleLimitMs);
  const fromMs = time.playedMs(range.fromMs);
  const totalMs = time.playedMs(range.toMs) - fromMs;
  if (totalMs > maxMs) throw tooLong(totalMs);
  let picture: TimedPicture['picture'] | null = null;
  for (const { atMs, terminal } of new Replay(recording).steps(range)) {
    picture = pictures.of(terminal);
    yield { atMs: time.playedMs(atMs) - fromMs, picture };
  }
  if (picture !== null) yield { atMs: totalMs, picture };
}

const tooLong = (ms: number): VtrError =>
  new VtrError(
    'INVALID_ARGUMENT',
    `the animation would last ${Math.round(ms / 3_600_000)} hours, and at most 24 are possible; shorten pauses with --idle, or choose a part with --select`,
  );

/** Returns the smallest size that contains all that a part of a recording has. */
function largestSize({ header, events }: Recording, { fromMs, toMs }: Required<TimeRange>): Size {
  let { cols, rows } = header.size;
  for (const event of events) {
    if (event.type !== 'resize' || event.atMs > toMs) continue;
    const { size, atMs } = event;
    const isBefore = atMs <= fromMs;
    cols = isBefore ? size.cols : Math.max(cols, size.cols);
    rows = isBefore ? size.rows : Math.max(rows, size.rows);
  }
  return { cols, rows };
}

/** Returns pictures at the times of an animation that is played faster. */
function* faster(pictures: Iterable<TimedPicture>, speed: number): Generator<TimedPicture> {
  for (const { atMs, picture } of pictures) yield { atMs: atMs / speed, picture };
}

/**
 * Returns an animation that begins later, and ends with what was before.
 *
 * @param offset of the new beginning, as a part of the duration, 0 to 1
 */
export function turned(pictures: readonly TimedPicture[], offset: number): TimedPicture[] {
  const [first] = pictures;
  if (first === undefined) return [];
  const durationMs = (pictures.at(-1)?.atMs ?? 0) + lastMs;
  const beginMs = durationMs * offset;
  const shown = pictures.findLast(({ atMs }) => atMs <= beginMs) ?? first;
  const later = pictures.filter(({ atMs }) => atMs > beginMs);
  const earlier = pictures.filter(({ atMs }) => atMs <= beginMs);
  return [
    { atMs: 0, picture: shown.picture },
    ...later.map(({ atMs, picture }) => ({ atMs: atMs - beginMs, picture })),
    ...earlier.map(({ atMs, picture }) => ({ atMs: atMs - beginMs + durationMs, picture })),
  ];
}
