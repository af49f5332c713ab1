import { performance } from 'node:perf_hooks';
import type { Size } from '#model';
import { buildEnvironment, createPtyHost } from '#pty';
import type { Task, TimeCost } from '../measuring/task.ts';

export interface BareOutputRequest {
  readonly task: 'bare output';
  /** A script for sh with the measured output. */
  readonly script: string;
  readonly size: Size;
}

/**
 * The output of a program that this process reads and drops: elapsed seconds from the spawn to the exit,
 * which follows the last byte. It is the least that a program on Node.js takes.
 */
export class BareOutputTask implements Task<TimeCost> {
  readonly #request: BareOutputRequest;
  readonly #host = createPtyHost();
  #count = 0;

  constructor(request: BareOutputRequest) {
    this.#request = request;
  }

  async round(passes: number): Promise<TimeCost> {
    let seconds = 0;
    for (let pass = 0; pass < passes; pass++) seconds += await this.#pass();
    return { seconds };
  }

  async close(): Promise<void> {
    await this.#host.close({ force: true });
  }

  async #pass(): Promise<number> {
    const { script, size } = this.#request;
    const env = buildEnvironment({ base: process.env, cwd: '/' });
    const marker = { name: 'bare', id: `${process.pid}-${this.#count++}` };
    const begin = performance.now();
    const pty = await this.#host.spawn({
      program: 'sh',
      args: ['-c', script],
      cwd: '/',
      env,
      size,
      marker,
    });
    pty.readOutput(0, () => {});
    await pty.exit;
    const seconds = (performance.now() - begin) / 1000;
    await pty.end();
    return seconds;
  }
}
