import { hostname } from 'node:os';
import type { ViewModes } from '#model';
import { type PaneScreen, paneRows, paneScreen } from '../capture/pane-rows.ts';
import type { AttachedClient } from '../state/attached-client.ts';
import type { Buffer } from '../state/buffers.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { TmuxSession, WindowLink } from '../state/tmux-session.ts';
import type { TmuxPane, TmuxWindow } from '../state/tmux-window.ts';
import { foregroundOf } from './foreground.ts';

/** What a format is about. */
export class FormatContext {
  readonly server: TmuxServer;
  readonly session: TmuxSession | null;
  readonly link: WindowLink | null;
  readonly window: TmuxWindow | null;
  readonly pane: TmuxPane | null;
  readonly client: AttachedClient | null;
  readonly buffer: Buffer | null;
  /** Values of variables that a command adds. */
  readonly extra: Readonly<Record<string, string>>;
  /** Takes the steps of an expansion; null if nobody wants them. */
  readonly log: ((step: string) => void) | null;
  /** What a shell command, `#(command)`, has printed last; null if none are run. */
  readonly commands: ((line: string) => string) | null;
  readonly #facts: Map<TmuxPane, PaneFacts>;

  constructor(
    about: {
      readonly server: TmuxServer;
      readonly session?: TmuxSession | null;
      readonly link?: WindowLink | null;
      readonly window?: TmuxWindow | null;
      readonly pane?: TmuxPane | null;
      readonly client?: AttachedClient | null;
      readonly buffer?: Buffer | null;
      readonly extra?: Readonly<Record<string, string>>;
      readonly log?: ((step: string) => void) | null;
      readonly commands?: ((line: string) => string) | null;
    },
    facts: Map<TmuxPane, PaneFacts> = new Map(),
  ) {
    this.server = about.server;
    this.session = about.session ?? null;
    this.link = about.link ?? null;
    this.window = about.window ?? about.link?.window ?? null;
    this.pane = about.pane ?? null;
    this.client = about.client ?? null;
    this.buffer = about.buffer ?? null;
    this.extra = about.extra ?? {};
    this.log = about.log ?? null;
    this.commands = about.commands ?? null;
    this.#facts = facts;
  }

  /** The same with another subject; what is known of panes is kept. */
  of(about: Partial<Pick<FormatContext, 'session' | 'link' | 'window' | 'pane' | 'extra'>>) {
    const link = about.link === undefined ? this.link : about.link;
    return new FormatContext(
      { ...this, ...about, window: about.window ?? link?.window ?? this.window },
      this.#facts,
    );
  }

  /** What is known of the terminal of the pane: each fact is read once for a command. */
  factsOf(pane: TmuxPane): PaneFacts {
    const facts = this.#facts.get(pane) ?? new PaneFacts(this.server, pane);
    this.#facts.set(pane, facts);
    return facts;
  }
}

/** What the coordinator and the system know of a pane, read when it is needed. */
class PaneFacts {
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
    this.#screen ??= paneScreen(coordinator, this.#pane.session).then(
      (screen) => (this.#lastRow === '' ? screen : { ...screen, cursor: underRows(screen) }),
      () => null,
    );
    return this.#screen;
  }

  /** The text of the cell at the cursor; empty for the second half of a wide one. */
  async characterAtCursor(): Promise<string | null> {
    const screen = await this.screen();
    if (screen === null) return null;
    const { coordinator } = this.#server.programs;
    const rows = await paneRows(coordinator, this.#pane.session, null, this.#lastRow);
    return rows.screen[screen.cursor.row]?.cells[screen.cursor.col]?.text ?? ' ';
  }

  modes(): Promise<ViewModes | null> {
    const { coordinator } = this.#server.programs;
    this.#modes ??= coordinator.frame(this.#pane.session).then(
      ({ frame }) => frame.modes,
      () => null,
    );
    return this.#modes;
  }

  /** Not empty if a row says how the program has ended. */
  get #lastRow(): string {
    const { dead, options } = this.#pane;
    return dead?.atMs == null ? '' : options.text('remain-on-exit-format');
  }

  /** Rows above the screen. */
  history(): Promise<number> {
    const { coordinator } = this.#server.programs;
    const { session, firstLine } = this.#pane;
    this.#history ??= paneRows(coordinator, session, firstLine, this.#lastRow).then(
      ({ history }) => history.length,
      () => 0,
    );
    return this.#history;
  }
}

/** The cursor after the row that says how the program has ended. */
const underRows = ({ cursor, rows }: PaneScreen): PaneScreen['cursor'] => ({
  ...cursor,
  row: rows - 1,
  col: 0,
  visible: false,
});
