import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ignored } from '#base';
import type { AnimatedFrame, Pixels } from '#image';
import { ioError, VtrError } from '#model';
import { temporaryDirectory } from '#trust';

/** What ffmpeg prints when it fails, in characters from its end. */
const maxSaid = 2_000;

/** How each format is encoded: H.264 and VP9, in the form of colours that players need. */
const encoders = {
  mp4: ['-pix_fmt', 'yuv420p', '-movflags', '+faststart'],
  webm: ['-pix_fmt', 'yuv420p', '-c:v', 'libvpx-vp9', '-crf', '30', '-b:v', '0', '-cpu-used', '4'],
} as const;

/** Films of them have an even width and height. */
const even = 'pad=ceil(iw/2)*2:ceil(ih/2)*2';

/**
 * Encodes an animation as a film, with the installed ffmpeg.
 *
 * @param frames the first one is the whole picture
 * @throws VtrError PROGRAM_NOT_FOUND if ffmpeg is not in PATH, IO_ERROR if it fails or has no directory
 */
export async function filmBytes(
  {
    frames,
    framesPerSecond,
  }: { readonly frames: Iterable<AnimatedFrame>; readonly framesPerSecond: number },
  format: keyof typeof encoders,
): Promise<Uint8Array> {
  // A film is written with seeks, so not to a pipe.
  const directory = newDirectory();
  try {
    const file = join(directory, `film.${format}`);
    const pictures = wholePictures(frames, framesPerSecond);
    const first = pictures.next();
    if (first.done) throw new Error('a film has at least one picture');
    const { width, height } = first.value;
    const input = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`];
    await ffmpeg(format, rgbBytes(first.value, pictures), [
      ...[...input, '-r', `${framesPerSecond}`, '-i', '-'],
      ...['-vf', even, ...encoders[format], file],
    ]);
    return readFileSync(file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @throws VtrError IO_ERROR */
function newDirectory(): string {
  const path = join(temporaryDirectory(), 'vtr-film-');
  try {
    return mkdtempSync(path);
  } catch (error) {
    throw ioError(path, 'made', error);
  }
}

async function ffmpeg(
  format: string,
  input: Iterable<Buffer>,
  args: readonly string[],
): Promise<void> {
  const child = spawn('ffmpeg', ['-loglevel', 'error', ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-maxSaid);
  });
  const ended = once(child, 'close');
  const fed = ignored(
    pipeline(Readable.from(input), child.stdin),
    'the exit status and what it prints say why',
  );
  const [status] = await ended.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw failed(error.message);
    const message = `${format} is made by ffmpeg, which is not in PATH; install it, or choose gif or apng`;
    throw new VtrError('PROGRAM_NOT_FOUND', message, { cause: error });
  });
  await fed;
  if (status !== 0) throw failed(said.trim() || `exit status ${status}`);
}

const failed = (reason: string) => new VtrError('IO_ERROR', `ffmpeg failed: ${reason}`);

/** Yields pictures as bytes. */
function* rgbBytes(first: Pixels, rest: Iterable<Pixels>): Generator<Buffer> {
  let bytes = rgbOf(first);
  yield bytes;
  let last = first;
  for (const picture of rest) {
    if (picture !== last) bytes = rgbOf(picture);
    last = picture;
    yield bytes;
  }
}

function rgbOf({ pixels }: Pixels): Buffer {
  const bytes = Buffer.alloc(3 * pixels.length);
  let to = 0;
  for (const color of pixels) {
    bytes[to++] = color >> 16;
    bytes[to++] = color >> 8;
    bytes[to++] = color;
  }
  return bytes;
}

/**
 * Yields the whole picture of each interval of an animation. It is the same object as before if nothing
 * has changed.
 *
 * @param film the first frame is the whole picture
 */
export function* wholePictures(
  film: Iterable<AnimatedFrame>,
  framesPerSecond: number,
): Generator<Pixels> {
  let picture: Pixels | null = null;
  let shownMs = 0;
  let yielded = 0;
  for (const { pixels: part, x, y, durationMs } of film) {
    picture = picture === null ? part : drawnOver(picture, part, x, y);
    shownMs += durationMs;
    const end = Math.round((shownMs * framesPerSecond) / 1000);
    for (; yielded < end; yielded++) yield picture;
  }
}

/** Returns a copy, because the picture before may still be in use. */
function drawnOver({ width, height, pixels }: Pixels, part: Pixels, x: number, y: number): Pixels {
  const copy = pixels.slice();
  for (let row = 0; row < part.height; row++) {
    const line = part.pixels.subarray(row * part.width, (row + 1) * part.width);
    copy.set(line, (y + row) * width + x);
  }
  return { width, height, pixels: copy };
}
