import { setImmediate as nextTurn } from 'node:timers/promises';
import { beginWork, currentWork, endWork } from '#base';

/** Output that is handled in one turn, in bytes: a few milliseconds. */
const turnBytes = 64 * 1024;

/** Counts work, so that it can be spread over turns in which other sessions are served. */
export class Turns {
  /** Whose call this is part of, if that is shown. */
  readonly #session = currentWork()?.session;
  #bytes = 0;

  constructor() {
    this.#begin();
  }

  /** Waits for the next turn if this one has done enough. */
  async worked(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes < turnBytes) return;
    this.#bytes = 0;
    endWork();
    await nextTurn();
    this.#begin();
  }

  #begin(): void {
    if (this.#session !== undefined) beginWork('recording', this.#session);
  }
}
