import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { Size } from '#model';
import type { Forked, NativeBinding } from '../start/native-binding.ts';
import { readsByLines } from './canonical-mode.ts';
import { masterNumbers } from './master-fds.ts';
import { readTurns, TurnReader } from './read-scheduler.ts';

/** Where the next read may put its bytes, and whom to tell how many there were. */
export interface ReadSink {
  room(): Uint8Array;
  onRead(count: number): void;
}

/**
 * The two descriptors of a pseudo-terminal. They are closed exactly once, and no call after that
 * reaches the system: by then the numbers may belong to another session.
 */
export class PtyDevice {
  readonly #native: NativeBinding;
  readonly #master: number;
  readonly #slave: number;
  readonly #stream: ReadStream;
  #open = true;
  #reading = false;

  /**
   * Owns `forked.fd` from here on, also where it throws. Does not read before {@link resume}.
   *
   * @throws ErrnoException
   */
  constructor(native: NativeBinding, forked: Forked, sink: ReadSink) {
    this.#native = native;
    this.#master = forked.fd;
    try {
      this.#slave = openSlave(forked.pty);
    } catch (error) {
      closeSync(forked.fd);
      throw error;
    }
    try {
      // The stream's own way to go on, where the session has not been paused meanwhile.
      const goOn = () => this.#reading && this.resume();
      this.#stream = readStream(forked.fd, sink, goOn);
    } catch (error) {
      closeSync(this.#slave);
      closeSync(forked.fd);
      throw error;
    }
    masterNumbers.add(forked.fd);
  }

  // The stream closes the master by itself when reading fails.
  get #usable(): boolean {
    return this.#open && !this.#stream.destroyed;
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
   * For the end, when the stream has been paused: reads what is there, 0 bytes when nothing is.
   * Linux makes output visible to the master before it reports a process dead.
   */
  read(into: Uint8Array): number {
    return this.#usable ? unlessBlocked(() => readSync(this.#master, into)) : 0;
  }

  /** @returns how many bytes the kernel took, 0 when it has no room. */
  write(bytes: Uint8Array): number {
    return this.#usable ? unlessBlocked(() => writeSync(this.#master, bytes)) : 0;
  }

  async readsByLines(): Promise<boolean> {
    return this.#usable && readsByLines(this.#slave);
  }

  resize(size: Size): void {
    if (this.#usable) this.#native.resize(this.#master, size.cols, size.rows, 0, 0);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#stream.destroy();
    masterNumbers.delete(this.#master);
    closeSync(this.#slave);
  }
}

/**
 * Held open so that the master is never without a peer: otherwise it reports a hang-up whenever
 * no program has the terminal open, and libuv makes an end of file out of that.
 */
function openSlave(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
}

function readStream(master: number, sink: ReadSink, goOn: () => void): ReadStream {
  const reader = new TurnReader(readTurns, goOn);
  let offeredBytes = 0;
  const onread = {
    buffer() {
      const room = sink.room();
      offeredBytes = room.length;
      return room;
    },
    callback: (count: number) => reader.take(count === offeredBytes, () => sink.onRead(count)),
  };
  // @types/node does not know that tty.ReadStream hands its options to net.Socket.
  const stream = new ReadStream(master, { onread } as object);
  // Reading fails (EIO) where a program hung the terminal up. Its exit is reported all the same.
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
