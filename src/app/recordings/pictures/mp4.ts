import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AnimatedFrame } from '#image';
import { VtrError } from '#model';

const framesPerSecond = 30;

/** What ffmpeg prints when it fails, in characters from its end. */
const maxSaid = 2_000;

/**
 * Encodes an animation as MP4 (H.264), with the installed ffmpeg.
 *
 * @param film the first frame is the whole picture
 * @throws VtrError PROGRAM_NOT_FOUND if ffmpeg is not in PATH, IO_ERROR if it fails
 */
export async function mp4Of(
  film: Iterable<AnimatedFrame>,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Uint8Array> {
  // MP4 is written with seeks, so not to a pipe.
  const directory = mkdtempSync(join(tmpdir(), 'vtr-mp4-'));
  try {
    const file = join(directory, 'film.mp4');
    const input = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`];
    await ffmpeg(rgbFrames(film, width), [
      ...[...input, '-r', `${framesPerSecond}`, '-i', '-'],
      // Players need this form of colours, and the index of the file at its beginning.
      ...['-pix_fmt', 'yuv420p', '-movflags', '+faststart', file],
    ]);
    return readFileSync(file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function ffmpeg(input: Iterable<Buffer>, args: readonly string[]): Promise<void> {
  const child = spawn('ffmpeg', ['-loglevel', 'error', ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-maxSaid);
  });
  const ended = once(child, 'close');
  // If it ends early, its status and what it prints say why.
  const fed = pipeline(Readable.from(input), child.stdin).catch(() => {});
  const [status] = await ended.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw failed(error.message);
    const message =
      'mp4 is made by ffmpeg, which is not in PATH; install it, or choose gif or apng';
    throw new VtrError('PROGRAM_NOT_FOUND', message, { cause: error });
  });
  await fed;
  if (status !== 0) throw failed(said.trim() || `exit status ${status}`);
}

const failed = (reason: string) => new VtrError('IO_ERROR', `ffmpeg failed: ${reason}`);

/** Yields the whole picture of each interval, as bytes. */
function* rgbFrames(film: Iterable<AnimatedFrame>, width: number): Generator<Buffer> {
  let picture = Buffer.alloc(0);
  let shownMs = 0;
  let written = 0;
  for (const { pixels: part, x, y, durationMs } of film) {
    // A copy, because the one before may still wait to be written.
    picture = picture.length === 0 ? Buffer.alloc(3 * width * part.height) : Buffer.from(picture);
    for (let row = 0, from = 0; row < part.height; row++) {
      let to = 3 * ((y + row) * width + x);
      for (let col = 0; col < part.width; col++) {
        const color = part.pixels[from++] ?? 0;
        picture[to++] = color >> 16;
        picture[to++] = color >> 8;
        picture[to++] = color;
      }
    }
    shownMs += durationMs;
    const end = Math.round((shownMs * framesPerSecond) / 1000);
    for (; written < end; written++) yield picture;
  }
}
