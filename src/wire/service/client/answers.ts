import { Queue } from '#base';
import { costOf, windowBytes } from '../frames/frame.ts';

type Result<T> = IteratorResult<T, undefined>;

const done = { done: true, value: undefined } as const;

/** How much the consumer takes before the server is told. */
const toldBytes = windowBytes / 4;

export interface AnswersParts<T> {
  decode(payload: Uint8Array): T;
  /** Tells the server that the consumer has taken messages. */
  taken(bytes: number): void;
  /** Ends the call. */
  cancel(): void;
}

/** The messages of a call that streams, for one consumer. */
export class Answers<T> implements AsyncIterableIterator<T> {
  readonly #parts: AnswersParts<T>;
  readonly #waiting = new Queue<Uint8Array>();
  readonly #takers = new Queue<{
    resolve(result: Result<T>): void;
    reject(error: unknown): void;
  }>();
  #takenBytes = 0;
  #isOver = false;
  #failure: unknown = null;

  constructor(parts: AnswersParts<T>) {
    this.#parts = parts;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result<T>> {
    const payload = this.#waiting.shift();
    if (payload !== undefined) return this.#take(payload);
    if (!this.#isOver) {
      return new Promise((resolve, reject) => this.#takers.push({ resolve, reject }));
    }
    const failure = this.#failure;
    this.#failure = null;
    return failure === null ? Promise.resolve(done) : Promise.reject(failure);
  }

  async return(): Promise<Result<T>> {
    this.#waiting.clear();
    if (!this.#isOver) this.#parts.cancel();
    this.end();
    return done;
  }

  add(payload: Uint8Array): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#waiting.push(payload);
    else this.#take(payload).then(taker.resolve, taker.reject);
  }

  end(): void {
    this.#isOver = true;
    for (let each = this.#takers.shift(); each !== undefined; each = this.#takers.shift()) {
      each.resolve(done);
    }
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    const taker = this.#takers.shift();
    if (taker === undefined) this.#failure = error;
    else taker.reject(error);
    this.end();
  }

  async #take(payload: Uint8Array): Promise<Result<T>> {
    this.#takenBytes += costOf(payload);
    if (this.#takenBytes >= toldBytes && !this.#isOver) {
      this.#parts.taken(this.#takenBytes);
      this.#takenBytes = 0;
    }
    return { done: false, value: this.#parts.decode(payload) };
  }
}
