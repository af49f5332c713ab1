import { type Disposable, defined, Emitter } from '#base';
import type { MouseInput, MouseTracking, Size, TmuxEvent, ViewModes } from '#model';
import type { NotifiedText, Picture, TtyEvent } from '#tty';
import type { AttachedSession } from '../attach/attached-session.ts';
import type { AttachEnd, AttachOptions, AttachSettings } from '../attach/scene.ts';
import type { CoordinatorLink } from '../coordinator-link.ts';
import type { Tty } from '../tty-screen/tty.ts';
import type { Pane } from './panes.ts';
import { TmuxPane } from './tmux-pane.ts';

/** What a hidden pane shows is drawn this long after it, in ms. */
const hiddenMs = 2_000;

/** A part of a person's terminal, for a session that is attached to in it. */
class PaneTty implements Tty {
  size: Size;
  /** What the program asks of the terminal; null for none. */
  modes: ViewModes | null = null;
  mouse: MouseTracking = 'none';
  /** Whether each picture has to be drawn in the end, because the next one is made only then. */
  readonly #isPaced: boolean;
  #isSeen = true;
  #hiddenDrawing: NodeJS.Timeout | null = null;
  readonly #window: Tty;
  readonly #changed: () => void;
  readonly #events = new Emitter<readonly TtyEvent[]>(rethrow);
  readonly #resized = new Emitter<Size>(rethrow);
  #draw: (() => Picture) | null = null;
  #picture: Picture | null = null;
  #isStale = false;

  constructor(window: Tty, size: Size, changed: () => void, isPaced: boolean) {
    this.#isPaced = isPaced;
    this.#window = window;
    this.size = size;
    this.#changed = changed;
  }

  /** Whether the tab of the pane is shown. */
  set isSeen(isSeen: boolean) {
    this.#isSeen = isSeen;
    this.#drawHidden();
  }

  /** The newest picture; null before the first. */
  get picture(): Picture | null {
    if (this.#isStale && this.#draw !== null) {
      this.#isStale = false;
      this.#picture = this.#draw();
    }
    return this.#picture;
  }

  show(draw: () => Picture): void {
    this.#draw = draw;
    this.#isStale = true;
    if (this.#isSeen) this.#changed();
    else this.#drawHidden();
  }

  #drawHidden(): void {
    if (this.#isSeen || !this.#isStale || !this.#isPaced) return;
    this.#hiddenDrawing ??= setTimeout(() => {
      this.#hiddenDrawing = null;
      void this.picture;
    }, hiddenMs).unref();
  }

  onEvents(listener: (events: readonly TtyEvent[]) => void): Disposable {
    return this.#events.on(listener);
  }

  onResize(listener: (size: Size) => void): Disposable {
    return this.#resized.on(listener);
  }

  setModes(program: ViewModes | null, mouse: MouseTracking): void {
    this.modes = program;
    this.mouse = mouse;
  }

  setClipboard(text: string): boolean {
    return this.#window.setClipboard(text);
  }

  lend<T>(use: () => Promise<T>): Promise<T> {
    return this.#window.lend(use);
  }

  notify(notification: NotifiedText): boolean {
    return this.#window.notify(notification);
  }

  /** One terminal cannot tell the statuses of several panes apart. */
  reportStatus(): void {}

  ring(): void {
    this.#window.ring();
  }

  repaint(): void {
    this.#window.repaint();
  }

  suspend(): void {
    this.#window.suspend();
  }

  /** The window leaves the terminal. */
  leave(): void {}

  resize(size: Size): void {
    if (size.cols === this.size.cols && size.rows === this.size.rows) return;
    this.size = size;
    this.#resized.emit(size);
  }

  read(event: TtyEvent): void {
    if (event.type !== 'mouse' || this.#reports(event.mouse)) this.#events.emit([event]);
  }

  /** Whether a terminal of its own would report an event of the mouse. */
  #reports({ action, button = 'none' }: MouseInput): boolean {
    if (this.mouse === 'none') return false;
    return (
      action !== 'move' || this.mouse === 'any' || (this.mouse === 'button' && button !== 'none')
    );
  }
}

/** A defect in a listener ends the process, after the terminal is restored. */
function rethrow(error: unknown): never {
  throw error;
}

/** A pane that is to show its session. */
export interface WantedPane {
  readonly id: number;
  readonly link: CoordinatorLink;
  readonly session: { readonly name: string; readonly id: string };
  /** For a session of tmux: the socket path of its server. */
  readonly tmux?: string;
  readonly makes?: boolean;
  readonly as: Pane['as'];
  readonly line: number | undefined;
  readonly size: Size;
  readonly hasFocus: boolean;
  /** Else it stays as it is, if the session is attached to: in the size that it had, and nobody sees it. */
  readonly isOfShownTab: boolean;
}

/**
 * Shows a session in a terminal, then those to which the person goes from there.
 *
 * @param shows called with each session that is shown, when it reads the terminal
 */
export type AttachIn = (
  tty: Tty,
  options: AttachOptions,
  shows: (attached: AttachedSession, of: AttachOptions) => void,
) => Promise<AttachEnd>;

