import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import { isatty, ReadStream, WriteStream } from 'node:tty';
import { type Disposable, toDisposable } from '#base';
import { asVtrError, defaultSize, errorTable, isSize, type Size, VtrError } from '#model';
import { ttyClock } from './tty.ts';

/**
 * How long the last output may wait for a terminal that does not read, in ms. A slow connection may stop for
 * seconds, and without this output the shell gets the mouse and the screen of the session.
 */
const lastOutputMs = 5_000;
const pollMs = 5;
/** An answer of the terminal is looked for this often, in ms: a person waits for it. */
const answerPollMs = 1;
/** The most bytes that are read at once. Linux keeps as many for a program. */
const maxAtHandBytes = 4_096;

export interface TtyDeviceListener {
  data(bytes: Uint8Array): void;
  resized(): void;
  /** Output that waited has been written. */
  drained(): void;
  /** The terminal has gone. */
  closed(): void;
}

/**
 * The file descriptors of the person's terminal. Output does not block: what the terminal does not
 * accept waits, and `isBusy` tells so.
 */
export class TtyDevice {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly #listener: TtyDeviceListener;
  /** A file of its own, because the standard ones block, or share their flags with other processes. */
  readonly #fd: number;
  #isRaw = false;

  /** @throws VtrError INVALID_ARGUMENT if stdin or stdout is not a terminal */
  constructor(listener: TtyDeviceListener) {
    const { stdin, stdout } = process;
    if (!(stdin instanceof ReadStream && stdout instanceof WriteStream)) {
      throw new VtrError('INVALID_ARGUMENT', 'stdin and stdout must be a terminal');
    }
    this.#listener = listener;
    this.#input = stdin;
    this.#fd = openOutput();
    this.#output = stdout;
    unblock(stdout);
  }

  get size(): Size {
    const { columns: cols, rows } = this.#output;
    return isSize({ cols, rows }) ? { cols, rows } : defaultSize;
  }

  /** Output is waiting. */
  get isBusy(): boolean {
    return this.#output.writableLength > 0;
  }

  /** Reads every byte that is typed, without echo. */
  begin(): void {
    const { data, resized, closed } = this.#events;
    this.setRaw(true);
    this.#input.on('data', data).on('end', closed).on('error', closed);
    // Before the command's own listener, which takes stdout for a pipe.
    this.#output.on('resize', resized).prependListener('error', closed);
    this.#input.ref();
    this.#input.resume();
  }

  /** Stops reading. Does not change the terminal's settings. */
  end(): void {
    const { data, resized, closed } = this.#events;
    this.#input.off('data', data).off('end', closed);
    this.#output.off('resize', resized);
    this.#input.pause();
    this.#input.unref();
  }

  /** Stops reading until `unpause`. */
  pause(): void {
    this.#input.pause();
  }

  unpause(): void {
    this.#input.resume();
  }

  setRaw(isRaw: boolean): void {
    if (isRaw === this.#isRaw) return;
    this.#isRaw = isRaw;
    try {
      this.#input.setRawMode(isRaw);
    } catch {
      // The terminal has gone.
    }
  }

  /** Sets raw mode again, which another process has changed. */
  renewRaw(): void {
    this.setRaw(false);
    this.setRaw(true);
  }

  write(text: string | Uint8Array): void {
    // The event `drain` would not do: it is emitted only after a lot of output has waited.
    if (text.length > 0) this.#output.write(text, this.#events.drained);
  }

  /** Writes before it returns, unless the terminal does not read. For the end of the process. */
  writeNow(text: string): void {
    let rest = Buffer.from(text);
    for (let waitedMs = 0; rest.length > 0 && waitedMs < lastOutputMs; ) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        pause(pollMs);
        waitedMs += pollMs;
      }
    }
  }

  /** Resolves when the output so far was written, or cannot be. */
  written(): Promise<void> {
    if (!this.isBusy) return Promise.resolve();
    return new Promise((resolve) => this.#output.write('', () => resolve()));
  }

  /**
   * Reads byte by byte before it returns, so that what follows is left to the next program that reads the terminal.
   *
   * @param waitMs for how long bytes are awaited together, in ms
   * @param take gets a byte, and returns whether more are wanted
   */
  readNow(waitMs: number, take: (byte: Uint8Array) => boolean): void {
    if (waitMs === 0) return;
    const fd = openInput(this.#input);
    const untilMs = ttyClock.nowMs() + waitMs;
    while (takeAtHand(fd, take) && ttyClock.nowMs() < untilMs) pause(answerPollMs);
    if (fd !== 0) closeSync(fd);
  }

  /**
   * As {@link readNow}, without blocking this process. A terminal that looks whether its program reads, as a session
   * does, sends its answers sooner. Must be paused.
   */
  readSoon(waitMs: number, take: (byte: Uint8Array) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const buffer = new Uint8Array(1);
      // What is at hand is read in the same turn: on a busy machine, a turn for each byte takes longer than the wait.
      const callback = () => {
        const wantsMore = take(buffer) && takeAtHand(fd, take);
        if (!wantsMore) end();
        return wantsMore;
      };
      const fd = openInput(this.#input);
      // A variable, because the types do not know this option of sockets here.
      const options = { readable: true, onread: { buffer, callback } };
      const stream = new ReadStream(fd, options);
      const end = () => {
        clearTimeout(timer);
        stream.destroy();
        resolve();
      };
      // A process that gets no processor has its timer before what has come.
      const timer = setTimeout(() => {
        takeAtHand(fd, take);
        end();
      }, waitMs);
      stream.on('error', end).on('end', end).resume();
    });
  }

  close(): void {
    if (this.#fd !== 1) closeSync(this.#fd);
  }

  readonly #events = {
    data: (bytes: Buffer) => this.#listener.data(bytes),
    resized: () => this.#listener.resized(),
    drained: () => this.#listener.drained(),
    closed: () => this.#listener.closed(),
  };
}

