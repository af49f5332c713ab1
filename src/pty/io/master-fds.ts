import { closeSync, openSync } from 'node:fs';
import { maxOpenFds } from '../start/system-limits.ts';

/** Gaps are filled up to this fd at most, whatever RLIMIT_NOFILE is. */
const maxFillers = 8_192;

/**
 * Keeps programs from inheriting the masters of other sessions.
 *
 * Masters are opened without FD_CLOEXEC, and Node cannot set it. The binding's child sets it on its
 * copies before it executes the program, but on Linux it goes through the fds from 3 upwards and
 * stops at the first one above 15 that is not open. In the child, the fd of its own master is such
 * a gap. So at a fork no fd below the highest master may be free: the new master then gets a higher
 * fd than all others, and the child reaches all of them. Fds that became free are occupied by
 * fillers.
 *
 * The cost: while sessions overlap without a pause, fds rise by two per spawn, for the master and
 * the slave; fillers occupy them when both are closed. At half of RLIMIT_NOFILE, gaps are left open
 * instead, until the highest masters are closed.
 */
export class MasterFds {
  readonly #masters = new Set<number>();
  #fillers: number[] = [];

  add(master: number): void {
    this.#masters.add(master);
  }

  /** Must be called after `master` was closed. */
  delete(master: number): void {
    this.#masters.delete(master);
    this.#releaseAbove(this.#highest());
  }

  /**
   * Must be called right before a fork, without closing an fd in between. Fds that Node's threads
   * close in these microseconds are not covered.
   */
  closeGaps(): void {
    if (process.platform !== 'linux') return;
    const highest = this.#highest();
    if (highest > Math.min(maxFillers, (maxOpenFds() ?? 0) / 2)) this.#releaseAbove(-1);
    else this.#fillBelow(highest);
  }

  #highest(): number {
    return Math.max(-1, ...this.#masters);
  }

  #fillBelow(highest: number): void {
    let lowestFree = openFiller();
    while (lowestFree < highest) {
      this.#fillers.push(lowestFree);
      lowestFree = openFiller();
    }
    closeSync(lowestFree);
  }

  #releaseAbove(highest: number): void {
    if (this.#fillers.length === 0) return;
    for (const filler of this.#fillers) if (filler > highest) closeSync(filler);
    this.#fillers = this.#fillers.filter((filler) => filler < highest);
  }
}

function openFiller(): number {
  return openSync('/dev/null', 'r');
}

/** One per process, because fds are per process. */
export const masterFds = new MasterFds();
