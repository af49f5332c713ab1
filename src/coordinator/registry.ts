import { randomInt } from 'node:crypto';
import {
  beginWork,
  type Deferred,
  type Disposable,
  deferred,
  Emitter,
  endWork,
  type Listener,
  nearMisses,
  quoted,
} from '#base';
import { asVtrError, type ExitStatus, type SessionInfo, type SessionRef, VtrError } from '#model';
import type { KnownSecrets, Session, SessionFacts } from '#session';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const generatedLength = 8;

/** How many names a message lists. */
const namesShown = 10;

/** How many former names are remembered, for messages. */
const maxFormerNames = 1000;

/** A session, or one of another coordinator that is not restored yet. */
export type Registered = Session | UnrestoredSession;

/** A session of another coordinator, as far as it is known without its terminal. */
export interface UnrestoredSession {
  readonly name: string;
  readonly id: string;
  readonly facts: SessionFacts;
  /** Contract: `Session.secrets`. */
  readonly secrets: KnownSecrets;
  readonly exitStatus: ExitStatus | null;
  info(): SessionInfo;
  /** Resolves when it is restored, and in the registry in place of this. */
  live(): Promise<Session>;
}

/** Returns what names a session to those who know nothing else of it. */
export const nameAndId = ({ name, id }: Registered) => ({ name, id });

/** `added` also for a session that is restored, in place of the one that was not. */
export interface RegistryChange {
  readonly type: 'added' | 'removed';
  readonly session: Registered;
}

/** The sessions by name. A name is in use from before its session is made until it is removed. */
export class Registry {
  readonly #byName = new Map<string, Registered>();
  readonly #byId = new Map<string, Registered>();
  /** Names whose session is being made. The promise resolves when the name is added or released. */
  readonly #reserved = new Map<string, Deferred>();
  /** Renamed sessions by former name. */
  readonly #former = new Map<string, Registered>();
  /** By id. */
  readonly #orders = new Map<string, number>();
  #lastOrder = 0;
  /** The sessions in their order; null when one was added, replaced or removed since. */
  #sorted: readonly Registered[] | null = null;
  readonly #changes = new Emitter<RegistryChange>();

  onChange(listener: Listener<RegistryChange>): Disposable {
    return this.#changes.on(listener);
  }

  /** Returns the sessions, oldest first. */
  list(): Registered[] {
    this.#sorted ??= [...this.#byId.values()].sort((a, b) => this.orderOf(a) - this.orderOf(b));
    return this.#sorted.slice();
  }

  get size(): number {
    return this.#byId.size;
  }

  /** The number of sessions that are being made. */
  get reserved(): number {
    return this.#reserved.size;
  }

  isTaken(name: string): boolean {
    return this.#byName.has(name) || this.#reserved.has(name);
  }

  /** Returns a promise that resolves when the name is no longer reserved; null if it is not. */
  reservation(name: string): Promise<void> | null {
    return this.#reserved.get(name)?.promise ?? null;
  }

  /** Returns the session of that id, null if there is none. */
  withId(id: string): Registered | null {
    return this.#byId.get(id) ?? null;
  }

  /** Returns the session of that name, null if there is none. */
  named(name: string): Registered | null {
    return this.#byName.get(name) ?? null;
  }

  /**
   * Reserves a name.
   *
   * @param replaced the session that has the name and gives it up when the new one is added
   * @throws VtrError SESSION_ALREADY_EXISTS
   */
  reserve(name: string, replaced: Registered | null = null): void {
    this.#checkFree(name, replaced);
    this.#reserved.set(name, deferred());
  }

  /** Returns a place among the sessions, behind all others. */
  nextOrder(): number {
    this.#lastOrder++;
    return this.#lastOrder;
  }

  orderOf({ id }: { readonly id: string }): number {
    return this.#orders.get(id) ?? 0;
  }

  /** Adds a session under its reserved name. */
  add(session: Registered, order = this.nextOrder()): void {
    this.#byName.set(session.name, session);
    this.#byId.set(session.id, session);
    this.#orders.set(session.id, order);
    this.#sorted = null;
    this.#lastOrder = Math.max(this.#lastOrder, order);
    this.release(session.name);
    this.#changes.emit({ type: 'added', session });
  }

  /** Frees a reserved name. */
  release(name: string): void {
    this.#reserved.get(name)?.resolve();
    this.#reserved.delete(name);
  }

