import type { Buffer } from '../state/buffers.ts';
import type { AttachedClient, TmuxServer } from '../state/tmux-server.ts';
import type { TmuxSession, WindowLink } from '../state/tmux-session.ts';
import type { TmuxPane, TmuxWindow } from '../state/tmux-window.ts';
import { PaneFacts } from './pane-facts.ts';

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
    const known = this.#facts.get(pane) ?? new PaneFacts(this.server, pane);
    this.#facts.set(pane, known);
    return known;
  }
}
