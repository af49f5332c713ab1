import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { TerminalProvider } from '#wire/acp';
import { FrameWriter, messageIn } from './frames.ts';
import { TerminalRequests } from './terminal-requests.ts';

const count = 50;
const outputBytes = 2 * 1024 * 1024;

/** Answers each request with the largest possible output. */
function largeOutputs() {
  const requests: string[] = [];
  const output = 'x'.repeat(outputBytes);
  const answer = async (method: string) => {
    requests.push(method);
    await turn();
    return { output, truncated: true };
  };
  return { asked: requests, provider: { answer } as unknown as TerminalProvider };
}

it('large answers are created one after another, however many are requested at once', async () => {
  const { asked, provider } = largeOutputs();
  const hears = new PassThrough();
  const agent = new FrameWriter(hears);
  const requests = new TerminalRequests({
    provider,
    agent,
    onCreated: () => {},
    onEnded: async () => {},
  });
  for (let id = 0; id < count; id++) {
    const frame = Buffer.from(`{"id":${id},"method":"terminal/output","params":{}}\n`);
    const message = messageIn(frame);
    if (message !== null) void requests.take(frame, message);
  }
  let lastId = -1;
  while (lastId < asked.length) {
    lastId = asked.length;
    for (let each = 0; each < 10; each++) await turn();
  }
  // 32 MiB of waiting answers, one in progress, and the buffer of the test's stream.
  expect(agent.waitingBytes).toBeLessThan(20 * outputBytes);
  // Waiting answers are read in chunks of any size.
  let lines = 0;
  for await (const chunk of hears as AsyncIterable<Buffer>) {
    lines += chunk.toString('latin1').split('\n').length - 1;
    if (lines === count) return;
  }
});
