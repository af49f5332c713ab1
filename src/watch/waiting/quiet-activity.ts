import type { Clock, Disposable } from '#base';
import type { OwnActivity, SessionEvent } from '#model';
import type { Pattern } from '../searching/pattern.ts';
import type { Watched } from '../watched.ts';
import type { ActivityQueries } from './shared-activity.ts';

const onlyClocks: Masks = { ignore: [], countClocks: false };

/** The silence between two later queries, in ms. */
const laterMs = 1_000;

/**
 * Queries a session's activity each time the screen has not changed for a while. A change of the
 * screen or an input begins the silence again.
 */
export class QuietActivity implements Disposable {
  readonly #watched: Watched;
  readonly #clock: Clock;
  readonly #queries: ActivityQueries | null;
  readonly #stepsMs: readonly number[];
  readonly #isNeeded: () => boolean;
  readonly #onActivity: (activity: OwnActivity | null, quietMs: number) => void;
  readonly #silence: Silence;
  #inputs: number;
  #request: Disposable | null = null;
  #isFirst = true;

  /**
   * @param queries null if the activity is not known
   * @param stepsMs the silence before the first queries, ascending; at least one
   * @param isNeeded whether the activity is of interest; if not, it is not queried before the screen
   * changes
   * @param onActivity called with the activity, null if it is unknown, and with the silence in ms
   * @param masks what does not end the silence; default: clocks
   */
  constructor(
    watched: Watched,
    clock: Clock,
    queries: ActivityQueries | null,
    stepsMs: readonly number[],
    isNeeded: () => boolean,
    onActivity: (activity: OwnActivity | null, quietMs: number) => void,
    masks: Masks = onlyClocks,
  ) {
    this.#watched = watched;
    this.#clock = clock;
    this.#queries = queries;
    this.#stepsMs = stepsMs;
    this.#isNeeded = isNeeded;
    this.#onActivity = onActivity;
    this.#inputs = watched.inputCount;
    this.#silence = new Silence(watched, masks, clock, () => this.#onQuiet());
    this.#silence.until(stepsMs[0] ?? laterMs);
  }

  /** For how long nothing has changed, in ms. */
  get quietMs(): number {
    return this.#clock.nowMs() - this.#silence.sinceMs;
  }

  onEvent(event: SessionEvent): void {
    if (!this.#silence.onEvent(event)) return;
    // The silence that now begins is one after the input.
    this.#inputs = this.#watched.inputCount;
    if (!this.#isFirst) this.#restart();
  }

  dispose(): void {
    this.#silence.dispose();
    this.#request?.dispose();
  }

  #restart(): void {
    this.#isFirst = true;
    this.#request?.dispose();
    this.#request = null;
    this.#silence.until(this.#stepsMs[0] ?? laterMs);
  }

  #onQuiet(): void {
    if (this.#hasNewInput()) return;
    this.#isFirst = false;
    if (!this.#isNeeded()) return;
    if (this.#queries === null) this.#answer(null);
    else this.#request = this.#queries.request((activity) => this.#answer(activity));
  }

  /** The program may not have read the input yet: the silence begins again. */
  #hasNewInput(): boolean {
    if (this.#watched.inputCount === this.#inputs) return false;
    this.#inputs = this.#watched.inputCount;
    this.#silence.restart();
    this.#restart();
    return true;
  }

  #answer(activity: OwnActivity | null): void {
    this.#request = null;
    if (this.#hasNewInput()) return;
    const { quietMs } = this;
    this.#silence.until(this.#stepsMs.find((each) => each > quietMs) ?? quietMs + laterMs);
    this.#onActivity(activity, quietMs);
  }
}

/** A row that is repainted this many times, while nothing else changes, is a clock or a spinner. */
const repaints = 3;
/** If the last {@link repaints} took less than this, in ms, more than two a second, it is a spinner. */
const spinnerMs = 1_000;

/** A change of the screen; `masked` changes do not end the silence. */
type Change = 'none' | 'real' | 'masked';

export interface Masks {
  /** Changes of rows that match are ignored. */
  readonly ignore: readonly Pattern[];
  /** Whether clocks count as changes. */
  readonly countClocks: boolean;
  /** Whether the changes of spinners are ignored, too. Default: false. */
  readonly maskSpinners?: boolean;
}

/**
 * Separates changes of a screen that count from changes that are ignored: rows that match a
 * pattern, and clocks. A clock is the only row that changes, and is repainted rather than extended, at
 * most twice a second. Repainted more often, it is a spinner: the program works.
 */
class ScreenChanges {
  readonly #watched: Watched;
  readonly #masks: Masks;
  readonly #clock: Clock;
  #fingerprint: number;
  #topLine: number;
  #rows: Int32Array;
  #texts: readonly string[];
  /** The row that alone is repainted, and when it was, the last times, in ms of the clock. */
  #repainted: { readonly row: number; readonly atMs: readonly number[] } = { row: -1, atMs: [] };
  readonly #masked = new Set<number>();

  constructor(watched: Watched, masks: Masks, clock: Clock) {
    this.#watched = watched;
    this.#masks = masks;
    this.#clock = clock;
    this.#fingerprint = watched.fingerprint();
    this.#topLine = watched.terminal.topLine;
    this.#rows = watched.rowFingerprints();
    this.#texts = watched.screenRows();
  }

  /** The rows whose changes were ignored, as they look now. */
  get masked(): readonly string[] {
    const rows = this.#watched.screenRows();
    return [...this.#masked].sort((a, b) => a - b).map((row) => rows[row] ?? '');
  }

  /** Returns the change since the last call. */
  next(): Change {
    const fingerprint = this.#watched.fingerprint();
    if (fingerprint === this.#fingerprint) return 'none';
    this.#fingerprint = fingerprint;
    const before = this.#take();
    const rows = this.#counted(before);
    if (this.#topLine !== before.topLine || this.#texts.length !== before.texts.length) {
      return this.#real();
    }
    if (rows.length === 0) return before.changed.length > 0 ? 'masked' : this.#onCursor();
    if (rows.length > 1 || this.#masks.countClocks) return this.#real();
    return this.#onRow(rows[0] as number, before.texts);
  }

  #take() {
    const rows = this.#rows;
    const texts = this.#texts;
    const topLine = this.#topLine;
    this.#rows = this.#watched.rowFingerprints();
    this.#texts = this.#watched.screenRows();
    this.#topLine = this.#watched.terminal.topLine;
    const changed = [...this.#rows.keys()].filter((row) => this.#rows[row] !== rows[row]);
    return { texts, topLine, changed };
  }

  /** Returns the rows that changed, without ignored ones. */
  #counted({ changed, texts }: { changed: readonly number[]; texts: readonly string[] }): number[] {
    return changed.filter((row) => {
      const isIgnored = this.#isIgnored(this.#texts[row]) || this.#isIgnored(texts[row]);
      if (isIgnored) this.#masked.add(row);
      return !isIgnored;
    });
  }

  #isIgnored(text = ''): boolean {
    return this.#masks.ignore.some(
      (pattern) => pattern.findTouching(text, 0, text.length) !== null,
    );
  }

  /** A move of the cursor is a change, unless it belongs to a row that is repainted. */
  #onCursor(): Change {
    return this.#repainted.atMs.length > 0 ? 'masked' : 'real';
  }

  #onRow(row: number, before: readonly string[]): Change {
    const old = before[row] ?? '';
    const now = this.#texts[row] ?? '';
    if (old !== '' && now.length > old.length && now.startsWith(old)) return this.#real();
    const nowMs = this.#clock.nowMs();
    const earlier = this.#repainted.row === row ? this.#repainted.atMs : [];
    const atMs = [...earlier, nowMs].slice(-repaints);
    this.#repainted = { row, atMs };
    if (atMs.length < repaints) return 'real';
    if (nowMs - (atMs[0] ?? nowMs) < spinnerMs && this.#masks.maskSpinners !== true) {
      this.#masked.delete(row);
      return 'real';
    }
    this.#masked.add(row);
    return 'masked';
  }

  #real(): Change {
    this.#repainted = { row: -1, atMs: [] };
    this.#masked.clear();
    return 'real';
  }
}

