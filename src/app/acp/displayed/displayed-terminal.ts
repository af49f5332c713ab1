import { cleanLine } from '#base';
import { asVtrError, type Coordinator, type Publication, type PublishRequest } from '#model';
import type { DisplayStep } from './displays-in.ts';

/** Limit of output that the coordinator has not received yet, in bytes; more is left out, with a note. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** Full reset and erase of the scrollback: xterm's ctlseqs, RIS and ED 3. */
const reset = '\x1bc\x1b[3J';

/** A terminal that an agent runs itself and shows, published as a read-only session. */
export class DisplayedTerminal {
  readonly #publication: Promise<Publication>;
  #last: Promise<unknown>;
  #waitingBytes = 0;
  #omittedBytes = 0;
  #hasOutput = false;

  constructor(coordinator: Coordinator, first: DisplayStep, request: PublishRequest) {
    const { title = '', cwd, size } = first;
    this.#publication = publish(coordinator, {
      ...request,
      program: title,
      // Only output of a terminal has a size.
      fromPipe: size === undefined,
      ...(cwd === undefined ? {} : { cwd }),
      ...(size === undefined ? {} : { size }),
    });
    // The agent works on if its terminal cannot be published.
    this.#last = this.#publication.catch(() => {});
  }

  /** Name of its session. */
  get name(): Promise<string> {
    return this.#publication.then(({ session }) => session.name);
  }

  /** Resolves when the session has all output so far. */
  async taken(): Promise<void> {
    await this.#last;
  }

  /** Queues a step. Does not wait for the coordinator. */
  take({ snapshot, output, size, exit, newTitle }: DisplayStep): void {
    if (newTitle !== undefined) this.#then((publication) => publication.write(titled(newTitle)));
    if (size !== undefined) this.#then((publication) => publication.resize(size));
    if (snapshot !== undefined) this.#replace(snapshot);
    if (output !== undefined) this.#write(output);
    if (exit !== undefined) {
      if (exit !== null) this.#then((publication) => publication.exit(exit));
      // It is closed even if that failed: agents may name signals that do not exist here.
      this.#then((publication) => publication.close());
    }
  }

  async close(): Promise<void> {
    this.#then((publication) => publication.close());
    await this.#last;
  }

  #replace(snapshot: Uint8Array): void {
    if (this.#hasOutput) this.#write(Buffer.from(reset));
    this.#write(snapshot);
  }

  #write(bytes: Uint8Array): void {
    this.#hasOutput = true;
    // A single larger write is allowed: the size of a frame is limited.
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes.length > maxWaitingBytes) {
      this.#omittedBytes += bytes.length;
      return;
    }
    this.#noteOmitted();
    this.#waitingBytes += bytes.length;
    this.#then(async (publication) => {
      this.#waitingBytes -= bytes.length;
      await publication.write(bytes);
    });
  }

  #noteOmitted(): void {
    if (this.#omittedBytes === 0) return;
    const note = Buffer.from(`\r\n[vtr omitted ${this.#omittedBytes} bytes]\r\n`);
    this.#omittedBytes = 0;
    this.#then((publication) => publication.write(note));
  }

  /** Runs steps in order. They fail silently once the session or the coordinator is gone. */
  #then(step: (publication: Publication) => Promise<void>): void {
    this.#last = this.#last.then(async () => step(await this.#publication)).catch(() => {});
  }
}

/** Limit of a title, in characters. */
const maxTitle = 500;

/** Sets the title: xterm's ctlseqs, OSC 2. */
const titled = (title: string): Uint8Array =>
  Buffer.from(`\x1b]2;${cleanLine(title.replace(/\s+/g, ' '), maxTitle)}\x07`);

/** Publishes by the requested name, or by a generated one if that is taken or invalid. */
async function publish(coordinator: Coordinator, request: PublishRequest): Promise<Publication> {
  try {
    return await coordinator.publish(request);
  } catch (error) {
    const { code } = asVtrError(error);
    if (code !== 'SESSION_ALREADY_EXISTS' && code !== 'INVALID_NAME') throw error;
    const { name: _, ...unnamed } = request;
    return coordinator.publish(unnamed);
  }
}
