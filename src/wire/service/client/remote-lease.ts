import type { Lease } from '#model';

/** The stream of one call of OpenLease. */
export interface LeaseStream {
  readonly id: string;
  /** Settles when the stream has ended. */
  readonly ended: Promise<unknown>;
}

export interface LeaseCalls {
  /** Opens a lease, or one again. */
  open(id: string | undefined, signal: AbortSignal): Promise<LeaseStream>;
  close(id: string): Promise<unknown>;
  /** Whether a lease whose stream has ended is opened again. */
  readonly reopens: boolean;
}

/** A lease that lasts as long as a stream, which is opened again when the coordinator is replaced. */
export class RemoteLease implements Lease {
  readonly id: string;
  readonly #calls: LeaseCalls;
  readonly #stream: AbortController;
  #closing: Promise<void> | null = null;

  /** @throws VtrError as `Coordinator.openLease` */
  static async open(calls: LeaseCalls, id?: string): Promise<Lease> {
    const controller = new AbortController();
    return new RemoteLease(calls, await calls.open(id, controller.signal), controller);
  }

  private constructor(calls: LeaseCalls, stream: LeaseStream, controller: AbortController) {
    this.id = stream.id;
    this.#calls = calls;
    this.#stream = controller;
    void this.#hold(stream.ended);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.#calls.close(this.id);
    } finally {
      this.#stream.abort();
    }
  }

  async #hold(ended: Promise<unknown>): Promise<void> {
    await ended.catch(() => {});
    if (!this.#calls.reopens || this.#closing !== null) return;
    try {
      const stream = await this.#calls.open(this.id, this.#stream.signal);
      void this.#hold(stream.ended);
    } catch {
      // The coordinator has closed the lease, or is gone: its programs have ended.
    }
  }
}
