import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import type { Task, TimeCost } from '../measuring/task.ts';

export interface CommandRequest {
  readonly task: 'command';
  /** Commands, run one after the other. */
  readonly commands: readonly (readonly [string, ...string[]])[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs commands as a script does: elapsed seconds from start to end. */
export class CommandTask implements Task<TimeCost> {
  readonly #request: CommandRequest;

  constructor(request: CommandRequest) {
    this.#request = request;
  }

  round(passes: number): TimeCost {
    const { commands, env: added } = this.#request;
    const env = { ...process.env, ...added };
    const begin = performance.now();
    for (let pass = 0; pass < passes; pass++) {
      for (const [program, ...args] of commands) {
        const { status, stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
        if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${status} ${stderr}`);
      }
    }
    return { seconds: (performance.now() - begin) / 1000 };
  }
}
