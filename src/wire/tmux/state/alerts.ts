import { ignored } from '#base';
import {
  asVtrError,
  type Cancellation,
  type Coordinator,
  isVtrError,
  maxWaitMs,
  type Subscription,
} from '#model';
import type { TmuxServer } from './tmux-server.ts';
import type { Alert, WindowLink } from './tmux-session.ts';
import type { PaneSession, TmuxPane, TmuxWindow } from './tmux-window.ts';

/** The sign of each alert after the name of a window, in the order of tmux. */
const alertSigns = { activity: '#', bell: '!', silence: '~' } as const satisfies Readonly<
  Record<Alert, string>
>;

/** The signs of a window that has alerts. */
export const alertText = ({ alerts }: WindowLink): string =>
  Object.entries(alertSigns)
    .filter(([alert]) => alerts.has(alert as Alert))
    .map(([, sign]) => sign)
    .join('');

/** Output of a pane that may wait, in bytes: what it is does not matter. */
const maxWaitingBytes = 64 * 1024;
/** Timers of more ms end at once. */
const longestTimerMs = 2_147_483_647;

/**
 * Notes bells, output and silence of panes, and tells of them by the options `monitor-bell`, `monitor-activity` and
 * `monitor-silence`, as tmux does (alerts.c), and the titles that programs set. Output is watched only in windows in
 * which one of the last two options is on, and where the hook `pane-title-changed` is set.
 */
export class Alerts {
  readonly #coordinator: Coordinator;
  readonly #isRedacted: boolean;
  readonly #disposed: Cancellation;
  /** The output of panes whose windows ask for it, by their sessions. */
  readonly #outputs = new Map<PaneSession, Promise<Subscription | null>>();
  /** When the silence of a window began, in ms since 1970, and what waits for its end. */
  readonly #silences = new Map<TmuxWindow, { sinceMs: number; readonly timer: NodeJS.Timeout }>();

  /** @param isRedacted whether clients get no secrets @param disposed ends all */
  constructor(coordinator: Coordinator, isRedacted: boolean, disposed: Cancellation) {
    this.#coordinator = coordinator;
    this.#isRedacted = isRedacted;
    this.#disposed = disposed;
    disposed.addEventListener('abort', () => {
      for (const { timer } of this.#silences.values()) clearTimeout(timer);
      for (const output of this.#outputs.values()) unfollow(output);
    });
  }

  /** Follows the session of a pane to its end. */
  follow(server: TmuxServer, pane: TmuxPane): void {
    void this.#followBells(server, pane);
    this.#watch(server, pane);
    // A window that begins is active. Its session has it after this turn.
    if (pane.window.panes.length === 0) setImmediate(() => this.selected(server, pane.window));
  }

  /** As in tmux, a window that is selected is active. */
  selected(server: TmuxServer, window: TmuxWindow): void {
    this.#active(server, window);
  }

  /** The options have changed. */
  renew(server: TmuxServer): void {
    for (const window of server.windows) this.#awaitSilence(server, window);
    for (const pane of server.panes) this.#watch(server, pane);
  }

  async #followBells(server: TmuxServer, pane: TmuxPane): Promise<void> {
    const { session } = pane;
    const bell = { bell: true, timeoutMs: maxWaitMs, tail: { maxLines: 0 } };
    for (;;) {
      const wait = this.#coordinator.wait(session, { ...bell, signal: this.#disposed });
      const ended = await wait.catch(asVtrError);
      if (this.#disposed.aborted || isVtrError(ended) || ended.outcome === 'exited') return;
      if (pane.session !== session || !pane.window.panes.includes(pane)) return;
      if (ended.outcome === 'bell') tell(server, pane.window, 'bell');
    }
  }

  /** Begins to watch the output of a pane if its window asks for it, and ends it if not. */
  #watch(server: TmuxServer, pane: TmuxPane): void {
    const { session, window } = pane;
    const output = this.#outputs.get(session);
    const isWatched = isMonitored(window) || pane.options.get('pane-title-changed') !== undefined;
    if (isWatched === (output !== undefined)) return;
    if (output === undefined) void this.#followOutput(server, pane);
    else {
      this.#outputs.delete(session);
      unfollow(output);
    }
  }

  async #followOutput(server: TmuxServer, pane: TmuxPane): Promise<void> {
    const { session } = pane;
    const request = { scrollbackLines: 0, maxWaitingBytes, redact: this.#isRedacted };
    const subscribed = this.#coordinator.subscribe(session, request).catch(() => null);
    this.#outputs.set(session, subscribed);
    try {
      for await (const { type } of (await subscribed) ?? []) {
        if (pane.session !== session || !pane.window.panes.includes(pane)) break;
        if (type === 'output') this.#active(server, pane.window);
        if (type === 'title') server.notices.emit({ name: 'pane-title-changed', pane });
      }
    } catch {
      // The session has gone.
    }
    if (this.#outputs.get(session) === subscribed) this.#outputs.delete(session);
    unfollow(subscribed);
  }

  /** A window has output, thousands of times a second: the timer of its silence is not renewed each time. */
  #active(server: TmuxServer, window: TmuxWindow): void {
    window.activityAtMs = server.nowMs();
    const silence = this.#silences.get(window);
    if (silence === undefined) this.#awaitSilence(server, window);
    else silence.sinceMs = window.activityAtMs;
    tell(server, window, 'activity');
  }

  #awaitSilence(server: TmuxServer, window: TmuxWindow, leftMs?: number): void {
    clearTimeout(this.#silences.get(window)?.timer);
    this.#silences.delete(window);
    const wholeMs = Math.min(window.options.number('monitor-silence') * 1_000, longestTimerMs);
    if (wholeMs === 0 || this.#disposed.aborted || server.ended.aborted) return;
    const over = () => {
      if (!server.windows.includes(window)) return;
      const passedMs = server.nowMs() - silence.sinceMs;
      if (passedMs >= wholeMs) tell(server, window, 'silence');
      this.#awaitSilence(server, window, passedMs >= wholeMs ? wholeMs : wholeMs - passedMs);
    };
    const timer = setTimeout(over, leftMs ?? wholeMs).unref();
    const silence = { sinceMs: server.nowMs(), timer };
    this.#silences.set(window, silence);
  }
}

function unfollow(output: Promise<Subscription | null>): void {
  ignored(
    output.then((each) => each?.dispose()),
    'a subscription that failed need not be ended',
  );
}

const isMonitored = ({ options }: TmuxWindow): boolean =>
  options.isOn('monitor-activity') || options.number('monitor-silence') !== 0;

const isWanted = ({ options }: TmuxWindow, kind: Alert): boolean =>
  kind === 'silence' ? options.number('monitor-silence') !== 0 : options.isOn(`monitor-${kind}`);

/** Marks a window in its sessions, unless somebody sees it there, and tells about it as their options say. */
function tell(server: TmuxServer, window: TmuxWindow, kind: Alert): void {
  if (!isWanted(window, kind)) return;
  for (const link of server.linksOf(window)) {
    const { session, alerts } = link;
    if (kind !== 'bell' && alerts.has(kind)) continue;
    const isCurrent = session.current === link;
    if (!isCurrent || !server.isAttached(session)) alerts.add(kind);
    const action = session.options.text(`${kind}-action`);
    if (action === 'any' || action === (isCurrent ? 'current' : 'other')) {
      server.notices.emit({ name: `alert-${kind}`, session, window });
    }
  }
}
