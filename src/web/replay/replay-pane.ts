import { signal } from '@preact/signals';
import type { Size } from '#model';
import { Playhead, PlayingTime, Replay } from '#replay';
import { isPhone, onTheme } from '../page/device.ts';
import { cellBox, fontFor, roomIn, smallestOfPhone } from '../terminal/font.ts';
import { openLinks } from '../terminal/open-links.ts';
import { ScreenView } from '../terminal/screen-view.ts';
import type { RecordingSource } from './recording-source.ts';

/** Longer pauses are shortened to this when a recording is played, in ms. */
const idleLimitMs = 2_000;
const ownFont = 14;

const now = () => performance.now();

/** A recording in an element, at any of its times. */
export class ReplayPane {
  readonly atMs = signal(0);
  readonly isPlaying = signal(false);
  readonly speed = signal(1);
  readonly durationMs: number;
  readonly markers: Replay['markers'];
  readonly missing: string;
  readonly #host: HTMLElement;
  readonly #terminal = document.createElement('div');
  readonly #replay: Replay;
  #playhead: Playhead;
  readonly #view: ScreenView;
  readonly #resizing: ResizeObserver;
  readonly #offTheme: () => void;
  #frame = 0;
  #size: Size | null = null;
  /** Makes key frames while nothing else happens. */
  #loading: Generator<void, void> | null;
  #idle = 0;

  constructor(host: HTMLElement, name: string, { recording, missing }: RecordingSource) {
    this.#host = host;
    this.missing = missing;
    this.#replay = new Replay(recording);
    this.durationMs = this.#replay.durationMs;
    this.markers = this.#replay.markers;
    const time = new PlayingTime(recording.events, recording.header.idleLimitMs ?? idleLimitMs);
    this.#playhead = new Playhead(time, this.durationMs, { isPlaying: false });
    this.#terminal.className = 'terminal';
    this.#terminal.dataset['terminal'] = name;
    this.#terminal.tabIndex = 0;
    host.append(this.#terminal);
    this.#view = new ScreenView(this.#terminal, null, () => {});
    openLinks(this.#terminal);
    this.#resizing = new ResizeObserver(() => this.#fit());
    this.#resizing.observe(host);
    this.#offTheme = onTheme(() => this.#view.repaint());
    this.#loading = this.#replay.loading();
    this.#idle = setTimeout(() => this.#load()) as unknown as number;
    // The end is what happened last.
    this.seek(this.durationMs);
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#idle);
    this.#loading = null;
    this.#resizing.disconnect();
    this.#offTheme();
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
    this.atMs.value = Math.round(atMs);
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
    this.#measure(ownFont);
    if (this.#size === null) return;
    const cell = cellBox(this.#terminal);
    const { width, height } = roomIn(this.#terminal);
    const box = isPhone() ? { width } : { width, height };
    const least = isPhone() ? smallestOfPhone : undefined;
    this.#measure(fontFor(this.#size, box, cell, ownFont, least));
    this.#view.keepEnd();
  }

  #measure(font: number): void {
    const { style } = this.#terminal;
    style.setProperty('--font-size', `${font}px`);
    const cell = cellBox(this.#terminal);
    style.setProperty('--cell-width', `${cell.width}px`);
    style.setProperty('--row-height', `${cell.height}px`);
  }
}
