import { randomInt } from 'node:crypto';
import { nearMisses } from '#base';
import { type SessionRef, VtrError } from '#model';
import type { Session } from '#session';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const madeUpLength = 8;

/** Names that a message lists. */
const namesShown = 10;

/** The sessions by name. A name is taken from before its session is made until it is removed. */
export class Registry {
  /** Null while the session is being made. */
  readonly #sessions = new Map<string, Session | null>();

  /** Oldest first. */
  list(): Session[] {
    return [...this.#sessions.values()].filter((session) => session !== null);
  }

  /** How many are being made right now. */
  get reserved(): number {
    return this.#sessions.size - this.list().length;
  }

  /** @throws VtrError SESSION_ALREADY_EXISTS */
  reserve(name: string): void {
    if (this.#sessions.has(name)) {
      throw new VtrError(
        'SESSION_ALREADY_EXISTS',
        `session ${name} exists; choose another name, or remove it first`,
        { details: { name } },
      );
    }
    this.#sessions.set(name, null);
  }

  /** Gives a reserved name its session. */
  add(session: Session): void {
    this.#sessions.set(session.name, session);
  }

  /** Frees a name that no session came to have. */
  release(name: string): void {
    this.#sessions.delete(name);
  }

  /** Forgets a session; its namesake, should there be one by now, stays. */
  remove(session: Session): void {
    if (this.#sessions.get(session.name) === session) this.#sessions.delete(session.name);
  }

  /** @throws VtrError SESSION_NOT_FOUND */
  find(ref: SessionRef): Session {
    const { name, id } = typeof ref === 'string' ? { name: ref, id: undefined } : ref;
    const session = this.#sessions.get(name);
    if (!session) throw notFound(name, this.#known(name));
    if (id === undefined || session.id === id) return session;
    throw notFound(name, 'the one that was meant was removed; another one has its name now');
  }

  /** A name that nobody has: `sess_` and eight letters or digits. */
  makeUpName(): string {
    for (;;) {
      const letters = Array.from(
        { length: madeUpLength },
        () => alphabet[randomInt(alphabet.length)],
      );
      const name = `sess_${letters.join('')}`;
      if (!this.#sessions.has(name)) return name;
    }
  }

  #known(meant: string): string {
    const names = this.list().map(({ name }) => name);
    if (names.length === 0) return 'there is none; spawn one';
    const near = nearMisses(meant, names);
    if (near.length > 0) return `did you mean ${near.join(' or ')}?`;
    const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
    return `there are ${names.slice(0, namesShown).join(', ')}${more}`;
  }
}

function notFound(name: string, hint: string): VtrError {
  // In quotes, because it may be anything.
  return new VtrError('SESSION_NOT_FOUND', `session ${JSON.stringify(name)} not found: ${hint}`, {
    details: { name },
  });
}
