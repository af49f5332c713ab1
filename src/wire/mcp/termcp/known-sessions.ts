import type { SessionInfo } from '#model';
import { Recent } from '../recent.ts';

const maxKnown = 1000;

interface Known {
  readonly id: string;
  /** Its end has been told. */
  isTold: boolean;
}

/** The sessions that a client has used, by name: those that it had, where they are gone. */
export class KnownSessions {
  readonly #byName = new Recent<Known>(maxKnown);

  /** The session that has the name. */
  use({ name, id }: SessionInfo): void {
    const known = this.#byName.get(name);
    this.#byName.touch(name, known?.id === id ? known : { id, isTold: false });
  }

  has(name: string): boolean {
    return this.#byName.get(name) !== undefined;
  }

  idOf(name: string): string | null {
    return this.#byName.get(name)?.id ?? null;
  }

  /** Whether the end of the session is told for the first time. */
  tell(name: string): boolean {
    const known = this.#byName.get(name);
    if (known === undefined || known.isTold) return false;
    known.isTold = true;
    return true;
  }

  forget(name: string): void {
    this.#byName.forget(name);
  }
}
