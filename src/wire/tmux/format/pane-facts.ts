import { hostname } from 'node:os';
import type { SessionInfo } from '#model';
import { type PaneScreen, paneRows, paneScreen } from '../capture/pane-rows.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { TmuxPane } from '../state/tmux-window.ts';
import { foregroundOf } from './foreground.ts';

/** What the coordinator and the system know of a pane, read when it is needed. */
export class PaneFacts {
  readonly #server: TmuxServer;
  readonly #pane: TmuxPane;
  #info: Promise<SessionInfo | null> | null = null;
  #screen: Promise<PaneScreen | null> | null = null;
  #history: Promise<number> | null = null;

  constructor(server: TmuxServer, pane: TmuxPane) {
    this.#server = server;
    this.#pane = pane;
  }

  async title(): Promise<string> {
    const info = await this.#infoOf();
    const { title } = this.#pane;
    const shown = info?.title ?? '';
    if (title !== null && title.over === shown) return title.text;
    return shown === '' ? hostname() : shown;
  }

  /** The name of the program in the foreground. */
  command(): string {
    return foregroundOf(this.#pane).command;
  }

  /** Its directory, or the one that the session reports where the system does not. */
  async directory(): Promise<string> {
    const { directory } = foregroundOf(this.#pane);
    if (directory !== null) return directory;
    return (await this.#infoOf(true))?.activity?.directory ?? this.#pane.program.cwd;
  }

  screen(): Promise<PaneScreen | null> {
    const { coordinator } = this.#server.programs;
    this.#screen ??= paneScreen(coordinator, this.#pane.session).catch(() => null);
    return this.#screen;
  }

  /** Rows above the screen. */
  history(): Promise<number> {
    const { coordinator } = this.#server.programs;
    const { session, firstLine } = this.#pane;
    this.#history ??= paneRows(coordinator, session, firstLine).then(
      ({ history }) => history.length,
      () => 0,
    );
    return this.#history;
  }

  #infoOf(activity = false): Promise<SessionInfo | null> {
    const { coordinator } = this.#server.programs;
    if (activity) return coordinator.info(this.#pane.session, { activity }).catch(() => null);
    this.#info ??= coordinator.info(this.#pane.session).catch(() => null);
    return this.#info;
  }
}
