import type { TmuxSession } from './tmux-session.ts';

/** Sessions with the same windows, each with a current one of its own. */
export class SessionGroup {
  readonly name: string;
  readonly #members = new Set<TmuxSession>();
  /** The windows that all members have. */
  #shared: string | null = null;

  constructor(name: string) {
    this.name = name;
  }

  /** In the order in which they were added. */
  get members(): readonly TmuxSession[] {
    return [...this.#members];
  }

  has(session: TmuxSession): boolean {
    return this.#members.has(session);
  }

  /** Adds a session, which gets the windows of the others. */
  add(session: TmuxSession): void {
    const [other] = this.#members;
    if (other !== undefined) session.copyLinks(other);
    this.#members.add(session);
    this.#shared = windowsOf(session);
  }

  /** Forgets a session that has ended. @returns whether others are left */
  remove(session: TmuxSession): boolean {
    this.#members.delete(session);
    return this.#members.size > 0;
  }

  /** Gives the others the windows of a member whose windows have changed. */
  synchronize(): void {
    const changed = [...this.#members].find((each) => windowsOf(each) !== this.#shared);
    if (changed === undefined) return;
    for (const other of this.#members) if (other !== changed) other.copyLinks(changed);
    this.#shared = windowsOf(changed);
  }
}

const windowsOf = ({ links }: TmuxSession): string =>
  links.map(({ index, window }) => `${index}:${window.id}`).join();
