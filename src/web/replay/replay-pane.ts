import { signal } from '@preact/signals';
import type { Size } from '#model';
import type { RecordedEvent } from '#recording';
import { Playhead, PlayingTime, Replay } from '#replay';
import { onLook } from '../look/look.ts';
import { isPhone } from '../page/device.ts';
import { TerminalFont } from '../terminal/font.ts';
import { openLinks } from '../terminal/open-links.ts';
import { ScreenView } from '../terminal/screen-view.ts';
import { indexAt } from './moments.ts';
import type { RecordingSource } from './recording-source.ts';
import { ReplaySearch, rowMatcher } from './replay-search.ts';

/** Longer pauses are shortened to this when a recording is played, in ms. */
const idleLimitMs = 2_000;
/** The speeds at which a recording is played. */
export const speeds: readonly number[] = [0.5, 1, 2, 4, 8, 16];
/** While it plays, "the marker before" is not the one that was just passed, in ms. */
const passedMs = 1_000;
/** Times that differ by less are the same one: they are sums of fractions, in ms. */
const sameMs = 0.01;

const now = () => performance.now();

/** A recording in an element, at any of its times. */
export class ReplayPane {
  /** The time that is shown, in ms since the beginning, rounded up: what happened then is shown. */
  readonly atMs = signal(0);
  readonly isPlaying = signal(false);
  readonly speed = signal(1);
  readonly durationMs: number;
  readonly markers: Replay['markers'];
  readonly missing: string;
  /** When it began, in ms since 1970-01-01 UTC; undefined if the recording does not say. */
  readonly startedAtMs: number | undefined;
  readonly search: ReplaySearch;
  /** Whether long pauses are shortened. */
  readonly skipsPauses = signal(true);
  readonly #source: RecordingSource;
  /** The events that change what is shown. */
  readonly #steps: readonly RecordedEvent[];
  readonly #host: HTMLElement;
  readonly #terminal = document.createElement('div');
  readonly #font: TerminalFont;
  readonly #replay: Replay;
  #playhead: Playhead;
  readonly #view: ScreenView;
  readonly #resizing: ResizeObserver;
  readonly #offLook: () => void;
  #frame = 0;
  #size: Size | null = null;
  /** Makes key frames while nothing else happens. */
  #loading: Generator<void, void> | null;
  #idle = 0;

