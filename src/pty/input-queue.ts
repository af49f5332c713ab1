import { type Disposable, toDisposable } from '#base';
import { type CancelSignal, type ErrorCode, VtrError } from '#model';

/** Input that may wait for the program to read, in bytes. */
export const maxQueuedBytes = 4 * 1024 * 1024;

/** The kernel takes at most what its line discipline has room for (4 KiB on Linux) anyway. */
const bytesPerCall = 16 * 1024;

/** Then other sessions have a turn. */
const bytesPerTurn = 64 * 1024;

/**
 * Nothing tells reliably that the program reads again (the kernel reports a full master as writable,
 * libuv's streams block on it): ask again after a while, and after a longer one each time.
 */
const firstBackOffMs = 1;
const maxBackOffMs = 50;

interface Entry {
  readonly bytes: Uint8Array;
  accepted: number;
  readonly resolve: () => void;
  readonly reject: (error: VtrError) => void;
  cancellation: Disposable;
}

const nothing: Disposable = { dispose() {} };

/** Takes writes of any size and passes them on as the program reads, without ever blocking. */
export class InputQueue {
  readonly #accept: (bytes: Uint8Array) => number;
  #entries: Entry[] = [];
  #queuedBytes = 0;
  #wake: Disposable | null = null;
  #backOffMs = firstBackOffMs;
  #closed = false;

  /** @param accept takes as many bytes as it can from the front and says how many, without blocking. */
  constructor(accept: (bytes: Uint8Array) => number) {
    this.#accept = accept;
  }

  /** Contract: `Pty.write`. */
  write(bytes: Uint8Array, signal?: CancelSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal(bytes.length, signal);
      if (refusal !== null) {
        reject(refusal);
        return;
      }
      const entry = { bytes, accepted: 0, resolve, reject, cancellation: nothing };
      if (signal !== undefined) this.#watch(entry, signal);
      this.#entries.push(entry);
      this.#queuedBytes += bytes.length;
      if (this.#wake === null) this.#flush();
    });
  }

  /** Fails what waits with SESSION_NOT_RUNNING, and whatever comes. */
  close(): void {
    this.#closed = true;
    this.#failAll('SESSION_NOT_RUNNING', 'the program ended before it took all of the input');
  }

  #refusal(length: number, signal?: CancelSignal): VtrError | null {
    if (this.#closed) return withAccepted('SESSION_NOT_RUNNING', 'the program has ended', 0);
    if (signal?.aborted) return withAccepted('CANCELLED', 'the input was withdrawn', 0);
    if (length > maxQueuedBytes) {
      return new VtrError(
        'INPUT_TOO_LARGE',
        `${length} bytes of input at once; send at most ${maxQueuedBytes} at a time`,
        { details: { bytes: length, maxBytes: maxQueuedBytes } },
      );
    }
    if (this.#queuedBytes + length > maxQueuedBytes) {
      return new VtrError(
        'INPUT_BACKLOG',
        `the program does not read: ${this.#queuedBytes} bytes of input wait for it already, ` +
          `the limit is ${maxQueuedBytes}; interrupt it, or wait until it reads`,
        { details: { queuedBytes: this.#queuedBytes, maxBytes: maxQueuedBytes } },
      );
    }
    return null;
  }

  #watch(entry: Entry, signal: CancelSignal): void {
    const onAbort = () => {
      this.#entries = this.#entries.filter((each) => each !== entry);
      this.#queuedBytes -= entry.bytes.length - entry.accepted;
      this.#fail(entry, 'CANCELLED', 'the rest of the input was withdrawn');
    };
    signal.addEventListener('abort', onAbort);
    entry.cancellation = toDisposable(() => signal.removeEventListener('abort', onAbort));
  }

  #flush(): void {
    this.#stopWaiting();
    try {
      this.#wake = this.#pass();
    } catch (error) {
      this.#failAll('PTY_ERROR', `writing to the pseudo-terminal failed: ${String(error)}`, error);
    }
  }

  /** @returns what will go on with the rest, null when there is none. */
  #pass(): Disposable | null {
    let turn = bytesPerTurn;
    for (let entry = this.#entries[0]; entry !== undefined; entry = this.#entries[0]) {
      if (turn <= 0) return this.#nextTurn();
      const piece = entry.bytes.subarray(entry.accepted, entry.accepted + bytesPerCall);
      const count = piece.length === 0 ? 0 : this.#accept(piece);
      turn -= count;
      entry.accepted += count;
      this.#queuedBytes -= count;
      if (count > 0) this.#backOffMs = firstBackOffMs;
      if (entry.accepted === entry.bytes.length) this.#complete(entry);
      else if (count < piece.length) return this.#later();
    }
    return null;
  }

  #complete(entry: Entry): void {
    this.#entries.shift();
    entry.cancellation.dispose();
    entry.resolve();
  }

  #nextTurn(): Disposable {
    const immediate = setImmediate(() => this.#flush());
    return toDisposable(() => clearImmediate(immediate));
  }

  #later(): Disposable {
    const timer = setTimeout(() => this.#flush(), this.#backOffMs);
    this.#backOffMs = Math.min(this.#backOffMs * 2, maxBackOffMs);
    return toDisposable(() => clearTimeout(timer));
  }

  #stopWaiting(): void {
    this.#wake?.dispose();
    this.#wake = null;
  }

  #failAll(code: ErrorCode, message: string, cause?: unknown): void {
    this.#stopWaiting();
    const failed = this.#entries;
    this.#entries = [];
    this.#queuedBytes = 0;
    for (const entry of failed) this.#fail(entry, code, message, cause);
  }

  #fail(entry: Entry, code: ErrorCode, message: string, cause?: unknown): void {
    entry.cancellation.dispose();
    entry.reject(withAccepted(code, message, entry.accepted, cause));
  }
}

function withAccepted(
  code: ErrorCode,
  message: string,
  acceptedBytes: number,
  cause?: unknown,
): VtrError {
  return new VtrError(code, `${message}; ${acceptedBytes} bytes of it were accepted`, {
    cause,
    details: { acceptedBytes },
  });
}
