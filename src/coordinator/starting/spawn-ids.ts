import { checkInputId, InputIds, type SessionRef } from '#model';

/** The most requests that are known. */
const maxKnown = 10_000;

interface Made {
  readonly session: Promise<SessionRef>;
  /** See `contentHash`; null if another coordinator did not save it. */
  readonly content: string | null;
}

/** The sessions of spawn requests by their ids, so that a repeat makes no other session. */
export class SpawnIds {
  readonly #made = new InputIds<Made>(maxKnown);

  /**
   * Returns the session that the same request made or is making; null if there was none.
   *
   * @param content a hash of the request
   * @throws VtrError INVALID_ARGUMENT; INPUT_ID_USED if the id has another request
   */
  find(inputId: string | undefined, content: () => string): Promise<SessionRef> | null {
    if (inputId === undefined) return null;
    return this.#made.find(checkInputId(inputId), content)?.session ?? null;
  }

  /** @param making the session; a request that fails is forgotten */
  add(
    inputId: string,
    content: string | null,
    making: Promise<{ readonly name: string; readonly id: string }>,
  ): void {
    const session = making.then(({ name, id }) => ({ name, id }));
    const made = { session, content };
    this.#made.add(inputId, made);
    session.catch(() => this.#made.delete(inputId, made));
  }
}
