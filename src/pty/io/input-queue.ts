import { type Disposable, toDisposable } from '#base';
import { type CancelSignal, type ErrorCode, type InputReceipt, VtrError } from '#model';
import { enterPauseMs, inputPauseMs, maxReadWaitMs, type WriteOptions } from '../port.ts';

/** The most input that may wait for the program, in bytes. */
export const maxQueuedBytes = 4 * 1024 * 1024;

/** The kernel accepts at most the free space of its line discipline (4 KiB on Linux). */
const bytesPerCall = 16 * 1024;

/** The most bytes written in one turn of the event loop, which other sessions share. */
const bytesPerTurn = 64 * 1024;

/**
 * There is no reliable event for the program reading again: the kernel reports a full master as
 * writable, and libuv's streams block on it. So the queue tries again after a delay that doubles.
 */
const firstBackOffMs = 1;
const maxBackOffMs = 50;

/**
 * A program that reads all it gets, such as one that copies a file, has room for more within this time, in ms: until
 * then, each turn of the event loop tries again. A timer takes ten times as long.
 */
const soonMs = 0.3;

/**
 * How many checks in a row must find the program at rest: at the first, the thread that read may have stopped, and the
 * one that takes what was read may not have started.
 */
const restsNeeded = 2;

/**
 * How often it is tried whether the program has read, in ms. The kernel passes input on in a worker thread, so the
 * first try is not at once.
 */
const readPollMs = 10;

/**
 * The most bytes of a line in canonical mode; the rest of a longer line is dropped silently. Linux:
 * N_TTY_BUF_SIZE - 1, termios(3). macOS: MAX_CANON.
 */
export const maxLineBytes = process.platform === 'darwin' ? 1024 : 4095;

/** LF, CR, which most terminals convert to LF (ICRNL), and ctrl+d. */
const lineEnds = new Set([0x0a, 0x0d, 0x04]);

/** The terminal that the queue writes to. */
export interface InputDevice {
  /** Writes as many bytes from the front as it can without blocking. @returns how many */
  write(bytes: Uint8Array): number;
  /**
   * Returns whether the terminal is in canonical mode; called before a line that it would truncate, and before an
   * Enter that follows text.
   */
  isCanonical(): Promise<boolean>;
  /** Returns the bytes of input that no program has read; null if that is unknown. */
  unread(): number | null;
  /**
   * Returns a function that tells whether one of the programs that read the terminal now works or waits for a
   * processor; null if that is unknown.
   */
  work(): Promise<() => Promise<boolean | null>>;
}

const unknown = async () => null;

interface Entry {
  readonly bytes: Uint8Array;
  accepted: number;
  /** The offsets of the remaining pauses. */
  readonly pauses: number[];
  /** The offsets of the remaining Enters that the program gets apart. */
  readonly enters: number[];
  /** For how long they wait for the program to read, in ms. */
  readWaitMs: number;
  /** Whether the screen shows what was typed before them. */
  isShown: boolean;
  /** Whether the bytes are a reply of the terminal, which nobody typed. */
  readonly isReply: boolean;
  /** Asked right before the bytes are written; null if they are wanted in any case. */
  readonly isWanted: (() => Promise<boolean>) | null;
  /** Whether it was asked, and nothing was waited for since. */
  isChecked: boolean;
  /** Null until it is known whether the terminal will truncate a line. */
  receipt: InputReceipt | null;
  readonly resolve: (receipt: InputReceipt) => void;
  readonly reject: (error: VtrError) => void;
  cancellation: Disposable;
}

const nothing: Disposable = { dispose() {} };
const whole: InputReceipt = {};
const truncated: InputReceipt = { lineCutAtBytes: maxLineBytes };

