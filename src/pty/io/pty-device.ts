import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { Size } from '#model';
import type { TerminalModes } from '../port.ts';
import type { PtyBinding, StartedProgram } from '../start/pty-binding.ts';
import { readScheduler, ScheduledReader } from './read-scheduler.ts';

/** Receives the bytes that are read. */
export interface ReadSink {
  /** Returns the space for the next read, of at most `maxBytes`. */
  room(maxBytes: number): Uint8Array;
  /** @param count bytes at the front of {@link room} that were read */
  onRead(count: number): void;
}

/**
 * The two file descriptors of a pseudo-terminal. They are closed exactly once. Later calls have no
 * effect, because the fds may belong to another session by then.
 */
export class PtyDevice {
  readonly #binding: PtyBinding;
  readonly #master: number;
  readonly #slave: number;
  readonly #reader: ScheduledReader;
  readonly #stream: ReadStream;
  #open = true;
  #reading = false;

  /**
   * Owns the fds of `started` from now on, also if it throws. Does not read before {@link resume}.
   *
   * @throws ErrnoException
   */
  constructor(binding: PtyBinding, started: StartedProgram, sink: ReadSink) {
    this.#binding = binding;
    this.#master = started.master;
    let { slave } = started;
    try {
      slave ??= openSlave(started.terminal);
      this.#slave = slave;
      // Unless the session has been paused meanwhile.
      const onSlice = () => this.#reading && this.resume();
      this.#reader = new ScheduledReader(readScheduler, onSlice);
      this.#stream = readStream(started.master, sink, this.#reader);
    } catch (error) {
      if (slave !== null) closeSync(slave);
      closeSync(started.master);
      binding.masterClosed(started.master);
      throw error;
    }
  }

  // The stream closes the master if reading fails.
  get #usable(): boolean {
    return this.#open && !this.#stream.destroyed;
  }

  /** Must be called when a person or a client types: floods of other terminals wait for the echo. */
  typed(): void {
    this.#reader.typed();
  }

  pause(): void {
    this.#reading = false;
    this.#stream.pause();
  }

  resume(): void {
    this.#reading = true;
    if (this.#usable) this.#stream.resume();
  }

  /**
   * Makes the next poll of the event loop find all output that was written before. Linux passes it to
   * the master in a worker thread, for which epoll waits only when a file descriptor is added or
   * modified (`n_tty_poll` in drivers/tty/n_tty.c). No effect while reading is paused, or waits for a
   * time slice.
   */
  poll(): void {
    if (!this.#reading || !this.#usable || this.#reader.isQueued) return;
    this.#stream.pause();
    this.#stream.resume();
  }

  /**
   * Reads the output left after the exit, when the stream has been paused. Linux makes output
   * visible to the master before it reports a process dead.
   *
   * @returns the number of bytes read, 0 if there is no output
   */
  read(into: Uint8Array): number {
    return this.#usable ? unlessBlocked(() => readSync(this.#master, into)) : 0;
  }

  /** @returns the number of bytes that the kernel accepted, 0 if its buffer is full */
  write(bytes: Uint8Array): number {
    return this.#usable ? unlessBlocked(() => writeSync(this.#master, bytes)) : 0;
  }

  resize(size: Size): void {
    if (this.#usable) this.#binding.resize(this.#master, size);
  }

  /** Returns the modes of the terminal; null if the binding cannot read them. */
  modes(): TerminalModes | null {
    return this.#usable ? this.#binding.modes(this.#master) : null;
  }

  /** Returns the bytes of input that no program has read yet; null if the binding cannot tell. */
  unread(): number | null {
    return this.#usable ? this.#binding.unread(this.#slave) : null;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#stream.destroy();
    this.#binding.masterClosed(this.#master);
    try {
      closeSync(this.#slave);
    } catch {
      // It is closed all the same, and the end of the session does not depend on it.
    }
  }
}

/**
 * Keeps the slave open, so that the master always has a peer. Otherwise the master reports a
 * hang-up whenever no program has the terminal open, and libuv treats that as an end of file.
 */
function openSlave(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
}

function readStream(master: number, sink: ReadSink, reader: ScheduledReader): ReadStream {
  let offeredBytes = 0;
  const onread = {
    buffer() {
      const room = sink.room(reader.readBytes);
      offeredBytes = room.length;
      return room;
    },
    callback: (count: number) => reader.take(count === offeredBytes, () => sink.onRead(count)),
  };
  // @types/node lacks the options of tty.ReadStream, which are those of net.Socket.
  const stream = new ReadStream(master, { onread } as object);
  // Reading fails with EIO if a program hung up the terminal. Its exit is reported all the same.
  stream.on('error', () => {});
  return stream;
}

function unlessBlocked(transfer: () => number): number {
  try {
    return transfer();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN' || code === 'EIO') return 0;
    throw error;
  }
}
