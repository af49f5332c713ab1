import type { Coordinator, Lease } from '#model';

/** What a connection's programs are held by: opened when there is the first of them. */
export class HeldLease {
  readonly #coordinator: Coordinator;
  #lease: Promise<Lease> | null = null;

  constructor(coordinator: Coordinator) {
    this.#coordinator = coordinator;
  }

  /** @throws VtrError UNAVAILABLE; the next call tries again */
  async id(): Promise<string> {
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

  /** Ends the programs. */
  async close(): Promise<void> {
    const lease = await this.#lease?.catch(() => null);
    await lease?.close();
  }
}
