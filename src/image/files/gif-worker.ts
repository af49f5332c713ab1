// The program of the thread that encodes GIF frames.

import { type MessagePort, workerData } from 'node:worker_threads';
import { GifPixels } from './gif-pixels.ts';
import type { EncodedPixels, GivenPixels } from './gif-thread.ts';

const encoder = new GifPixels();
const port: MessagePort = workerData;

port.on('message', ({ number, pixels }: GivenPixels) => {
  const encoded: EncodedPixels = { number, bytes: encoder.encode(pixels) };
  port.postMessage(encoded);
});