/** Opens the terminal of stdout once more; the descriptor itself where that is not allowed. */
function openOutput(): number {
  const { O_WRONLY, O_NOCTTY, O_NONBLOCK } = constants;
  try {
    return openSync('/dev/fd/1', O_WRONLY | O_NOCTTY | O_NONBLOCK);
  } catch {
    return 1;
  }
}

/** As {@link openOutput}, for stdin. */
function openInput(input: ReadStream): number {
  const { O_RDONLY, O_NOCTTY, O_NONBLOCK } = constants;
  try {
    return openSync('/dev/fd/0', O_RDONLY | O_NOCTTY | O_NONBLOCK);
  } catch {
    unblock(input);
    return 0;
  }
}

/**
 * Reads the bytes that have come, one by one.
 *
 * @param fd that does not block
 * @param take as of {@link TtyDevice.readNow}
 * @returns whether more are wanted, and may come
 */
function takeAtHand(fd: number, take: (byte: Uint8Array) => boolean): boolean {
  const byte = new Uint8Array(1);
  try {
    for (let count = 0; count < maxAtHandBytes; count++) {
      if (readSync(fd, byte) === 0 || !take(byte)) return false;
    }
    return true;
  } catch (error) {
    // Any other: the terminal has gone.
    return (error as NodeJS.ErrnoException).code === 'EAGAIN';
  }
}

/** Blocks this process. */
const pause = (ms: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Node makes writes to terminals block, which would stop everything while the terminal does not read. */
function unblock(stream: ReadStream | WriteStream): void {
  const { _handle } = stream as { _handle?: { setBlocking?: (isBlocking: boolean) => number } };
  _handle?.setBlocking?.(false);
}

/** What happens to the terminal when this process is ended, stopped or continued. */
export interface TtyLife {
  /** Restores the terminal. May be called again. */
  leave(): void;
  /** Restores the terminal and calls {@link ProcessEnd.stop}. */
  suspend(): void;
  /** This process was continued, or could not be stopped. May be called again. */
  resume(): void;
}

export interface ProcessEnd extends Disposable {
  /** Ends the process as that signal does. */
  end(signal: NodeJS.Signals): never;
  /**
   * Stops this process and those with which a shell started it, as Ctrl+z does. Nothing stops where no shell
   * could continue it: as the program of a window, or of `ssh -t`.
   */
  stop(): void;
}

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * Restores the terminal whatever ends the process: a signal, an uncaught error, or an exit. The exit
 * status is as in shells: 128 + n for signal n.
 */
export function onEndOfProcess(life: TtyLife): ProcessEnd {
  const end = (signal: NodeJS.Signals): never => {
    life.leave();
    // Node aborts at its exit if it cannot restore a terminal that has gone.
    if (!isatty(0)) process.removeAllListeners('SIGHUP').kill(process.pid, 'SIGHUP');
    process.stderr.write(`vtr: ended by ${signal}\n`);
    process.exit(128 + osConstants.signals[signal]);
  };
  const failed = (thrown: unknown): void => {
    life.leave();
    const { message } = asVtrError(thrown);
    const stack = thrown instanceof Error ? `\n${thrown.stack}` : '';
    process.stderr.write(`vtr: ${message}${stack}\n`);
    process.exit(errorTable.INTERNAL_ERROR.exit);
  };
  const leave = () => life.leave();
  const suspend = () => life.suspend();
  const resume = () => life.resume();
  const stop = () => {
    // The system ignores it in a group of processes that nobody would continue, unlike SIGSTOP.
    process.off('SIGTSTP', suspend);
    process.kill(0, 'SIGTSTP');
    process.on('SIGTSTP', suspend);
    resume();
  };
  for (const signal of endingSignals) process.on(signal, end);
  process.on('SIGTSTP', suspend).on('SIGCONT', resume).on('exit', leave);
  process.on('uncaughtException', failed);
  const { dispose } = toDisposable(() => {
    for (const signal of endingSignals) process.off(signal, end);
    process.off('SIGTSTP', suspend).off('SIGCONT', resume).off('exit', leave);
    process.off('uncaughtException', failed);
  });
  return { end, stop, dispose };
}
