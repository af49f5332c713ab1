import { type Disposable, defined, toDisposable } from '#base';
import type { Attention, SessionInfo } from '#model';
import type { Session } from '#session';
import type { Registered, Registry } from '../registry.ts';
import {
  ActivityBatches,
  type ActivitySources,
  type Observed,
  SessionMonitor,
} from './session-monitor.ts';
import { SessionRows } from './session-rows.ts';

/** The shortest time between two infos of a session, in ms. */
const minInfoMs = 100;
/** The info is made again this long after an input, in ms: the input and its echo must not wait for that. */
const afterInputMs = 10;

export interface StatesOptions extends ActivitySources {
  readonly registry: Registry;
  infoOf(session: Registered): SessionInfo;
  /** Returns the attention that a session wants; null if none. */
  attentionOf(session: Registered, observed: Observed | null): Attention | null;
  /** When the silence begins for which a person watches, in ms since 1970; null if nobody watches for that. */
  silentAtMs(session: Session): number | null;
  /** Returns whether output changes what a session wants, for which a person watches: at once, not at the next look. */
  awaitsOutput(session: Session, attention: Attention | null): boolean;
  /** As `SessionInfo.bellAtMs`; null if it did not ring. */
  bellAtMs(session: Registered): number | null;
}

/** The states of all sessions while they are watched. */
export class SessionStates {
  readonly #options: StatesOptions;
  readonly #onChange: (id: string) => void;
  readonly #batches: ActivityBatches;
  readonly #registry: Disposable;
  readonly #states = new Map<string, SessionState>();
  /** Those who need them. */
  readonly holds = new Set<symbol>();
  /** Resolves when all sessions of the beginning have an info. */
  readonly ready: Promise<unknown>;

  constructor(options: StatesOptions, onChange: (id: string) => void) {
    this.#options = options;
    this.#onChange = onChange;
    this.#batches = new ActivityBatches(options);
    this.ready = Promise.all(options.registry.list().map((session) => this.#add(session)));
    this.#registry = options.registry.onChange(({ type, session }) => {
      if (type === 'added') void this.#add(session);
      else this.#remove(session.id);
    });
  }

  /** Oldest first. */
  infos(): SessionInfo[] {
    return this.#options.registry.list().flatMap(({ id }) => this.#states.get(id)?.info ?? []);
  }

  info(id: string): SessionInfo | null {
    return this.#states.get(id)?.info ?? null;
  }

  /** Makes the info of a session again, for a change that the session does not tell. */
  update(id: string): void {
    this.#states.get(id)?.update();
  }

  watchScreen(id: string, onChange: (rows: SessionRows) => void): Disposable {
    return this.#states.get(id)?.watchScreen(onChange) ?? toDisposable(() => {});
  }

  dispose(): void {
    this.#registry.dispose();
    this.#batches.dispose();
    for (const state of this.#states.values()) state.dispose();
    this.#states.clear();
  }

  /** Resolves when the session has an info. */
  async #add(session: Registered): Promise<void> {
    const before = this.#states.get(session.id);
    const state = before ?? new SessionState(this.#options, () => this.#onChange(session.id));
    this.#states.set(session.id, state);
    await state.begin(session, this.#batches);
  }

  #remove(id: string): void {
    this.#states.get(id)?.dispose();
    this.#states.delete(id);
    this.#onChange(id);
  }
}

/** A session while it is watched. It survives the session's restoration. */
class SessionState implements Disposable {
  readonly #options: StatesOptions;
  readonly #onChange: () => void;
  readonly #viewers = new Set<(rows: SessionRows) => void>();
  #session: Registered | null = null;
  #monitor: SessionMonitor | null = null;
  #listening: readonly Disposable[] = [];
  #rows: SessionRows | null = null;
  #observed: Observed | null = null;
  #inputs = 0;
  #attention: Attention | null = null;
  #pause: Disposable | null = null;
  /** Whether it changed in the pause. */
  #isDue = false;
  /** The update after an input. */
  #afterInput: Disposable | null = null;
  /** Wakes when the silence begins for which a person watches. */
  #silence: Disposable | null = null;
  /** The info without its revisions, as JSON. */
  #lastKey = '';
  /** The same object as long as nothing but its revision changes; null at first. */
  info: SessionInfo | null = null;

  constructor(options: StatesOptions, onChange: () => void) {
    this.#options = options;
    this.#onChange = onChange;
  }

  /** Resolves when the info is known. */
  async begin(session: Registered, batches: ActivityBatches): Promise<void> {
    this.#stop();
    this.#session = session;
    if ('live' in session) {
      this.update();
      // Someone sees it.
      if (this.#viewers.size > 0) session.live().catch(this.#options.onFault);
      return;
    }
    const { view } = session;
    this.#inputs = view.inputCount;
    this.#monitor = new SessionMonitor(session, this.#options.clock, batches, (observed) => {
      this.#observed = observed;
      this.update();
    });
    // Sets the gate.
    this.#options.infoOf(session);
    this.#listening = [
      ...(session.gate === null ? [] : [session.gate.onChange(() => this.update())]),
      view.onEvent(({ type }) => {
        if (type !== 'output' || this.#options.awaitsOutput(session, this.#attention))
          this.update();
        if (type === 'output' || type === 'resize') this.#showScreen();
      }),
      session.onChange((change) => {
        if (change === 'facts') this.update();
        if (view.inputCount !== this.#inputs) this.#onInput(view.inputCount);
      }),
    ];
    this.#showScreen();
    await this.#monitor.query();
  }

