import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ToolStream } from './tool-stream.ts';

interface Started {
  readonly mayPrompt: boolean;
  readonly kill: () => void;
}

type Open = (onStart: (started: Started) => void) => Promise<object>;

let open: Open;
vi.mock('#transport', () => ({
  openTool: (_address: string, _options: object, onStart: (started: Started) => void) =>
    open(onStart),
}));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  [true, 0],
  [false, 1],
])('a person who is asked has any time for the answer: %s', async (mayPrompt, timeouts) => {
  const onTimeout = vi.fn();
  let connected = (_tool: object) => {};
  const started = new Promise<void>((resolve) => {
    open = (onStart) => {
      onStart({ mayPrompt, kill: () => {} });
      resolve();
      return new Promise((done) => {
        connected = done;
      });
    };
  });
  const stream = new ToolStream('ssh://gpu1').setTimeout(1_000, onTimeout);
  await started;
  vi.advanceTimersByTime(60_000);
  expect(onTimeout).toHaveBeenCalledTimes(timeouts);
  const output = new PassThrough();
  connected({ output, input: new PassThrough(), ended: new Promise(() => {}) });
  stream.resume();
  const read = new Promise((resolve) => stream.once('data', resolve));
  output.write('x');
  await read;
  vi.advanceTimersByTime(60_000);
  expect(onTimeout).toHaveBeenCalledTimes(timeouts + 1);
  stream.destroy();
});
