import type { VtrError } from '#model';

/** The stream of one call. */
export interface OpenedStream<Message> {
  /** Read by the call, which then knows that the server has accepted it; null once it was taken. */
  first: IteratorResult<Message> | null;
  readonly rest: AsyncIterator<Message>;
}

export interface StreamCalls<Message> {
  /** Makes the call again. @throws VtrError */
  open(): Promise<OpenedStream<Message>>;
  /** Repeats an attempt if the coordinator was replaced. */
  repeat<T>(attempt: () => Promise<T>): Promise<T>;
  toError(error: unknown): VtrError;
}

/** The messages of a call with a stream of answers, which is made again if the coordinator was replaced. */
export class RepeatedStream<Message> {
  readonly #calls: StreamCalls<Message>;
  #stream: OpenedStream<Message> | null;
  #isEnded = false;

  /** @param first of the first call */
  constructor(calls: StreamCalls<Message>, first: OpenedStream<Message>) {
    this.#calls = calls;
    this.#stream = first;
  }

  /** Returns the next message; null at the end. @throws VtrError */
  take(): Promise<Message | null> {
    const { repeat, open, toError } = this.#calls;
    return repeat(async () => {
      const stream = this.#stream ?? (await open());
      if (this.#isEnded) return null;
      this.#stream = stream;
      try {
        const { first } = stream;
        stream.first = null;
        const { done, value } = first ?? (await stream.rest.next());
        return done ? null : value;
      } catch (error) {
        this.#stream = null;
        throw toError(error);
      }
    });
  }

  /** No message is taken any more. */
  end(): void {
    this.#isEnded = true;
    this.#stream = null;
  }
}
