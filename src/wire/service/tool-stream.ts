import { connect, type OnReadOpts, Socket } from 'node:net';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { defined } from '#base';
import { asVtrError, isAddress, VtrError } from '#model';
import { untrustedSocket } from '#trust';

/** A connection to a coordinator through another program, once it is made. */
interface Tool {
  readonly output: Readable;
  readonly input: Writable;
  /** Resolves when the program has ended: to what it said if it failed. */
  readonly ended: Promise<Error | null>;
}

export interface ToolStreamOptions {
  /** Whether ssh may ask a person. Default: whether one can answer here. */
  readonly mayPrompt?: boolean;
  /** Whether ssh forwards a socket for later calls. Default: false. */
  readonly forwards?: boolean;
}

interface Timeout {
  readonly ms: number;
  readonly onTimeout: () => void;
}

/**
 * A connection to a coordinator through another program, such as ssh. What is written before it is made is
 * kept, and was not sent if that fails.
 */
export class ToolStream extends Duplex {
  readonly #address: string;
  readonly #options: ToolStreamOptions;
  #tool: Tool | null = null;
  #kill: () => void = () => {};
  #timeout: Timeout | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(address: string, options: ToolStreamOptions = {}) {
    super({ allowHalfOpen: false });
    this.#address = address;
    this.#options = options;
  }

  /** As `Socket.setTimeout`, once. The time in which a person may be asked does not count. */
  setTimeout(ms: number, onTimeout: () => void): this {
    this.#timeout = { ms, onTimeout };
    this.#startTimeout();
    return this;
  }

  override destroy(error?: Error): this {
    this.#kill();
    return super.destroy(error);
  }

  override _construct(done: (error?: Error | null) => void): void {
    this.#open().then(
      () => done(),
      (error) => done(ownError(error)),
    );
  }

  override _read(): void {
    this.#tool?.output.resume();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    // If it cannot be written, the program has ended, which says why.
    this.#tool?.input.write(chunk, () => done());
  }

  override _final(done: () => void): void {
    const input = this.#tool?.input;
    // If the program has ended, `end` does not call back.
    if (input === undefined || input.destroyed) done();
    else input.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#idle);
    this.#kill();
    done(error);
  }

  #startTimeout(): void {
    clearTimeout(this.#idle);
    if (this.#timeout === null || this.destroyed) return;
    this.#idle = setTimeout(this.#timeout.onTimeout, this.#timeout.ms).unref();
  }

  async #open(): Promise<void> {
    // Most calls are to a socket.
    const { openTool } = await import('#transport');
    const tool = await openTool(this.#address, this.#options, ({ kill, mayPrompt }) => {
      this.#kill = kill;
      if (mayPrompt) clearTimeout(this.#idle);
      if (this.destroyed) kill();
    });
    this.#startTimeout();
    const { output } = tool;
    this.#tool = tool;
    output.on('data', (chunk: Buffer) => {
      this.#idle?.refresh();
      if (!this.push(chunk)) output.pause();
    });
    output.pause();
    // `close` comes even if the output cannot be read.
    output.once('close', async () => {
      const failure = await tool.ended;
      if (this.destroyed) return;
      if (failure === null) this.push(null);
      else this.destroy(ownError(failure));
    });
  }
}

/** The transport is a bundle of its own, with its own class of errors. */
function ownError(thrown: unknown): VtrError {
  const { code, message, details } = asVtrError(thrown);
  return new VtrError(code, message, { details });
}

export interface StreamOptions extends ToolStreamOptions {
  /** Receives the data of a socket, without events. */
  readonly onread?: OnReadOpts;
}

/**
 * Opens a connection to a coordinator. Whose socket it is, is checked first; a failure is the error of the
 * stream.
 *
 * @param place path of a Unix socket, or an address
 */
export function openStream(
  place: string,
  { onread, ...options }: StreamOptions = {},
): Socket | ToolStream {
  if (isAddress(place)) return new ToolStream(place, options);
  const untrusted = untrustedSocket(place);
  if (untrusted === null) return connect({ path: place, ...defined({ onread }) });
  const { message, details } = untrusted;
  return new Socket().destroy(new VtrError('UNAVAILABLE', message, { details }));
}