  /** Makes the info again, at most ten times a second. */
  update(): void {
    if (this.#session === null || this.#pause !== null) {
      this.#isDue = true;
      return;
    }
    this.#isDue = false;
    this.#awaitSilence(this.#session);
    if (!this.#renew(this.#session)) return;
    this.#pause = this.#options.clock.schedule(minInfoMs, () => {
      this.#pause = null;
      if (this.#isDue) this.update();
    });
    this.#onChange();
  }

  watchScreen(onChange: (rows: SessionRows) => void): Disposable {
    this.#viewers.add(onChange);
    const session = this.#session;
    if (session !== null && 'live' in session) session.live().catch(this.#options.onFault);
    else if (session !== null) this.#show(onChange, session);
    return toDisposable(() => {
      this.#viewers.delete(onChange);
      if (this.#viewers.size === 0) this.#rows = null;
    });
  }

  dispose(): void {
    this.#stop();
    this.#pause?.dispose();
    this.#viewers.clear();
    this.#session = null;
  }

  #stop(): void {
    this.#afterInput?.dispose();
    this.#afterInput = null;
    this.#silence?.dispose();
    this.#silence = null;
    this.#monitor?.dispose();
    this.#monitor = null;
    for (const each of this.#listening) each.dispose();
    this.#listening = [];
    this.#rows = null;
    this.#observed = null;
  }

  #onInput(inputs: number): void {
    this.#inputs = inputs;
    this.#monitor?.onInput();
    this.#afterInput ??= this.#options.clock.schedule(afterInputMs, () => {
      this.#afterInput = null;
      this.update();
    });
  }

  /** Output moves the beginning of the silence: the timer is set again only when it is over. */
  #awaitSilence(session: Registered): void {
    if (this.#silence !== null || 'live' in session || session.exitStatus !== null) return;
    const { clock, silentAtMs } = this.#options;
    const atMs = silentAtMs(session);
    if (atMs === null || atMs <= clock.wallMs()) return;
    this.#silence = clock.schedule(atMs - clock.wallMs(), () => {
      this.#silence = null;
      this.update();
    });
  }

  #showScreen(): void {
    if (this.#session === null || 'live' in this.#session) return;
    for (const viewer of this.#viewers) this.#show(viewer, this.#session);
  }

  #show(viewer: (rows: SessionRows) => void, { view }: Session): void {
    this.#rows ??= new SessionRows(view);
    viewer(this.#rows);
  }

  /** Returns whether the info changed. */
  #renew(session: Registered): boolean {
    const activity = this.#observed?.activity ?? null;
    if (!('live' in session)) {
      // Its activity is not known yet.
      if (this.#observed === null && this.info === null) return false;
    }
    if ('live' in session || this.#observed !== null) this.#attention = this.#attentionOf(session);
    const info = {
      ...this.#options.infoOf(session),
      ...defined({
        activity,
        attention: this.#attention,
        bellAtMs: this.#options.bellAtMs(session),
      }),
    };
    const state = comparable(info);
    if (state === this.#lastKey) return false;
    this.#lastKey = state;
    this.info = info;
    return true;
  }

  /** Its beginning stays while its reason does: a prompt that is painted again is the same. */
  #attentionOf(session: Registered): Attention | null {
    const before = this.#attention;
    const now = this.#options.attentionOf(session, this.#observed);
    const isSame = before !== null && now?.kind === before.kind && now.evidence === before.evidence;
    const inputAtMs = 'live' in session ? 0 : (session.view.lastInputAtMs ?? 0);
    if (!isSame || inputAtMs > before.sinceMs) return now;
    // Another choice may be selected.
    const isAsBefore = now.menu === undefined && now.guess === before.guess;
    return isAsBefore ? before : { ...now, sinceMs: before.sinceMs };
  }
}

/**
 * Returns what is compared to tell a change. Each input moves the end of a drive. While an agent works, the sign in its
 * title turns, and the seconds in its evidence go on: watchers would be told ten times a second.
 */
function comparable({ activity, driver, agent, title, ...info }: SessionInfo): string {
  const same = {
    revision: 0,
    activity: activity && { ...activity, revision: 0 },
    driver: driver && { ...driver, untilMs: 0 },
    agent: agent && { ...agent, evidence: [] },
    title: agent === undefined ? title : title.replace(/^[^\p{L}\p{N}]+/u, ''),
  };
  return JSON.stringify({ ...info, ...same });
}
