import { type Coordinator, type Lease, VtrError } from '#model';

/** What a connection's programs are held by: opened when there is the first of them. */
export class HeldLease {
  readonly #coordinator: Coordinator;
  #lease: Promise<Lease> | null = null;
  #closed = false;

  constructor(coordinator: Coordinator) {
    this.#coordinator = coordinator;
  }

  /** @throws VtrError UNAVAILABLE; the next call tries again, unless this was closed */
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
   * This one was closed by others: the connection to the coordinator was lost for a while. The next
   * call opens another one.
   */
  async lost(id: string): Promise<void> {
    const lease = this.#lease;
    if ((await lease)?.id === id && this.#lease === lease) this.#lease = null;
  }

  /** Ends the programs. No other lease is opened from the call on. */
  async close(): Promise<void> {
    this.#closed = true;
    const lease = await this.#lease?.catch(() => null);
    await lease?.close();
  }
}
