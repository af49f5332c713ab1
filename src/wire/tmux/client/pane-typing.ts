import { userInfo } from 'node:os';
import { ignored } from '#base';
import { asVtrError, type KeyPress, type Sender, type Size, type Viewing } from '#model';
import type { MousePlace } from '../state/client-terminal.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { PaneSession, TmuxPane } from '../state/tmux-window.ts';

/** A session is not made smaller than this by a person who types in it. */
const leastSize: Size = { cols: 20, rows: 5 };

/** What a person types at a client, in the sessions of panes and popups: each has a viewing of the person. */
export class PaneTyping {
  readonly #server: TmuxServer;
  readonly #refused: (message: string) => void;
  readonly #viewings = new Map<string, Promise<Viewing>>();

  #active: TmuxPane | null = null;
  #hasFocus = true;

  /** @param refused told that another person holds a session */
  constructor(server: TmuxServer, refused: (message: string) => void) {
    this.#server = server;
    this.#refused = refused;
  }

  /** Sends input as the person at this terminal. @param pane null for a popup */
  send(
    session: PaneSession,
    pane: TmuxPane | null,
    act: (sender: Sender) => Promise<unknown>,
  ): void {
    if (pane !== null && (pane.dead !== null || pane.inputOff)) return;
    const sending = this.#viewing(session, pane).then(async (viewing) => {
      const isFirst = pane !== null && pane.typist !== viewing;
      if (isFirst) {
        pane.typist = viewing;
        ignored(viewing.resize({ cols: pane.cols, rows: pane.rows }), 'the session may be gone');
      }
      // Nothing is awaited before it: keys keep their order.
      await act({ viewer: viewing.id });
      if (isFirst) await this.#keepSize(pane, viewing);
    });
    sending.catch((error: unknown) => {
      const { code, message } = asVtrError(error);
      if (code === 'NOT_DRIVER') this.#refused(message);
    });
  }

  /** Types keys in a pane, and in those of its window that get the same input. */
  keys(pane: TmuxPane, keys: readonly KeyPress[]): void {
    const { coordinator } = this.#server.programs;
    for (const each of sameInput(pane)) {
      this.send(each.session, each, (sender) => coordinator.sendKeys(each.session, keys, sender));
    }
  }

  /**
   * The active pane is the one that the person looks at: what ends or rings in another one in which the person has typed
   * is still to be seen.
   */
  looksAt(pane: TmuxPane): void {
    if (pane === this.#active) return;
    const before = this.#active;
    this.#active = pane;
    for (const each of [before, pane]) if (each !== null) this.#look(each.session);
  }

  #look({ id }: PaneSession): void {
    const looking = this.#hasFocus && this.#active?.session.id === id;
    const looked = this.#viewings.get(id)?.then((viewing) => viewing.look(looking));
    ignored(looked, 'the session may be gone');
  }

  /** The terminal has the focus, or not. */
  focus({ session }: TmuxPane, focused: boolean): void {
    this.#hasFocus = focused;
    this.#look(session);
  }

  /** As {@link keys}, for a paste. */
  paste(pane: TmuxPane, text: string): void {
    const { coordinator } = this.#server.programs;
    for (const each of sameInput(pane)) {
      if (each.modes.current !== null) continue;
      this.send(each.session, each, (sender) =>
        coordinator.sendText(each.session, text, { paste: 'supported', ...sender }),
      );
    }
  }

  /** Passes an event of the mouse on to the program of a pane. */
  mouse(pane: TmuxPane, { event, paneRow: row, paneCol: col }: MousePlace): void {
    const { coordinator } = this.#server.programs;
    this.send(pane.session, pane, (sender) =>
      coordinator.sendMouse(pane.session, [{ ...event, row, col }], sender),
    );
  }

  /** A person who types in a session makes it at least {@link leastSize}; a pane can be smaller. */
  async #keepSize({ cols, rows, session }: TmuxPane, { id }: Viewing): Promise<void> {
    if (cols >= leastSize.cols && rows >= leastSize.rows) return;
    const { coordinator } = this.#server.programs;
    await coordinator.resize(session, { cols, rows }, { viewer: id });
  }

  /** The viewing in which the person types in a session. It begins with the first key. */
  #viewing(session: PaneSession, pane: TmuxPane | null): Promise<Viewing> {
    const before = this.#viewings.get(session.id);
    if (before !== undefined) return before;
    const { coordinator } = this.#server.programs;
    const viewing =
      pane === null
        ? coordinator.info(session).then(({ size }) => this.#view(session, size))
        : this.#view(session, { cols: pane.cols, rows: pane.rows });
    this.#viewings.set(session.id, viewing);
    if (pane !== null) this.#look(session);
    // The next key tries again.
    viewing.catch(() => this.#viewings.delete(session.id));
    return viewing;
  }

  #view(session: PaneSession, size: Size): Promise<Viewing> {
    const { coordinator } = this.#server.programs;
    return coordinator.view(session, { name: personName(), kind: 'attach', size });
  }

  /** Leaves all sessions. */
  dispose(): void {
    for (const viewing of this.#viewings.values()) {
      const left = viewing.then((each) => {
        for (const pane of this.#server.panes) if (pane.typist === each) pane.typist = null;
        return each.dispose();
      });
      ignored(left, 'the session may be gone');
    }
  }
}

/** The pane, or all panes of its window that get the same input. */
const sameInput = (pane: TmuxPane): readonly TmuxPane[] =>
  pane.options.isOn('synchronize-panes') && pane.modes.current === null
    ? pane.window.panes.filter((each) => each.options.isOn('synchronize-panes'))
    : [pane];

/** The name of the user, as other viewers of a session see it. */
function personName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'person';
  }
}
