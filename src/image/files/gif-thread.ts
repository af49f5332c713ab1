import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from 'node:worker_threads';

/** What the thread is given, with the number of its frame. */
export interface GivenPixels {
  readonly number: number;
  readonly pixels: Int32Array;
}

/** What the thread returns; see `GifPixels.encode`. */
export interface EncodedPixels {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Frames that wait for the thread; each can have megabytes. */
const maxWaiting = 3;

/** The program of the thread, relative to this file and to a bundle of the build. */
const programs = ['./gif-worker.js', './vtr-gif-worker.cjs'];

/**
 * A second thread that encodes frames of a GIF. Results are taken when the caller asks, because it draws
 * the next frames without a pause.
 */
export class GifThread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  #waiting = 0;

  /** Returns null where a thread does not help: with one processor, or without a build. */
  static start(): GifThread | null {
    if (availableParallelism() === 1) return null;
    const paths = programs.map((path) => fileURLToPath(new URL(path, import.meta.url)));
    const path = paths.find((each) => existsSync(each));
    return path === undefined ? null : new GifThread(path);
  }

  private constructor(path: string) {
    const { port1, port2 } = new MessageChannel();
    this.#worker = new Worker(path, { workerData: port2, transferList: [port2] });
    this.#port = port1;
    // A caller that fails does not have to end it.
    this.#worker.unref();
  }

  get isFree(): boolean {
    return this.#waiting < maxWaiting;
  }

  /** Encodes pixels, which belong to the thread then. */
  encode(pixels: GivenPixels): void {
    this.#waiting++;
    this.#port.postMessage(pixels, [pixels.pixels.buffer as ArrayBuffer]);
  }

  /** Yields what has been encoded. */
  *takeEncoded(): Generator<EncodedPixels> {
    for (;;) {
      const received = receiveMessageOnPort(this.#port);
      if (received === undefined) return;
      this.#waiting--;
      yield received.message;
    }
  }

  /** Waits for the rest, and ends the thread. @throws Error if the thread failed */
  async end(): Promise<EncodedPixels[]> {
    const rest: EncodedPixels[] = [];
    const all = new Promise<void>((resolve, reject) => {
      this.#worker.on('error', reject);
      this.#worker.on('exit', () => reject(new Error('the thread for GIF frames ended early')));
      this.#port.on('message', (encoded: EncodedPixels) => {
        rest.push(encoded);
        if (rest.length === this.#waiting) resolve();
      });
      if (this.#waiting === 0) resolve();
    });
    this.#worker.ref();
    try {
      await all;
      return rest;
    } finally {
      this.#port.close();
      await this.#worker.terminate();
    }
  }
}
