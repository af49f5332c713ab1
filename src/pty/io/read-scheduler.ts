import { type Disposable, Queue, toDisposable } from '#base';

/** How long the reads of one terminal may take at a stretch, in ms. */
const turnMs = 1;

/** What it takes to tell turns apart. */
export interface TurnLoop {
  nowMs(): number;
  /** Calls back when everything else that is ready has had its own turn. */
  afterTurn(callback: () => void): void;
  /** Calls back in so many ms. */
  after(delayMs: number, callback: () => void): Disposable;
}

const nodeLoop: TurnLoop = {
  nowMs: () => performance.now(),
  afterTurn: (callback) => void setImmediate(callback),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return toDisposable(() => clearTimeout(timer));
  },
};

/**
 * Shares the event loop out among the terminals that have much to say. Those that flood get it one
 * after the other, for {@link turnMs} each; timers, input and whoever says little come in between.
 *
 * The others are not read meanwhile, so their programs wait for room and stay off the processors:
 * eight that write at once would leave this process two ninths of two cores, and let it wait for
 * 20 ms at a time.
 */
export class ReadTurns {
  readonly #loop: TurnLoop;
  readonly #waiting = new Queue<TurnReader>();
  #holder: TurnReader | null = null;
  #limit: Disposable | null = null;
  #turn = 0;

  constructor(loop: TurnLoop = nodeLoop) {
    this.#loop = loop;
  }

  /** Changes when a new turn has begun. */
  get turn(): number {
    return this.#turn;
  }

  /** What whoever does not flood may take of a turn, in ms. */
  get partMs(): number {
    return turnMs / (1 + this.#waiting.length);
  }

  nowMs(): number {
    return this.#loop.nowMs();
  }

  /** Whether it is the reader's turn. */
  isHeldBy(reader: TurnReader): boolean {
    return this.#holder === reader;
  }

  /** Puts a reader at the end of the queue; it goes on when its turn has come. */
  await(reader: TurnReader): void {
    this.#waiting.push(reader);
    if (this.#holder === reader) this.#end();
    else if (this.#holder === null && this.#waiting.length === 1) this.#beginSoon();
    else this.#limitTurn();
  }

  #beginSoon(): void {
    this.#loop.afterTurn(() => this.#begin());
  }

  #begin(): void {
    const reader = this.#waiting.shift();
    if (reader === undefined) return;
    this.#turn++;
    this.#holder = reader;
    this.#limitTurn();
    reader.begin();
  }

  /** A turn in which little is said ends all the same, when others wait for theirs. */
  #limitTurn(): void {
    if (this.#holder === null || this.#waiting.length === 0) return;
    this.#limit ??= this.#loop.after(turnMs, () => this.#end());
  }

  #end(): void {
    this.#limit?.dispose();
    this.#limit = null;
    this.#holder?.end();
    this.#holder = null;
    if (this.#waiting.length > 0) this.#beginSoon();
  }
}

/** All terminals of this process share one loop. */
export const readTurns = new ReadTurns();

/** One terminal's part in the turns. */
export class TurnReader {
  readonly #turns: ReadTurns;
  readonly #goOn: () => void;
  /** Has had more to say than its part, and takes turns since. */
  #floods = false;
  #turn = 0;
  #spentMs = 0;

  /** @param goOn called when reading may go on after {@link take} said no. */
  constructor(turns: ReadTurns, goOn: () => void) {
    this.#turns = turns;
    this.#goOn = goOn;
  }

  /**
   * Handles what was read; returns whether more may be read now.
   *
   * @param isFull whether there was as much as was asked for, so that there may be more
   */
  take(isFull: boolean, handle: () => void): boolean {
    const turns = this.#turns;
    if (this.#turn !== turns.turn) this.#count(turns.turn);
    const startMs = turns.nowMs();
    handle();
    this.#spentMs += turns.nowMs() - startMs;
    if (this.#mayGoOn(isFull)) return true;
    this.#floods = true;
    turns.await(this);
    return false;
  }

  /** Its turn has come. */
  begin(): void {
    this.#count(this.#turns.turn);
    this.#goOn();
  }

  /** Its turn is over. */
  end(): void {
    // Who says nothing in a whole turn does not flood any more.
    if (this.#spentMs === 0) this.#floods = false;
  }

  #mayGoOn(isFull: boolean): boolean {
    const turns = this.#turns;
    // Time alone tells nothing: the processor may have been somebody else's meanwhile.
    if (!this.#floods) return !isFull || this.#spentMs < turns.partMs;
    return turns.isHeldBy(this) && this.#spentMs < turnMs;
  }

  #count(turn: number): void {
    this.#turn = turn;
    this.#spentMs = 0;
  }
}