/**
 * If a timer is later than this, in ms, this process was suspended, and maybe the program too. The
 * silence is then counted from now on.
 */
const stallMs = 500;

/**
 * Measures for how long the screen has not changed. Repainting the same content and masked rows are
 * not changes. Scrolling is a change, even if the screen looks the same afterwards.
 */
export class Silence implements Disposable {
  readonly #changes: ScreenChanges;
  readonly #clock: Clock;
  readonly #onQuiet: () => void;
  #timer: Disposable | null = null;
  #isDisposed = false;
  #changedMs: number;
  #quietMs = 0;

  /** @param onQuiet called each time the silence that {@link until} requests is reached */
  constructor(watched: Watched, masks: Masks, clock: Clock, onQuiet: () => void) {
    this.#changes = new ScreenChanges(watched, masks, clock);
    this.#clock = clock;
    this.#onQuiet = onQuiet;
    this.#changedMs = clock.nowMs();
  }

  /** When the silence began, in ms of the clock. */
  get sinceMs(): number {
    return this.#changedMs;
  }

  /** The rows whose changes were ignored, as they look now. */
  get masked(): readonly string[] {
    return this.#changes.masked;
  }

  /** Calls `onQuiet` once nothing has changed for `quietMs`; replaces an earlier request. */
  until(quietMs: number): void {
    this.#timer?.dispose();
    this.#quietMs = quietMs;
    this.#schedule(this.#leftMs);
  }

  /** Begins the silence again. */
  restart(): void {
    this.#changedMs = this.#clock.nowMs();
  }

  /** Returns whether the event ended the silence. */
  onEvent({ type }: SessionEvent): boolean {
    if (type !== 'output' && type !== 'resize') return false;
    const change = this.#changes.next();
    // A resize is a change even of an empty screen.
    if (change !== 'real' && type !== 'resize') return false;
    this.restart();
    return true;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
  }

  get #leftMs(): number {
    return this.#changedMs + this.#quietMs - this.#clock.nowMs();
  }

  /** One timer, restarted when it fires: to restart it on every change would cost more. */
  #schedule(delayMs: number): void {
    if (this.#isDisposed) return;
    const dueMs = this.#clock.nowMs() + delayMs;
    this.#timer = this.#clock.schedule(delayMs, () => {
      if (this.#clock.nowMs() > dueMs + stallMs) this.restart();
      // Timers fire before I/O: after a suspension, the output that arrived meanwhile has not been
      // read.
      this.#timer = this.#clock.afterPendingIo(() => this.#onTimer());
    });
  }

  #onTimer(): void {
    const leftMs = this.#leftMs;
    if (leftMs <= 0) this.#onQuiet();
    else this.#schedule(leftMs);
  }
}
