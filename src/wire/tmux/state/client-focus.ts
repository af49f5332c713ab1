import type { Emitter } from '#base';
import type { AttachedClient, Notice } from './attached-client.ts';
import type { Options } from './options.ts';
import type { TmuxSession } from './tmux-session.ts';
import type { TmuxPane, TmuxWindow } from './tmux-window.ts';

/** What a server has of clients and windows. */
interface FocusParts {
  readonly clients: ReadonlySet<AttachedClient>;
  readonly notices: Emitter<Notice>;
  readonly options: Options;
  readonly windows: () => readonly TmuxWindow[];
  /** Tells the program of a pane that it has the focus, or not. */
  readonly focus: (pane: TmuxPane, focused: boolean) => void;
}

/**
 * Which panes have the focus, and which client was used last in each window, as tmux counts them (window.c,
 * server-client.c). Programs and hooks are told of changes.
 */
export class ClientFocus {
  readonly #parts: FocusParts;
  readonly #panes = new WeakSet<TmuxPane>();
  /** Clients whose terminals have told that they have lost the focus. */
  readonly #blurred = new WeakSet<AttachedClient>();
  readonly #latest = new WeakMap<TmuxWindow, AttachedClient>();

  constructor(parts: FocusParts) {
    this.#parts = parts;
  }

  /** A pane has the focus if it is active in a window that a client with the focus shows. */
  update(pane: TmuxPane): void {
    const { window } = pane;
    const isFocused =
      window.panes.includes(pane) &&
      pane.isActive &&
      [...this.#parts.clients].some(
        (client) => !this.#blurred.has(client) && client.session.current.window === window,
      );
    if (isFocused === this.#panes.has(pane)) return;
    if (isFocused) this.#panes.add(pane);
    else this.#panes.delete(pane);
    this.#parts.focus(pane, isFocused);
    this.#parts.notices.emit({ name: isFocused ? 'pane-focus-in' : 'pane-focus-out', pane });
  }

  /** As {@link update}, of the active pane of a window. */
  updateIn(window: TmuxWindow): void {
    if (window.panes.length > 0) this.update(window.active);
  }

  /** Another pane or window is shown: this is told only with the option `focus-events`. */
  moved(...panes: readonly TmuxPane[]): void {
    if (!this.#parts.options.isOn('focus-events')) return;
    for (const pane of panes) this.update(pane);
  }

  /** Tells the program that has replaced the one of a pane. */
  respawned(pane: TmuxPane): void {
    if (this.#panes.has(pane)) this.#parts.focus(pane, true);
  }

  /** A client shows another session than before. @param before null if it has shown none */
  shows(client: AttachedClient, before: TmuxSession | null): void {
    const { session } = client;
    const { window } = session.current;
    this.#blurred.delete(client);
    if (before !== null) this.leaves(before);
    this.updateIn(window);
    this.#latest.set(window, client);
    this.#parts.notices.emit({ name: 'client-session-changed', client, session });
  }

  /** A client has left a session, which may have no windows any more. */
  leaves(session: TmuxSession): void {
    if (session.links.length > 0) this.updateIn(session.current.window);
  }

  /** The terminal of a client got or lost the focus. Hooks are told only with the option `focus-events`. */
  changed(client: AttachedClient, focused: boolean): void {
    const { options, notices } = this.#parts;
    const isTold = options.isOn('focus-events');
    if (focused) this.#blurred.delete(client);
    else this.#blurred.add(client);
    if (focused && isTold) notices.emit({ name: 'client-focus-in', client });
    this.updateIn(client.session.current.window);
    if (focused) this.used(client);
    else if (isTold) notices.emit({ name: 'client-focus-out', client });
  }

  /** A person uses a client. */
  used(client: AttachedClient): void {
    const { window } = client.session.current;
    if (this.#latest.get(window) === client) return;
    this.#latest.set(window, client);
    this.#parts.notices.emit({ name: 'client-active', client });
  }

  /** A client has ended: in its windows, another one was used last. @param session what it showed */
  ended(client: AttachedClient, session: TmuxSession): void {
    this.leaves(session);
    for (const window of this.#parts.windows()) {
      if (this.#latest.get(window) !== client) continue;
      const others = [...this.#parts.clients].filter(
        (each) => each !== client && each.session.current.window === window,
      );
      const [next] = others.sort((one, two) => two.activity - one.activity);
      if (next === undefined) this.#latest.delete(window);
      else this.used(next);
    }
  }
}
