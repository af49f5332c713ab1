import { randomInt } from 'node:crypto';
import { nearMisses } from '#base';
import { type SessionRef, VtrError } from '#model';
import type { Session } from '#session';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const generatedLength = 8;

/** How many names a message lists. */
const namesShown = 10;

/** The sessions by name. A name is in use from before its session is made until it is removed. */
export class Registry {
  /** The value is null while the session is being made. */
  readonly #sessions = new Map<string, Session | null>();

  /** Returns the sessions, oldest first. */
  list(): Session[] {
    return [...this.#sessions.values()].filter((session) => session !== null);
  }

  /** The number of sessions that are being made. */
  get reserved(): number {
    return this.#sessions.size - this.list().length;
  }

  /** Reserves a name. @throws VtrError SESSION_ALREADY_EXISTS */
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

  /** Adds a session under its reserved name. */
  add(session: Session): void {
    this.#sessions.set(session.name, session);
  }

  /** Frees a reserved name whose session could not be made. */
  release(name: string): void {
    this.#sessions.delete(name);
  }

  /** Removes a session. A later session that reused its name is kept. */
  remove(session: Session): void {
    if (this.#sessions.get(session.name) === session) this.#sessions.delete(session.name);
  }

  /** Returns the session of a reference. @throws VtrError SESSION_NOT_FOUND */
  find(ref: SessionRef): Session {
    const { name, id } = typeof ref === 'string' ? { name: ref, id: undefined } : ref;
    const session = this.#sessions.get(name);
    if (!session) throw notFound(name, this.#known(name));
    if (id === undefined || session.id === id) return session;
    throw notFound(name, 'that session was removed and its name reused');
  }

  /** Generates an unused name: `sess_` and eight letters or digits. */
  generateName(): string {
    for (;;) {
      const letters = Array.from(
        { length: generatedLength },
        () => alphabet[randomInt(alphabet.length)],
      );
      const name = `sess_${letters.join('')}`;
      if (!this.#sessions.has(name)) return name;
    }
  }

  /** Returns a hint with names that exist. */
  #known(wanted: string): string {
    const names = this.list().map(({ name }) => name);
    if (names.length === 0) return 'there are no sessions; spawn one';
    const near = nearMisses(wanted, names);
    if (near.length > 0) return `did you mean ${near.join(' or ')}?`;
    const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
    return `existing sessions are ${names.slice(0, namesShown).join(', ')}${more}`;
  }
}

function notFound(name: string, hint: string): VtrError {
  // Quoted: the name is not checked and may be any text.
  return new VtrError('SESSION_NOT_FOUND', `session ${JSON.stringify(name)} not found: ${hint}`, {
    details: { name },
  });
}
