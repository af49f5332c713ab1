import { hostname } from 'node:os';
import type { ViewModes } from '#model';
import { type PaneScreen, paneRows, paneScreen } from '../capture/pane-rows.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { TmuxPane } from '../state/tmux-window.ts';
import { foregroundOf } from './foreground.ts';

/** What the coordinator and the system know of a pane, read when it is needed. */
export class PaneFacts {
  readonly #server: TmuxServer;
  readonly #pane: TmuxPane;
  #screen: Promise<PaneScreen | null> | null = null;
  #modes: Promise<ViewModes | null> | null = null;
  #history: Promise<number> | null = null;

  constructor(server: TmuxServer, pane: TmuxPane) {
    this.#server = server;
    this.#pane = pane;
  }

  async title(): Promise<string> {
    return (await this.#server.programs.titleOf(this.#pane)) || hostname();
  }

  /** The name of the program in the foreground. */
  command(): string {
    return foregroundOf(this.#pane).command;
  }

  /** Its directory, or the one that the session reports where the system does not. */
  async directory(): Promise<string> {
    const { directory } = foregroundOf(this.#pane);
    if (directory !== null) return directory;
    const { coordinator } = this.#server.programs;
    const info = await coordinator.info(this.#pane.session, { activity: true }).catch(() => null);
    return info?.activity?.directory ?? this.#pane.program.cwd;
  }

  screen(): Promise<PaneScreen | null> {
    const { coordinator } = this.#server.programs;
    this.#screen ??= paneScreen(coordinator, this.#pane.session).catch(() => null);
    return this.#screen;
  }

  modes(): Promise<ViewModes | null> {
    const { coordinator } = this.#server.programs;
    this.#modes ??= coordinator.frame(this.#pane.session).then(
      ({ frame }) => frame.modes,
      () => null,
    );
    return this.#modes;
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
}
