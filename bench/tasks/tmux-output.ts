import { performance } from 'node:perf_hooks';
import { ignored } from '#base';
import type { Size } from '#model';
import type { Task, TimeCost } from '../measuring/task.ts';
import { TmuxServer } from './tmux-server.ts';

export interface TmuxOutputRequest {
  readonly task: 'tmux output';
  /** A script for sh with the measured output. */
  readonly script: string;
  readonly size: Size;
}

/**
 * The output of a program in a tmux window: elapsed seconds from the command that creates the window to
 * the message that it is closed. tmux closes a window after it has read all of its output.
 */
export class TmuxOutputTask implements Task<TimeCost> {
  readonly #request: TmuxOutputRequest;
  readonly #server: Promise<TmuxServer>;

  constructor(request: TmuxOutputRequest) {
    this.#request = request;
    this.#server = TmuxServer.start(request.size);
    ignored(this.#server, 'the code that awaits it gets the error');
  }

  async round(passes: number): Promise<TimeCost> {
    const server = await this.#server;
    let seconds = 0;
    for (let pass = 0; pass < passes; pass++) {
      const begin = performance.now();
      await server.runToEnd(this.#request.script);
      seconds += (performance.now() - begin) / 1000;
    }
    return { seconds };
  }

  async close(): Promise<void> {
    await (await this.#server).stop();
  }
}
