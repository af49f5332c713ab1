import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeArgs } from '#app/client';
import { ignored } from '#base';
import { startTask, type TaskRequest } from '../tasks/index.ts';
import type { Task } from './task.ts';

const program = fileURLToPath(new URL('../child.js', import.meta.url));

/**
 * The environment without the variables that cost Node time: a bundle of certificates is parsed at the
 * start, and would be counted.
 */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _bundle, NODE_OPTIONS: _options, ...rest } = process.env;
  return rest;
}

/** Whether a task is a daemon with its PTY host, and not a coordinator in another program. */
const isDaemon = (request: TaskRequest): boolean =>
  request.task === 'session output' && request.hasHost;

/** Runs rounds of a task. */
export interface Runner<Cost> {
  round(passes: number): Promise<Cost>;
  stop(): Promise<void>;
}

/** @param inThisProcess quicker, only to check that the task runs */
export const runnerOf = <Cost>(request: TaskRequest, inThisProcess = false): Runner<Cost> =>
  inThisProcess ? new TaskHere<Cost>(request) : new MeasuredProcess<Cost>(request);

/** A task in this process. */
class TaskHere<Cost> implements Runner<Cost> {
  readonly #task: Promise<Task<Cost>>;

  constructor(request: TaskRequest) {
    this.#task = startTask(request) as Promise<unknown> as Promise<Task<Cost>>;
  }

  async round(passes: number): Promise<Cost> {
    return (await this.#task).round(passes);
  }

  async stop(): Promise<void> {
    await (await this.#task).close?.();
  }
}

/** A task in its own process. */
export class MeasuredProcess<Cost> implements Runner<Cost> {
  readonly #child: ChildProcess;

  constructor(request: TaskRequest) {
    this.#child = fork(program, [JSON.stringify(request)], {
      execArgv: ['--expose-gc', ...(isDaemon(request) ? nodeArgs : [])],
      env: plainEnvironment(),
    });
  }

  /** @throws Error when the process ends without an answer */
  async round(passes: number): Promise<Cost> {
    const ended = new AbortController();
    const failure = once(this.#child, 'exit', { signal: ended.signal }).then(([code]) => {
      throw new Error(`a measured process ended with status ${code}`);
    });
    this.#child.send({ passes });
    const answer = once(this.#child, 'message', { signal: ended.signal });
    try {
      const [{ cost }] = (await Promise.race([answer, failure])) as [{ cost: Cost }];
      return cost;
    } finally {
      ignored(failure, 'the race has reported the first failure');
      ignored(answer, 'the race has reported the first failure');
      ended.abort();
    }
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, 'exit');
    if (this.#child.exitCode !== null) return;
    this.#child.disconnect();
    await exit;
  }
}