  constructor(host: HTMLElement, name: string, source: RecordingSource) {
    const { recording, missing } = source;
    this.#host = host;
    this.#source = source;
    this.missing = missing;
    this.startedAtMs = recording.header.startedAtMs;
    this.#replay = new Replay(recording);
    this.search = new ReplaySearch(this.#replay);
    this.#steps = recording.events.filter(({ type }) => type === 'output' || type === 'resize');
    this.durationMs = this.#replay.durationMs;
    this.markers = this.#replay.markers;
    this.#playhead = new Playhead(this.#playingTime(), this.durationMs, { isPlaying: false });
    this.#terminal.className = 'terminal';
    this.#terminal.dataset['terminal'] = name;
    this.#terminal.tabIndex = 0;
    host.append(this.#terminal);
    this.#font = new TerminalFont(this.#terminal, isPhone());
    this.#view = new ScreenView(this.#terminal, null, () => {});
    openLinks(this.#terminal);
    this.#resizing = new ResizeObserver(() => this.#fit());
    this.#resizing.observe(host);
    this.#offLook = onLook(() => {
      this.#view.repaint();
      this.#fit();
    });
    this.#loading = this.#replay.loading();
    this.#idle = setTimeout(() => this.#load()) as unknown as number;
    // The end is what happened last.
    this.seek(this.durationMs);
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#idle);
    this.#loading = null;
    this.search.dispose();
    this.#resizing.disconnect();
    this.#offLook();
    this.#host.replaceChildren();
  }

  seek(atMs: number): void {
    this.#playhead = this.#playhead.seek(Math.max(0, Math.min(atMs, this.durationMs)), now());
    this.#show();
  }

  toggle(): void {
    const isAtEnd = !this.isPlaying.value && this.#playhead.isAtEnd(now());
    if (isAtEnd) this.#playhead = this.#playhead.seek(0, now());
    this.#setPlaying(!this.isPlaying.value);
  }

  setSpeed(speed: number): void {
    this.#playhead = this.#playhead.withSpeed(speed, now());
    this.speed.value = speed;
  }

  /** The next speed, or the one before. */
  changeSpeed(by: 1 | -1): void {
    this.setSpeed(speeds[speeds.indexOf(this.speed.value) + by] ?? this.speed.value);
  }

  setSkipsPauses(skips: boolean): void {
    this.skipsPauses.value = skips;
    const atMs = this.#playhead.atMs(now());
    const { isPlaying, speed } = this.#playhead;
    const place = { isPlaying, speed, sinceMs: now() };
    this.#playhead = new Playhead(this.#playingTime(), this.durationMs, place).seek(atMs, now());
  }

  /** Pauses, and shows the next change of the screen, or the one before. */
  step(by: 1 | -1): void {
    this.#setPlaying(false);
    const atMs = this.#playhead.atMs(now());
    const next =
      by === 1
        ? this.#steps[indexAt(this.#steps, atMs + sameMs) + 1]
        : this.#steps[indexAt(this.#steps, atMs - sameMs)];
    this.seek(next?.atMs ?? (by === 1 ? this.durationMs : 0));
  }

  /** Shows the next marker, or the one before. */
  toMarker(by: 1 | -1): void {
    const atMs = this.#playhead.atMs(now());
    const beforeMs = this.isPlaying.value ? atMs - passedMs * this.speed.value : atMs;
    const next =
      by === 1
        ? this.markers.find((each) => each.atMs > atMs + sameMs)
        : this.markers.findLast((each) => each.atMs < beforeMs - sameMs);
    if (next !== undefined) this.seek(next.atMs);
  }

  /** Pauses at a time at which the searched text appears, and marks a row that has it. */
  toFound(atMs: number): void {
    this.#setPlaying(false);
    this.seek(atMs);
    const text = this.search.times.value?.text ?? '';
    const terminal = this.#replay.at(atMs);
    const matches = rowMatcher(text);
    const row = terminal.screenText().findLastIndex(matches);
    if (row !== -1 && !terminal.alternate) void this.#view.toLine(terminal.topLine + row);
  }

  #playingTime(): PlayingTime {
    const { events, header } = this.#source.recording;
    const limitMs = this.skipsPauses.value ? (header.idleLimitMs ?? idleLimitMs) : null;
    return new PlayingTime(events, limitMs);
  }

  #setPlaying(isPlaying: boolean): void {
    this.#playhead = this.#playhead.playing(isPlaying, now());
    this.isPlaying.value = isPlaying;
    cancelAnimationFrame(this.#frame);
    if (isPlaying) this.#frame = requestAnimationFrame(() => this.#play());
  }

  #play(): void {
    // The end may pass while a frame is drawn; then the last one is still to be shown.
    const isAtEnd = this.#playhead.isAtEnd(now());
    this.#show();
    if (isAtEnd) this.#setPlaying(false);
    else this.#frame = requestAnimationFrame(() => this.#play());
  }

  #show(): void {
    const atMs = this.#playhead.atMs(now());
    this.atMs.value = Math.ceil(atMs);
    const terminal = this.#replay.at(atMs);
    const { cols, rows } = terminal.size;
    if (cols !== this.#size?.cols || rows !== this.#size.rows) {
      this.#size = { cols, rows };
      this.#fit();
    }
    this.#view.show(terminal);
  }

  #load(): void {
    if (this.#loading?.next().done !== false) return;
    this.#idle = setTimeout(() => this.#load()) as unknown as number;
  }

  #fit(): void {
    if (this.#size === null) return;
    this.#font.fit(this.#size);
    this.#view.keepEnd();
  }
}
