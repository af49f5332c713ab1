import { performance } from 'node:perf_hooks';
import { exportRecording, screenshotOf } from '#app/recordings';
import type { Size } from '#model';
import { Terminal } from '#vt';
import type { Task, TimeCost } from '../measuring/task.ts';
import { payload } from '../payloads/index.ts';
import { type RecordedName, recorded } from '../payloads/recorded.ts';

export interface PictureRequest {
  readonly task: 'picture';
  /** `png` is a picture of a screen, the others are pictures of a recording. */
  readonly format: 'png' | 'gif' | 'apng' | 'svg';
  readonly recording: RecordedName;
  readonly size: Size;
  /** The duration of the recording. */
  readonly seconds: number;
}

export interface PictureCost extends TimeCost {
  /** The size of the file. */
  readonly bytes: number;
}

/** Makes a picture, in elapsed seconds: some formats use several threads. */
export class PictureTask implements Task<PictureCost> {
  readonly #make: () => Promise<string | Uint8Array>;

  constructor({ format, recording: name, size, seconds }: PictureRequest) {
    if (format === 'png') {
      const terminal = new Terminal({ size });
      terminal.feed(payload('truecolor log', size, 100 * size.rows));
      const { dump } = terminal.snapshot({ scrollbackLines: 0 });
      const screen = { size, firstLine: 0, dump };
      this.#make = () => screenshotOf(screen, { format, title: '' });
    } else {
      const recording = recorded(name, size, seconds);
      this.#make = () => exportRecording(recording, format, { select: '..' });
    }
  }

  async round(passes: number): Promise<PictureCost> {
    let bytes = 0;
    const begin = performance.now();
    for (let pass = 0; pass < passes; pass++) bytes = Buffer.byteLength(await this.#make());
    return { seconds: (performance.now() - begin) / 1000, bytes };
  }
}
