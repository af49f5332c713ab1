import type { Duplex, Readable, Writable } from 'node:stream';

/** Bytes that are not answered for this time make the other process suspect, in ms; as clients of a socket do. */
const defaultSuspicionMs = 300;

export interface PassedStreams {
  /** The connection to the process that answers. */
  readonly socket: Duplex;
  readonly input: Readable;
  /** It is not ended, because others may write to it, too. */
  readonly output: Writable;
  /** Whether the process at the other end of the socket can answer anything. */
  readonly responds: () => Promise<boolean>;
  /** In ms. Default: 300. */
  readonly suspicionMs?: number;
}

/**
 * Passes bytes in both directions until the socket is closed, and all that came from it has been written. The end
 * of the input is passed on; an error of either stream closes the socket.
 *
 * @returns `silent` if the socket was closed because the other process does not respond
 */
export async function passBytes(streams: PassedStreams): Promise<'closed' | 'silent'> {
  const { socket, input, output } = streams;
  const silence = new Silence(streams);
  input.on('data', () => silence.sent());
  socket.on('data', () => silence.received());
  input.pipe(socket);
  socket.pipe(output, { end: false });
  for (const each of [input, output]) each.on('error', () => socket.destroy());
  // The reader learns of an error by the end of the bytes.
  socket.on('error', () => {});
  // `once` of node:events would fail when the socket does.
  await new Promise((resolve) => socket.once('close', resolve));
  silence.end();
  input.destroy();
  // The callback is also called if the output cannot be written any more.
  await new Promise<void>((resolve) => output.write('', () => resolve()));
  return silence.isNoticed ? 'silent' : 'closed';
}

/** Closes a connection if the other process does not respond: the sender is on another machine. */
class Silence {
  /** Whether it was noticed. */
  isNoticed = false;
  readonly #socket: Duplex;
  readonly #responds: () => Promise<boolean>;
  readonly #suspicionMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** Since the last look began. */
  #wasSent = false;
  #wasReceived = false;

  constructor({ socket, responds, suspicionMs = defaultSuspicionMs }: PassedStreams) {
    this.#socket = socket;
    this.#responds = responds;
    this.#suspicionMs = suspicionMs;
  }

  sent(): void {
    this.#wasSent = true;
    this.#plan();
  }

  received(): void {
    this.#wasReceived = true;
    // It may be the answer to an earlier part of what was sent.
    this.#timer?.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #plan(): void {
    if (this.#isLooking) return;
    this.#timer ??= setTimeout(() => void this.#look(), this.#suspicionMs).unref();
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    this.#isLooking = true;
    this.#wasSent = false;
    this.#wasReceived = false;
    const responds = await this.#responds();
    this.#isLooking = false;
    if (this.#socket.destroyed) return;
    if (responds || this.#wasReceived) {
      if (this.#wasSent) this.#plan();
      return;
    }
    this.isNoticed = true;
    this.#socket.destroy();
  }
}
