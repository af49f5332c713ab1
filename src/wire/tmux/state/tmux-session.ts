import type { Environment } from './environment.ts';
import type { Options } from './options.ts';
import type { TmuxWindow } from './tmux-window.ts';

/** What a window asks attention for. */
export type Alert = 'activity' | 'bell' | 'silence';

/** A window at an index of a session. A window can be linked to several. */
export interface WindowLink {
  readonly session: TmuxSession;
  window: TmuxWindow;
  index: number;
  /** Until somebody looks. */
  readonly alerts: Set<Alert>;
}

export class TmuxSession {
  readonly id: number;
  name: string;
  readonly createdAtMs: number;
  /** The time of the last use by a client; ms since 1970. */
  activityAtMs: number;
  /** Increases with each use of any session of the server. */
  activity = 0;
  lastAttachedAtMs: number | null = null;
  /** The size of the terminal in which it began, or of its current window when the daemon was restarted; null without. */
  terminalSize: { readonly cols: number; readonly rows: number } | null = null;
  readonly options: Options;
  readonly environment: Environment = new Map();
  cwd: string;
  links: WindowLink[] = [];
  #current: WindowLink | null = null;
  #earlier: WindowLink[] = [];

  constructor(id: number, name: string, cwd: string, options: Options, nowMs: number) {
    this.id = id;
    this.name = name;
    this.cwd = cwd;
    this.options = options;
    this.createdAtMs = nowMs;
    this.activityAtMs = nowMs;
  }

  get current(): WindowLink {
    const current = this.#current ?? this.links[0];
    if (current === undefined) throw new Error(`session $${this.id} has no windows`);
    return current;
  }

  /** The window that was current before; null if there was none. */
  get last(): WindowLink | null {
    return this.#earlier[0] ?? null;
  }

  linkAt(index: number): WindowLink | null {
    return this.links.find((each) => each.index === index) ?? null;
  }

  linkOf(window: TmuxWindow): WindowLink | null {
    return this.links.find((each) => each.window === window) ?? null;
  }

  /** The lowest free index, from `base-index` or another one on. */
  freeIndex(from = this.options.number('base-index')): number {
    let index = from;
    while (this.linkAt(index) !== null) index++;
    return index;
  }

  add(window: TmuxWindow, index: number): WindowLink {
    const link = { session: this, window, index, alerts: new Set<Alert>() };
    this.links.push(link);
    this.sort();
    return link;
  }

  sort(): void {
    this.links.sort((one, two) => one.index - two.index);
  }

  /** Makes a window current. Returns whether it was not. */
  select(link: WindowLink): boolean {
    if (this.#current === link) return false;
    const before = this.#current;
    this.#current = link;
    link.alerts.clear();
    this.#earlier = this.#earlier.filter((each) => each !== link && each !== before);
    if (before !== null) this.#earlier.unshift(before);
    return true;
  }

  /** The window after (1) or before (-1) another one, around the end. */
  beside(link: WindowLink, step: number): WindowLink {
    const count = this.links.length;
    const at = this.links.indexOf(link) + (step % count);
    return this.links[(at + count) % count] ?? link;
  }

  /** As {@link beside}, of those with alerts; null if there is none. */
  alertBeside(link: WindowLink, step: 1 | -1): WindowLink | null {
    for (let each = this.beside(link, step); each !== link; each = this.beside(each, step)) {
      if (each.alerts.size > 0) return each;
    }
    return null;
  }

  /** Takes over the windows of another session, at their indexes. */
  copyLinks(from: TmuxSession): void {
    const links = this.links;
    const at = this.#current?.index ?? null;
    const earlier = this.#earlier.map(({ index }) => index);
    this.links = from.links.map(
      ({ window, index }) =>
        links.find((each) => each.window === window && each.index === index) ?? {
          session: this,
          window,
          index,
          alerts: new Set<Alert>(),
        },
    );
    this.#earlier = earlier.flatMap((index) => this.linkAt(index) ?? []);
    this.#current = null;
    if (at === null) return;
    this.#current =
      this.linkAt(at) ??
      this.#earlier.shift() ??
      this.links.findLast(({ index }) => index < at) ??
      this.links.at(-1) ??
      null;
  }

  /** Returns whether windows are left. */
  remove(link: WindowLink): boolean {
    const next = this.#earlier.find((each) => each !== link) ?? this.beside(link, -1);
    this.links = this.links.filter((each) => each !== link);
    this.#earlier = this.#earlier.filter((each) => each !== link);
    if (this.links.length === 0) return false;
    if (this.#current === link) {
      this.#current = next;
      next.alerts.clear();
      this.#earlier = this.#earlier.filter((each) => each !== next);
    }
    return true;
  }

  /** Numbers the windows from `base-index` on, in their order. */
  renumber(): void {
    const base = this.options.number('base-index');
    for (const [at, link] of this.links.entries()) link.index = base + at;
  }
}

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