interface OpenPanesOptions {
  readonly tty: Tty;
  readonly person: string;
  readonly settings: AttachSettings;
  readonly attachIn: AttachIn;
  /** A pane shows something else. */
  readonly changed: () => void;
  /** A pane shows another session. */
  readonly shows: (pane: number, of: Pick<AttachOptions, 'link' | 'session'>) => void;
  /** The session of tmux that a pane shows has another name, or is another one. */
  readonly showsTmux?: (pane: number, name: string) => void;
  /** The person has left the session of a pane, or it has gone. */
  readonly ended: (pane: number, end: AttachEnd) => void;
  readonly failed: (error: unknown) => void;
}

interface OpenPane {
  readonly tty: PaneTty;
  attached: AttachedSession | TmuxPane | null;
  hasFocus: boolean;
  isLeft: boolean;
  ended: Promise<void>;
}

/** The sessions that are shown in panes: each is attached to, in a part of the person's terminal. */
export class OpenPanes {
  readonly #options: OpenPanesOptions;
  readonly #open = new Map<number, OpenPane>();
  readonly #leaving = new Set<Promise<void>>();

  constructor(options: OpenPanesOptions) {
    this.#options = options;
  }

  /** Attaches to what is wanted, in these sizes, and leaves all else. */
  follow(panes: readonly WantedPane[]): void {
    const ids = new Set(panes.map(({ id }) => id));
    for (const [id, pane] of this.#open) if (!ids.has(id)) this.#leave(id, pane);
    for (const each of panes) {
      const pane = this.#open.get(each.id);
      if (pane === undefined) {
        // A tab that has not been shown yet.
        if (each.isOfShownTab) this.#begin(each);
        continue;
      }
      pane.tty.isSeen = each.isOfShownTab;
      if (each.isOfShownTab) pane.tty.resize(each.size);
      if (pane.hasFocus !== each.hasFocus) {
        pane.hasFocus = each.hasFocus;
        pane.tty.read({ type: 'focus', focused: each.hasFocus });
      }
    }
  }

  picture(id: number): Picture | null {
    return this.#open.get(id)?.tty.picture ?? null;
  }

  /** What the program of a pane asks of the terminal, and what its view needs of the mouse. */
  modes(id: number): { readonly modes: ViewModes | null; readonly mouse: MouseTracking } {
    const { modes = null, mouse = 'none' } = this.#open.get(id)?.tty ?? {};
    return { modes, mouse };
  }

  /**
   * Gives an event to panes. A command of the first one, as in scroll mode, is only for that; others whose keys are
   * commands now do not get what is typed.
   */
  read([first, ...others]: readonly number[], event: TtyEvent): void {
    const isTyped = first !== undefined && !this.#isCommand(first, event);
    for (const id of isTyped ? others : []) {
      if (!this.#isCommand(id, event)) this.#open.get(id)?.tty.read(event);
    }
    if (first !== undefined) this.#open.get(first)?.tty.read(event);
  }

  /** Lets the server of tmux do something for the client in a pane. */
  sendTmux(id: number, event: TmuxEvent): void {
    const attached = this.#open.get(id)?.attached;
    if (attached instanceof TmuxPane) attached.send(event);
  }

  /** Also true until the session is attached to. */
  #isCommand(id: number, event: TtyEvent): boolean {
    return this.#open.get(id)?.attached?.isCommand(event) !== false;
  }

  /** Leaves all sessions. Resolves when what was typed has been sent. */
  async end(): Promise<void> {
    for (const [id, pane] of this.#open) this.#leave(id, pane);
    await Promise.all(this.#leaving);
  }

  #begin({ id, link, session, tmux, makes = false, as, line, size, hasFocus }: WantedPane): void {
    const { tty: window, person, settings, attachIn, changed, shows, failed } = this.#options;
    const tty = new PaneTty(window, size, changed, tmux !== undefined);
    const pane: OpenPane = {
      tty,
      attached: null,
      hasFocus,
      isLeft: false,
      ended: Promise.resolve(),
    };
    this.#open.set(id, pane);
    const ended = (end: AttachEnd) => {
      if (this.#open.get(id) !== pane) return;
      this.#open.delete(id);
      this.#options.ended(id, end);
    };
    if (tmux !== undefined) {
      const shown = (name: string) => this.#options.showsTmux?.(id, name);
      const { name } = session;
      const of = { tmux: link.tmux, server: tmux, name, makes, shows: shown };
      const attached = new TmuxPane(tty, of);
      pane.attached = attached;
      pane.ended = attached.ended.then(ended, failed);
      return;
    }
    pane.ended = attachIn(
      tty,
      { link, session, as, person, settings, ...defined({ line }) } satisfies AttachOptions,
      (attached, of) => {
        pane.attached = attached;
        // The person does not look at it; what it asks stays in the list.
        if (!pane.hasFocus) tty.read({ type: 'focus', focused: false });
        if (pane.isLeft) attached.detach();
        else if (of.session.id !== session.id) shows(id, of);
      },
    ).then(ended, failed);
  }

  #leave(id: number, pane: OpenPane): void {
    this.#open.delete(id);
    pane.isLeft = true;
    pane.attached?.detach();
    this.#leaving.add(pane.ended);
    void pane.ended.finally(() => this.#leaving.delete(pane.ended));
  }
}