/** Accepts writes of any size and passes them on as the program reads, without blocking. */
export class InputQueue {
  readonly #device: InputDevice;
  readonly #typed = new TypedText();
  #entries: Entry[] = [];
  #queuedBytes = 0;
  #wake: Disposable | null = null;
  #backOffMs = firstBackOffMs;
  /** When the terminal accepted something for the last time; see {@link performance.now}. */
  #acceptedMs = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(device: InputDevice) {
    this.#device = device;
  }

  /**
   * Contract: `Pty.write`.
   *
   * @param isWanted asked when it is the write's turn, which fails with CANCELLED if the answer is no
   */
  write(
    bytes: Uint8Array,
    options: WriteOptions = {},
    isWanted: (() => Promise<boolean>) | null = null,
  ): Promise<InputReceipt> {
    const { signal, pausesAt = [], entersAt = [], answersTo, shown } = options;
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal(bytes.length, signal);
      if (refusal !== null) {
        reject(refusal);
        return;
      }
      const receipt = hasLongLine(bytes) ? null : whole;
      const stops = { pauses: [...pausesAt], enters: [...entersAt], readWaitMs: maxReadWaitMs };
      const checks = { isWanted, isChecked: isWanted === null, receipt };
      const begun = { accepted: 0, isShown: false, cancellation: nothing };
      const isReply = answersTo !== undefined;
      const entry: Entry = { bytes, isReply, ...stops, ...checks, ...begun, resolve, reject };
      if (signal !== undefined) this.#watch(entry, signal);
      void shown?.then(() => {
        entry.isShown = true;
      });
      this.#entries.push(entry);
      this.#queuedBytes += bytes.length;
      if (this.#wake === null) this.#flush();
    });
  }

  /** Fails waiting and later writes with SESSION_NOT_RUNNING. */
  close(): void {
    this.#closed = true;
    this.#failAll('SESSION_NOT_RUNNING', 'the program ended before it accepted all of the input');
  }

  #refusal(length: number, signal?: CancelSignal): VtrError | null {
    if (this.#closed) return withAccepted('SESSION_NOT_RUNNING', 'the program has ended', 0);
    if (signal?.aborted) return withAccepted('CANCELLED', 'the input was withdrawn', 0);
    if (length > maxQueuedBytes) {
      return new VtrError(
        'INPUT_TOO_LARGE',
        `the input has ${length} bytes; send at most ${maxQueuedBytes} at once`,
        { details: { bytes: length, maxBytes: maxQueuedBytes } },
      );
    }
    if (this.#queuedBytes + length > maxQueuedBytes) {
      return new VtrError(
        'INPUT_BACKLOG',
        `the program does not read its input: ${this.#queuedBytes} of at most ${maxQueuedBytes} bytes ` +
          'are waiting; interrupt it, or wait until it reads',
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

  /** @returns a handle on the next try, null if the queue is empty */
  #pass(): Disposable | null {
    let left = bytesPerTurn;
    for (let entry = this.#entries[0]; entry !== undefined; entry = this.#entries[0]) {
      if (left <= 0) return this.#nextTurn();
      if (entry.receipt === null) return this.#checkMode(entry);
      if (!entry.isChecked) return this.#checkWanted(entry);
      if (entry.enters[0] === entry.accepted) {
        if (entry.accepted > 0 || this.#typed.isRecent) return this.#beforeEnter(entry);
        entry.enters.shift();
      }
      const { pauses, enters, bytes } = entry;
      const stop = Math.min(pauses[0] ?? bytes.length, enters[0] ?? bytes.length);
      const end = Math.min(entry.accepted + bytesPerCall, stop);
      const piece = bytes.subarray(entry.accepted, end);
      const count = piece.length === 0 ? 0 : this.#device.write(piece);
      left -= count;
      entry.accepted += count;
      this.#queuedBytes -= count;
      if (count > 0) this.#accepted(entry, piece.subarray(0, count));
      if (entry.accepted === entry.bytes.length) this.#complete(entry, entry.receipt);
      else if (count < piece.length) return this.#later(entry);
      else if (entry.accepted === pauses[0]) {
        pauses.shift();
        return this.#after(inputPauseMs);
      }
    }
    return null;
  }

  #accepted(entry: Entry, bytes: Uint8Array): void {
    this.#backOffMs = firstBackOffMs;
    this.#acceptedMs = performance.now();
    if (entry.isReply) return;
    if (isEnter(bytes)) this.#typed.end();
    else this.#typed.add(bytes);
  }

  /**
   * Waits until the program has read what was typed and shows it or is at rest, and then for the pause. A program that
   * has read may take what it read later: another of its threads does, which on a busy machine waits for a processor.
   */
  #beforeEnter(entry: Entry): Disposable {
    let timer: NodeJS.Timeout | null = null;
    let isWaiting = true;
    const after = (delayMs: number, then: () => void) => {
      if (isWaiting) timer = setTimeout(then, delayMs);
    };
    const goOn = () => {
      if (!isWaiting) return;
      entry.enters.shift();
      // What follows need not be kept apart from what is read by now.
      this.#typed.end();
      this.#flush();
    };
    let works: (() => Promise<boolean | null>) | null = null;
    let rests = 0;
    let triedMs = performance.now();
    const rest = async (): Promise<boolean> => {
      works ??= await this.#device.work().catch(() => unknown);
      rests = (await works()) === true ? 0 : rests + 1;
      return rests >= restsNeeded;
    };
    const tryAgain = async () => {
      // By the clock: on a busy machine, the tries are further apart than `readPollMs`.
      const nowMs = performance.now();
      entry.readWaitMs -= nowMs - triedMs;
      triedMs = nowMs;
      const isTaken = (this.#device.unread() ?? 0) === 0 && (entry.isShown || (await rest()));
      if (isTaken || entry.readWaitMs <= 0) after(enterPauseMs, goOn);
      else after(readPollMs, tryAgain);
    };
    this.#device.isCanonical().then((isCanonical) => {
      if (isCanonical) goOn();
      else after(readPollMs, tryAgain);
    });
    return toDisposable(() => {
      isWaiting = false;
      if (timer !== null) clearTimeout(timer);
    });
  }

  #complete(entry: Entry, receipt: InputReceipt): void {
    this.#entries.shift();
    entry.cancellation.dispose();
    entry.resolve(receipt);
  }

  /** Called right before the entry's first byte; after it, the program may change the mode. */
  #checkMode(entry: Entry): Disposable {
    let isWaiting = true;
    this.#device.isCanonical().then((isCanonical) => {
      entry.receipt = isCanonical ? truncated : whole;
      if (isWaiting) this.#flush();
    });
    return toDisposable(() => {
      isWaiting = false;
    });
  }

  /** As late as possible: the write follows without a turn of the event loop, where the answer takes none. */
  #checkWanted(entry: Entry): Disposable {
    let isWaiting = true;
    const goOn = (isWanted: boolean) => {
      if (!isWaiting) return;
      entry.isChecked = true;
      // It may have been withdrawn meanwhile.
      if (!isWanted && this.#entries[0] === entry) {
        this.#entries.shift();
        this.#queuedBytes -= entry.bytes.length;
        this.#fail(entry, 'CANCELLED', 'the program that the bytes are for has left');
      }
      this.#flush();
    };
    // Where the system does not tell, they are written.
    entry.isWanted?.().then(goOn, () => goOn(true));
    return toDisposable(() => {
      isWaiting = false;
    });
  }

  #nextTurn(): Disposable {
    const immediate = setImmediate(() => this.#flush());
    return toDisposable(() => clearImmediate(immediate));
  }

  #later(entry: Entry): Disposable {
    entry.isChecked = entry.isWanted === null || entry.accepted > 0;
    if (performance.now() - this.#acceptedMs < soonMs) return this.#nextTurn();
    const retry = this.#after(this.#backOffMs);
    this.#backOffMs = Math.min(this.#backOffMs * 2, maxBackOffMs);
    return retry;
  }

  #after(delayMs: number): Disposable {
    const timer = setTimeout(() => this.#flush(), delayMs);
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

/** Returns whether a terminal in canonical mode would truncate a line of `bytes`. */
export function hasLongLine(bytes: Uint8Array): boolean {
  if (bytes.length <= maxLineBytes) return false;
  let begin = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (lineEnds.has(bytes[at] ?? 0)) begin = at + 1;
    if (at - begin >= maxLineBytes) return true;
  }
  return false;
}

