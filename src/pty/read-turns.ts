/** How long all reads of one turn of the event loop may take together, in ms, if each has had one. */
const turnMs = 2;

/** What it takes to tell turns apart. */
export interface TurnLoop {
  nowMs(): number;
  /** Calls back in the next turn, when everything else that is ready has had its own. */
  afterTurn(callback: () => void): void;
}

const nodeLoop: TurnLoop = {
  nowMs: () => performance.now(),
  afterTurn: (callback) => void setImmediate(callback),
};

/**
 * Shares the event loop out among the terminals that have much to say. libuv would read up to 64 KiB
 * from one before it looks at the next; with eight floods that is 20 ms in which nothing else
 * happens. Here each of them gets an equal part of {@link turnMs}, and timers, input and whoever
 * says little come in between.
 */
export class ReadTurns {
  readonly #loop: TurnLoop;
  #waiting: (() => void)[] = [];
  #turn = 0;
  #partMs = turnMs;

  constructor(loop: TurnLoop = nodeLoop) {
    this.#loop = loop;
  }

  /** Changes when a new turn has begun. */
  get turn(): number {
    return this.#turn;
  }

  /** What one reader may take of this turn, in ms. */
  get partMs(): number {
    return this.#partMs;
  }

  nowMs(): number {
    return this.#loop.nowMs();
  }

  /** Calls back when the next turn begins. */
  awaitNext(callback: () => void): void {
    if (this.#waiting.push(callback) === 1) this.#loop.afterTurn(() => this.#begin());
  }

  #begin(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#turn++;
    this.#partMs = turnMs / waiting.length;
    for (const callback of waiting) callback();
  }
}

/** All terminals of this process share one loop. */
export const readTurns = new ReadTurns();

/** One terminal's part in the turns. */
export class TurnReader {
  readonly #turns: ReadTurns;
  readonly #goOn: () => void;
  #turn = 0;
  #spentMs = 0;

  /** @param goOn called when reading may go on after {@link take} said no. */
  constructor(turns: ReadTurns, goOn: () => void) {
    this.#turns = turns;
    this.#goOn = goOn;
  }

  /** Handles what was read; returns whether more may be read in this turn. */
  take(handle: () => void): boolean {
    const turns = this.#turns;
    if (this.#turn !== turns.turn) {
      this.#turn = turns.turn;
      this.#spentMs = 0;
    }
    const startMs = turns.nowMs();
    handle();
    this.#spentMs += turns.nowMs() - startMs;
    if (this.#spentMs < turns.partMs) return true;
    turns.awaitNext(this.#goOn);
    return false;
  }
}
