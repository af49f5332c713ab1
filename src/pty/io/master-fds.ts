import { closeSync, openSync } from 'node:fs';
import { maxOpenFiles } from '../start/system-limits.ts';

/** However many files may be open, the numbers below this are enough for gaps. */
const maxFillers = 8_192;

/**
 * Keeps programs from inheriting the masters of other sessions.
 *
 * Masters are made without FD_CLOEXEC, and Node cannot set it. The binding's child sets it on its
 * copies before it executes the program, but on Linux it walks up the numbers from 3 and stops at
 * the first one above 15 that is not open. In the child, the number of its own master is such a gap.
 * So at a fork no number below the highest master may be free: then the new master comes after all
 * others, and the walk gets past them. Numbers that became free are taken by fillers.
 *
 * The price: while sessions overlap without a pause, the numbers climb by two a spawn, those of the
 * master and the slave, which fillers keep when both are closed. At half of what may be open, gaps
 * are left open instead, until the highest masters are closed.
 */
export class MasterNumbers {
  readonly #masters = new Set<number>();
  #fillers: number[] = [];

  add(master: number): void {
    this.#masters.add(master);
  }

  /** To be called after `master` was closed. */
  delete(master: number): void {
    this.#masters.delete(master);
    this.#releaseAbove(this.#highest());
  }

  /**
   * To be called right before a fork, with nothing in between that closes a descriptor. What Node's
   * threads close in these microseconds cannot be helped.
   */
  closeGaps(): void {
    if (process.platform !== 'linux') return;
    const highest = this.#highest();
    if (highest > Math.min(maxFillers, (maxOpenFiles() ?? 0) / 2)) this.#releaseAbove(-1);
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

/** One for the process, as the numbers are. */
export const masterNumbers = new MasterNumbers();
