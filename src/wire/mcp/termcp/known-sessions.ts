import type { SessionInfo } from '#model';

/** More are not remembered: those that were not used for longest are forgotten first. */
const maxKnown = 1000;

interface Known {
  readonly id: string;
  /** Its end has been told. */
  isTold: boolean;
}

/** The sessions that a client has used, by name: those that it had, where they are gone. */
export class KnownSessions {
  readonly #byName = new Map<string, Known>();

  /** The session that has the name. */
  use({ name, id }: SessionInfo): void {
    const known = this.#byName.get(name);
    this.#byName.delete(name);
    this.#byName.set(name, known?.id === id ? known : { id, isTold: false });
    if (this.#byName.size <= maxKnown) return;
    const [oldest] = this.#byName.keys();
    if (oldest !== undefined) this.#byName.delete(oldest);
  }

  has(name: string): boolean {
    return this.#byName.has(name);
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
    this.#byName.delete(name);
  }
}
