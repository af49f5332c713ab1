import { checkInputId, type SessionRef } from '#model';

/** The most requests that are known. */
const maxKnown = 10_000;

/** The sessions of spawn requests by their ids, so that a repeat makes no other session. */
export class SpawnIds {
  readonly #made = new Map<string, Promise<SessionRef>>();

  /**
   * Returns the session that the same request made or is making; null if there was none.
   *
   * @throws VtrError INVALID_ARGUMENT
   */
  find(inputId: string | undefined): Promise<SessionRef> | null {
    return inputId === undefined ? null : (this.#made.get(checkInputId(inputId)) ?? null);
  }

  /** @param making the session; a request that fails is forgotten */
  add(inputId: string, making: Promise<{ readonly name: string; readonly id: string }>): void {
    const made = making.then(({ name, id }) => ({ name, id }));
    this.#made.set(inputId, made);
    made.catch(() => this.#made.delete(inputId));
    const [oldest] = this.#made.keys();
    if (this.#made.size > maxKnown && oldest !== undefined) this.#made.delete(oldest);
  }
}