  /** Puts a session in the place of one that was not restored. */
  replace(unrestored: UnrestoredSession, session: Session): void {
    this.#byName.set(session.name, session);
    this.#byId.set(session.id, session);
    this.#sorted = null;
    for (const [name, each] of this.#former)
      if (each === unrestored) this.#former.set(name, session);
    this.#changes.emit({ type: 'added', session });
  }

  /** Makes names former names of a session, as far as they are not known. */
  addFormerNames(session: Registered, names: readonly string[]): void {
    for (const name of names) if (!this.#former.has(name)) this.#former.set(name, session);
  }

  /** Returns the former names of a session, oldest first. */
  formerNames(session: Registered): string[] {
    return [...this.#former].flatMap(([name, each]) => (each === session ? [name] : []));
  }

  /** Removes a session. A later session that reused its name is kept. */
  remove(session: Session): void {
    if (this.#byName.get(session.name) === session) this.#byName.delete(session.name);
    this.#byId.delete(session.id);
    this.#sorted = null;
    this.#orders.delete(session.id);
    for (const [name, each] of this.#former) if (each === session) this.#former.delete(name);
    this.#changes.emit({ type: 'removed', session });
  }

  /** @throws VtrError SESSION_ALREADY_EXISTS */
  rename(session: Session, name: string): void {
    const old = session.name;
    if (name === old) return;
    this.#checkFree(name, null);
    this.#byName.delete(old);
    this.#byName.set(name, session);
    session.name = name;
    this.#former.delete(old);
    this.#former.set(old, session);
    const [oldest] = this.#former.keys();
    if (this.#former.size > maxFormerNames && oldest !== undefined) this.#former.delete(oldest);
  }

  /** Returns the session of a reference. @throws VtrError SESSION_NOT_FOUND */
  find(ref: SessionRef): Registered {
    const { name, id } = typeof ref === 'string' ? { name: ref, id: undefined } : ref;
    const session = id === undefined ? this.#byName.get(name) : this.#byId.get(id);
    if (session !== undefined) return session;
    if (this.#byName.has(name)) {
      throw notFound(name, 'that session was removed and its name reused');
    }
    const renamed = this.#former.get(name);
    if (renamed === undefined) throw notFound(name, this.#namesHint(name));
    throw notFound(name, `it was renamed to ${renamed.name}`, { renamedTo: renamed.name });
  }

  /** Generates an unused name: `sess_` and eight letters or digits. */
  generateName(): string {
    for (;;) {
      const letters = Array.from(
        { length: generatedLength },
        () => alphabet[randomInt(alphabet.length)],
      );
      const name = `sess_${letters.join('')}`;
      if (!this.isTaken(name)) return name;
    }
  }

  /** @throws VtrError SESSION_ALREADY_EXISTS */
  #checkFree(name: string, replaced: Registered | null): void {
    if (!this.#reserved.has(name) && this.named(name) === replaced) return;
    throw new VtrError(
      'SESSION_ALREADY_EXISTS',
      `session ${name} exists; choose another name, or remove it first`,
      { details: { name } },
    );
  }

  /** Returns a hint with names that exist. */
  #namesHint(text: string): string {
    const names = this.list().map(({ name }) => name);
    if (names.length === 0) return 'there are no sessions; spawn one';
    const near = nearMisses(text, names);
    if (near.length > 0) return `did you mean ${near.join(' or ')}?`;
    const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
    return `existing sessions are ${names.slice(0, namesShown).join(', ')}${more}`;
  }
}

function notFound(name: string, hint: string, more: { renamedTo?: string } = {}): VtrError {
  // Quoted: the name is not checked and may be any text.
  return new VtrError('SESSION_NOT_FOUND', `session ${quoted(name)} not found: ${hint}`, {
    details: { name, ...more },
  });
}

/**
 * Calls an operation at once. The message of a failure begins with the name of the session, which
 * may change during the operation; its details have the name, too.
 */
export async function inSession<T>(
  session: { readonly name: string },
  operation: () => Promise<T> | T,
): Promise<T> {
  try {
    return await begun(session.name, operation);
  } catch (thrown) {
    const { code, message, details, cause } = asVtrError(thrown);
    const named = `session ${session.name}`;
    const text = message.startsWith(`${named} `) ? message : `${named}: ${message}`;
    throw new VtrError(code, text, { cause, details: { name: session.name, ...details } });
  } finally {
    // Its last part may have been one of several.
    endWork();
  }
}

/** Calls an operation up to where it waits. */
function begun<T>(session: string, operation: () => Promise<T> | T): Promise<T> | T {
  beginWork('call', session);
  try {
    return operation();
  } finally {
    endWork();
  }
}
