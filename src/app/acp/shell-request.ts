import { closeSync, constants, lstatSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { isOwn } from '#trust';

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

/** What a shell is told in place of its session's terminal: it runs the command without one, or does not run it. */
export type Refusal = 'none' | 'unrecorded';

/** A shell of the agent that has asked for a session, by the named pipes in its directory. */
export class ShellRequest {
  /** Resolves when the shell has ended, or goes on without a session; with whether its command had begun. */
  readonly ended: Promise<{ readonly hasBegun: boolean }>;
  /** Open as long as the shell may read: it would wait for ever for an answer of a process that is gone. */
  readonly #answer: number;
  readonly #asks: Socket;

  /** @throws the error of the system, if the shell is gone */
  constructor(place: string) {
    // As a reader and a writer, so that it opens at once.
    this.#answer = openSync(join(place, 'answer'), O_RDWR | O_NONBLOCK);
    try {
      const fd = openSync(join(place, 'asks'), O_RDONLY | O_NONBLOCK);
      this.#asks = new Socket({ fd, readable: true, writable: false });
    } catch (error) {
      closeSync(this.#answer);
      throw error;
    }
    let hasBegun = false;
    this.ended = new Promise((resolve) => {
      this.#asks.on('data', () => {
        hasBegun = true;
      });
      this.#asks.once('close', () => {
        closeSync(this.#answer);
        resolve({ hasBegun });
      });
      this.#asks.on('error', () => {});
    });
  }

  /** Without effect on a shell that has its answer. */
  refuse(why: Refusal): void {
    if (!this.#asks.destroyed) writeSync(this.#answer, `${why}\n`);
  }
}

const prefix = 'vtr-acp-';

/** The beginning of the name of the directory of a process's requests. */
export const placePrefix = `${prefix}${process.pid}-`;

/** Removes what processes that were killed have left: their shells run their commands without sessions. Never fails. */
export function removeLeftPlaces(directory: string): void {
  for (const name of namesIn(directory)) {
    const [, pid] = /^vtr-acp-(\d+)-/.exec(name) ?? [];
    const place = join(directory, name);
    if (pid === undefined || isRunning(Number(pid)) || !isOwnDirectory(place)) continue;
    try {
      removePlace(place);
    } catch {
      // Another process that starts now removes it, too.
    }
  }
}

/** Who may make a directory somewhere may not be allowed to list it. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Removes the directory of a process's requests. A shell that waits for an answer would do so for ever. */
export function removePlace(place: string): void {
  for (const name of readdirSync(place)) {
    const own = join(place, name);
    whenOpen(join(own, 'answer'), O_WRONLY, (answer) => writeSync(answer, 'none\n'));
    // A copy of output of which the command has ended, or never began.
    for (const output of ['out', 'err']) whenOpen(join(own, output), O_WRONLY, () => {});
  }
  rmSync(place, { recursive: true, force: true });
}

function whenOpen(path: string, flags: number, use: (fd: number) => void): void {
  try {
    const fd = openSync(path, flags | O_NONBLOCK);
    try {
      use(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Nobody reads it.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function isOwnDirectory(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && isOwn(stat);
}
