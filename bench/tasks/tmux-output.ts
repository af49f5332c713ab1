import { performance } from 'node:perf_hooks';
import type { Size } from '#model';
import type { Task, TimeCost } from '../measuring/task.ts';
import { TmuxServer } from './tmux-server.ts';

export interface TmuxOutputRequest {
  readonly task: 'tmux output';
  /** Run by sh; what it writes is what is measured. */
  readonly script: string;
  readonly size: Size;
}

/**
 * The output of a program in a window of tmux: seconds by the clock from the command that makes the window
 * to the message that it is closed. tmux closes a window when it has read its output to the end.
 */
export class TmuxOutputTask implements Task<TimeCost> {
  readonly #request: TmuxOutputRequest;
  readonly #server: Promise<TmuxServer>;

  constructor(request: TmuxOutputRequest) {
    this.#request = request;
    this.#server = TmuxServer.start(request.size);
    // Whoever awaits it is told.
    this.#server.catch(() => {});
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
