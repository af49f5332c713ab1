import type { SessionInfo } from '#model';
import { Recent } from '../recent.ts';

const maxKnown = 1000;

interface Known {
  readonly id: string;
  /** Whether its end was reported to the client. */
  endReported: boolean;
}

/** The sessions that a client has used, by name, including those that are gone. */
export class KnownSessions {
  readonly #byName = new Recent<Known>(maxKnown);

  /** Records that the client uses this session. */
  use({ name, id }: SessionInfo): void {
    const session = this.#byName.get(name);
    this.#byName.touch(name, session?.id === id ? session : { id, endReported: false });
  }

  has(name: string): boolean {
    return this.#byName.get(name) !== undefined;
  }

  idOf(name: string): string | null {
    return this.#byName.get(name)?.id ?? null;
  }

  /** Records that the end of the session is reported. Returns whether it is the first time. */
  reportEnd(name: string): boolean {
    const session = this.#byName.get(name);
    if (session === undefined || session.endReported) return false;
    session.endReported = true;
    return true;
  }

  forget(name: string): void {
    this.#byName.forget(name);
  }
}
