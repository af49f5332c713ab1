import { type Disposable, toDisposable } from '#base';
import { type CancelSignal, type ErrorCode, type InputReceipt, VtrError } from '#model';
import { hasLongLine, maxLineBytes } from './canonical-mode.ts';

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

/** Where the input goes. */
export interface InputDevice {
  /** Takes as many bytes as it can from the front and says how many, without blocking. */
  write(bytes: Uint8Array): number;
  /** Whether its terminal reads by lines now. Asked before a line that would be cut then. */
  readsByLines(): Promise<boolean>;
}

interface Entry {
  readonly bytes: Uint8Array;
  accepted: number;
  /** Null until it is known whether a line of it will be cut. */
  receipt: InputReceipt | null;
  readonly resolve: (receipt: InputReceipt) => void;
  readonly reject: (error: VtrError) => void;
  cancellation: Disposable;
}

const nothing: Disposable = { dispose() {} };
const whole: InputReceipt = {};
const cut: InputReceipt = { lineCutAtBytes: maxLineBytes };

/** Takes writes of any size and passes them on as the program reads, without ever blocking. */
export class InputQueue {
  readonly #device: InputDevice;
  #entries: Entry[] = [];
  #queuedBytes = 0;
  #wake: Disposable | null = null;
  #backOffMs = firstBackOffMs;
  #closed = false;

  constructor(device: InputDevice) {
    this.#device = device;
  }

  /** Contract: `Pty.write`. */
  write(bytes: Uint8Array, signal?: CancelSignal): Promise<InputReceipt> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal(bytes.length, signal);
      if (refusal !== null) {
        reject(refusal);
        return;
      }
      const receipt = hasLongLine(bytes) ? null : whole;
      const entry: Entry = { bytes, accepted: 0, receipt, resolve, reject, cancellation: nothing };
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
      if (entry.receipt === null) return this.#ask(entry);
      const piece = entry.bytes.subarray(entry.accepted, entry.accepted + bytesPerCall);
      const count = piece.length === 0 ? 0 : this.#device.write(piece);
      turn -= count;
      entry.accepted += count;
      this.#queuedBytes -= count;
      if (count > 0) this.#backOffMs = firstBackOffMs;
      if (entry.accepted === entry.bytes.length) this.#complete(entry, entry.receipt);
      else if (count < piece.length) return this.#later();
    }
    return null;
  }

  #complete(entry: Entry, receipt: InputReceipt): void {
    this.#entries.shift();
    entry.cancellation.dispose();
    entry.resolve(receipt);
  }

  /** Right before its first byte: later, the program may have seen to it and gone on. */
  #ask(entry: Entry): Disposable {
    let wanted = true;
    this.#device.readsByLines().then((byLines) => {
      entry.receipt = byLines ? cut : whole;
      if (wanted) this.#flush();
    });
    return toDisposable(() => {
      wanted = false;
    });
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
