import { sanitize } from '#base';
import { asVtrError, type Coordinator, type Publication, type PublishRequest } from '#model';
import type { DisplayStep } from './displays-in.ts';

/** Of output that the coordinator has not taken yet, in bytes; more is left out, and that is told. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** Full reset and erase of the scrollback: xterm's ctlseqs, RIS and ED 3. */
const reset = '\x1bc\x1b[3J';

/** A terminal that an agent only shows, as a session that takes no input. */
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
      // What comes from a terminal has its size.
      fromPipe: size === undefined,
      ...(cwd === undefined ? {} : { cwd }),
      ...(size === undefined ? {} : { size }),
    });
    // A session that cannot be shown is missed by nobody who works.
    this.#last = this.#publication.catch(() => {});
  }

  /** Of its session. */
  get name(): Promise<string> {
    return this.#publication.then(({ session }) => session.name);
  }

  /** Resolves when the session shows all that was taken by now. */
  async taken(): Promise<void> {
    await this.#last;
  }

  /** What follows, at once: nobody waits for the coordinator. */
  take({ snapshot, output, size, exit, newTitle }: DisplayStep): void {
    if (newTitle !== undefined) this.#then((publication) => publication.write(titled(newTitle)));
    if (size !== undefined) this.#then((publication) => publication.resize(size));
    if (snapshot !== undefined) this.#replace(snapshot);
    if (output !== undefined) this.#write(output);
    if (exit !== undefined) {
      if (exit !== null) this.#then((publication) => publication.exit(exit));
      // Also where that was no exit: agents name signals that are none here.
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
    // What is more by itself comes in one frame, which is bounded.
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes.length > maxWaitingBytes) {
      this.#omittedBytes += bytes.length;
      return;
    }
    this.#tellOmitted();
    this.#waitingBytes += bytes.length;
    this.#then(async (publication) => {
      this.#waitingBytes -= bytes.length;
      await publication.write(bytes);
    });
  }

  #tellOmitted(): void {
    if (this.#omittedBytes === 0) return;
    const note = Buffer.from(`\r\n[vtr left out ${this.#omittedBytes} bytes]\r\n`);
    this.#omittedBytes = 0;
    this.#then((publication) => publication.write(note));
  }

  /** In turn. A session that was removed, or a coordinator that is gone, takes no more. */
  #then(step: (publication: Publication) => Promise<void>): void {
    this.#last = this.#last.then(async () => step(await this.#publication)).catch(() => {});
  }
}

/** So much of a title is told, in characters. */
const maxTitle = 500;

/** Sets the title: xterm's ctlseqs, OSC 2. */
const titled = (title: string): Uint8Array =>
  Buffer.from(`\x1b]2;${sanitize(title.replace(/\s+/g, ' ')).text.slice(0, maxTitle)}\x07`);

/** By the name that was asked for, or where another has it, or it is none, by one that is made up. */
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