function withAccepted(
  code: ErrorCode,
  message: string,
  acceptedBytes: number,
  cause?: unknown,
): VtrError {
  return new VtrError(code, `${message}; ${acceptedBytes} bytes were accepted`, {
    cause,
    details: { acceptedBytes },
  });
}

/** For how long an Enter of a later write is kept apart from text, in ms. */
const recentMs = 1_000;
/** Characters that follow one another this fast, in ms, are not typed by hand. Keys repeat every 33 ms or so. */
const fastMs = 25;

/**
 * The text that was typed since the last Enter. Single characters that a person types one after the other are none:
 * the next Enter follows them without a pause.
 */
class TypedText {
  #atMs = Number.NEGATIVE_INFINITY;
  #isFast = false;

  /** Whether an Enter that is written now would follow text at once. */
  get isRecent(): boolean {
    return this.#isFast && performance.now() - this.#atMs < recentMs;
  }

  /** @param bytes of input that the terminal has accepted, without an Enter that ends it */
  add(bytes: Uint8Array): void {
    const nowMs = performance.now();
    const isFast = bytes.length > 1 || nowMs - this.#atMs < fastMs;
    this.#isFast = isFast || this.isRecent;
    this.#atMs = nowMs;
  }

  /** An Enter was written. */
  end(): void {
    this.#isFast = false;
    this.#atMs = Number.NEGATIVE_INFINITY;
  }
}

/**
 * Whether some input is Enter and nothing else, in any encoding of the key: CR, LF, CR LF with LNM, or that of the kitty
 * keyboard protocol with the flag that reports all keys as escape codes.
 */
function isEnter(bytes: Uint8Array): boolean {
  const first = bytes[0];
  if (bytes.length === 1) return first === 0x0d || first === 0x0a;
  return /^(?:\r\n|\x1b\[13(?:;1)?u)$/.test(Buffer.from(bytes).toString('latin1'));
}
