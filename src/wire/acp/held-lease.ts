import { type Coordinator, type Lease, VtrError } from '#model';

/** The lease of a connection's programs, opened when it is first needed. */
export class HeldLease {
  readonly #coordinator: Coordinator;
  #lease: Promise<Lease> | null = null;
  #closed = false;

  constructor(coordinator: Coordinator) {
    this.#coordinator = coordinator;
  }

  /** Returns the lease's id. @throws VtrError UNAVAILABLE; the next call tries again, unless `close` was called */
  async id(): Promise<string> {
    if (this.#closed) throw new VtrError('UNAVAILABLE', 'the connection is closed');
    this.#lease ??= this.#coordinator.openLease();
    const opening = this.#lease;
    try {
      return (await opening).id;
    } catch (error) {
      if (this.#lease === opening) this.#lease = null;
      throw error;
    }
  }

  /**
   * Forgets a lease that the coordinator closed because the connection to it was lost. The next call
   * of {@link id} opens another.
   */
  async lost(id: string): Promise<void> {
    const lease = this.#lease;
    if ((await lease)?.id === id && this.#lease === lease) this.#lease = null;
  }

  /** Ends the programs. No lease is opened after this call. */
  async close(): Promise<void> {
    this.#closed = true;
    const lease = await this.#lease?.catch(() => null);
    await lease?.close();
  }
}
