import type { OutputChunk, Pty } from '#pty';

interface Wait {
  readonly met: () => boolean;
  readonly resolve: () => void;
}

/** The output of a program, checked for gaps and repeats. */
export class CollectedOutput {
  readonly #chunks: Uint8Array[] = [];
  #waits: Wait[] = [];
  #fault: Error | null = null;
  /** The absolute offset of the first byte; null before it arrives. */
  start: number | null = null;
  /** Absolute offset of the next byte. */
  end = 0;

  take({ offset, bytes }: OutputChunk): void {
    this.start ??= offset;
    if (this.#chunks.length > 0 && offset !== this.end) {
      this.#fault ??= new Error(`chunk at ${offset}, expected at ${this.end}`);
    }
    this.#chunks.push(bytes);
    this.end = offset + bytes.length;
    for (const wait of this.#waits) if (wait.met()) wait.resolve();
    this.#waits = this.#waits.filter((wait) => !wait.met());
  }

  /** @throws Error when there was a gap or a repeat; the host would swallow it in `take`. */
  get bytes(): Buffer {
    if (this.#fault !== null) throw this.#fault;
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.bytes.toString('utf8');
  }

  /** Resolves once the output contains `text`. */
  async untilText(text: string | RegExp): Promise<void> {
    await this.#until(() => this.text.search(text) >= 0);
  }

  async untilLength(length: number): Promise<void> {
    await this.#until(() => this.end >= length);
  }

  async #until(isMet: () => boolean): Promise<void> {
    const met = () => this.#fault !== null || isMet();
    if (!met()) await new Promise<void>((resolve) => this.#waits.push({ met, resolve }));
    if (this.#fault !== null) throw this.#fault;
  }
}

export function collectOutput(pty: Pty, from = 0): CollectedOutput {
  const output = new CollectedOutput();
  pty.readOutput(from, (chunk) => output.take(chunk));
  return output;
}
