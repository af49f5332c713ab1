import type { Clock, Disposable } from '#base';
import { keyText } from '#keys';
import { Playhead, type PlayingTime, type Replay } from '#replay';
import type { Picture, TtyEvent } from '#tty';
import type { ScreenCells, Terminal } from '#vt';
import { edited, emptyLine, type LineText } from '../line-editor.ts';
import type { Tty } from '../tty-screen/tty.ts';
import { type PlayerCommand, playerCommand } from './player-keys.ts';
import { pictureOf } from './player-picture.ts';
import { type Matcher, RunningSearch } from './running-search.ts';

/** How often the time in the status line is renewed, in ms. */
const tickMs = 250;
/** At most 60 pictures a second. */
const minTickMs = 16;
/** How long a notice, or the status line over a row of the recording, is shown, in ms. */
const noticeMs = 3_000;
/** So that a marker before can be reached while the recording plays, in ms. */
const marginMs = 1_000;
const jumpMs = 5_000;
const slowest = 1 / 16;
const fastest = 64;

export interface PlayerOptions {
  readonly replay: Replay;
  readonly time: PlayingTime;
  /** What is played, for the status line. */
  readonly name: string;
  readonly fromMs: number;
  readonly speed: number;
  /** Whether the player stays at the end. */
  readonly hold: boolean;
  /** Compiles a pattern in RE2 syntax. @throws VtrError INVALID_PATTERN */
  readonly compile: (source: string) => Promise<Matcher>;
}

/** A recording in a person's terminal, until it ends or the person leaves. */
export class Player {
  readonly #tty: Tty;
  readonly #clock: Clock;
  readonly #options: PlayerOptions;
  readonly #replay: Replay;
  readonly #playhead: Playhead;
  readonly #search: RunningSearch;
  readonly #markersMs: readonly number[];
  #cells: { readonly of: Terminal; readonly read: ScreenCells } | null = null;
  #prompt: LineText | null = null;
  #isHelp = false;
  #notice: string | null = null;
  #noticeTimer: Disposable | null = null;
  /** Whether a key was pressed a short time ago. */
  #isTouched = false;
  #timer: Disposable | null = null;
  /** Whether the next picture is the last one. */
  #isLast = false;
  #loading: Disposable | null = null;
  #end: () => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(tty: Tty, clock: Clock, options: PlayerOptions) {
    const { replay, time, speed, fromMs } = options;
    this.#tty = tty;
    this.#clock = clock;
    this.#options = options;
    this.#replay = replay;
    this.#playhead = new Playhead(clock, time, replay.durationMs, speed, fromMs);
    this.#markersMs = replay.markers.map(({ atMs }) => time.playedMs(atMs));
    this.#search = new RunningSearch(clock, replay, options.compile, (told) =>
      this.#onSearch(told),
    );
  }

  async run(): Promise<void> {
    const tty = this.#tty;
    const listening = [
      tty.onEvents((events) => this.#onEvents(events)),
      tty.onResize(() => this.#show()),
    ];
    tty.setModes(null, 'none');
    try {
      await new Promise<void>((resolve, reject) => {
        this.#end = resolve;
        this.#fail = reject;
        this.#load(this.#replay.loading());
        this.#tick();
      });
    } finally {
      for (const each of [...listening, this.#search, this.#timer, this.#loading]) each?.dispose();
      this.#noticeTimer?.dispose();
    }
  }

  /** Makes the key frames beside the playing, a few ms at a time. */
  #load(loading: Iterator<void>): void {
    this.#loading = this.#clock.afterPendingIo(() => {
      if (loading.next().done !== true) this.#load(loading);
    });
  }

  #tick(): void {
    this.#timer?.dispose();
    this.#timer = null;
    this.#isLast = false;
    const playhead = this.#playhead;
    if (playhead.isPlaying && playhead.isAtEnd) {
      // The next keys must not go to the shell.
      const isUsed = this.#prompt !== null || this.#isHelp || this.#search.isRunning;
      if (!this.#options.hold && !isUsed) {
        this.#isLast = true;
        this.#show();
        return;
      }
      playhead.setPlaying(false);
    }
    this.#show();
    if (!playhead.isPlaying) return;
    const changeMs = playhead.delayMs(this.#replay.nextMs(playhead.atMs));
    const delayMs = Math.max(minTickMs, Math.min(tickMs, changeMs));
    this.#timer = this.#clock.schedule(delayMs, () => this.#tick());
  }

  #show(): void {
    this.#tty.show(() => {
      if (this.#isLast) this.#timer ??= this.#clock.schedule(minTickMs, () => this.#end());
      return this.#draw();
    });
  }

  #draw(): Picture {
    const playhead = this.#playhead;
    const { atMs } = playhead;
    const terminal = this.#replay.at(atMs);
    const before = this.#cells?.of === terminal ? this.#cells.read : null;
    const read = terminal.screenCells(before);
    this.#cells = { of: terminal, read };
    const state = playhead.isPlaying ? 'playing' : playhead.isAtEnd ? 'ended' : 'paused';
    return pictureOf({
      ...{ window: this.#tty.size, terminal, cells: read.rows, name: this.#options.name, state },
      ...{ playedMs: playhead.playedMs, totalMs: playhead.totalMs, speed: playhead.speed },
      markersMs: this.#markersMs,
      marker: this.#replay.markers.findLast((marker) => marker.atMs <= atMs)?.label ?? '',
      ...{ notice: this.#notice, prompt: this.#prompt, isHelp: this.#isHelp },
      isStatusWanted: !playhead.isPlaying || this.#isTouched || this.#prompt !== null,
      matcher: this.#search.matcher,
    });
  }

  #onEvents(events: readonly TtyEvent[]): void {
    try {
      for (const event of events) this.#onEvent(event);
    } catch (error) {
      this.#fail(error);
    }
  }

  #onEvent(event: TtyEvent): void {
    if (this.#prompt !== null) {
      this.#onTyping(event, this.#prompt);
      return;
    }
    if (event.type !== 'key' || event.action === 'release') return;
    this.#touch(null);
    const key = keyText(event.press);
    this.#search.cancel();
    if (this.#isHelp) this.#isHelp = false;
    else {
      const command = playerCommand(key);
      if (command !== null) this.#perform(command, key);
      else if (key !== 'escape') this.#touch(`${key}: no such key · ? shows the keys`);
    }
    this.#tick();
  }

  #onTyping(event: TtyEvent, line: LineText): void {
    const key = event.type === 'key' && event.action !== 'release' ? keyText(event.press) : '';
    this.#prompt = edited(line, event) ?? line;
    if (key === 'escape' || key === 'ctrl+c') this.#prompt = null;
    if (key === 'enter') {
      this.#prompt = null;
      if (line.text !== '') this.#search.start(line.text, this.#playhead.atMs);
    }
    this.#show();
  }

  #perform(command: PlayerCommand, key: string): void {
    const playhead = this.#playhead;
    switch (command) {
      case 'pause':
        if (playhead.isAtEnd) playhead.seekPlayed(0);
        playhead.setPlaying(!playhead.isPlaying);
        break;
      case 'step':
        this.#step();
        break;
      case 'back':
        playhead.seekPlayed(playhead.playedMs - jumpMs);
        break;
      case 'forward':
        playhead.seekPlayed(playhead.playedMs + jumpMs);
        break;
      case 'previousMarker':
        this.#seekMarker(-1);
        break;
      case 'nextMarker':
        this.#seekMarker(1);
        break;
      case 'tenth':
        playhead.seekPlayed((playhead.totalMs * Number(key)) / 10);
        break;
      case 'begin':
        playhead.seekPlayed(0);
        break;
      case 'end':
        playhead.setPlaying(false);
        playhead.seekPlayed(playhead.totalMs);
        break;
      case 'slower':
        playhead.setSpeed(Math.max(slowest, playhead.speed / 2));
        break;
      case 'faster':
        playhead.setSpeed(Math.min(fastest, playhead.speed * 2));
        break;
      case 'search':
        this.#prompt = emptyLine;
        break;
      case 'again':
        if (!this.#search.again(playhead.atMs)) this.#touch('nothing was searched; / searches');
        break;
      case 'help':
        this.#isHelp = true;
        break;
      case 'repaint':
        this.#tty.repaint();
        break;
      case 'suspend':
        playhead.setPlaying(false);
        this.#tty.suspend();
        break;
      case 'quit':
        this.#end();
        break;
    }
  }

  #step(): void {
    const { atMs: fromMs } = this.#playhead;
    this.#playhead.setPlaying(false);
    for (const { atMs } of this.#replay.steps({ fromMs })) {
      if (atMs <= fromMs) continue;
      this.#playhead.seek(atMs);
      return;
    }
    this.#playhead.seek(this.#replay.durationMs);
  }

  #seekMarker(direction: 1 | -1): void {
    const { atMs, isPlaying } = this.#playhead;
    const beforeMs = isPlaying ? atMs - marginMs * this.#playhead.speed : atMs;
    const { markers } = this.#replay;
    const found =
      direction === 1
        ? markers.find((marker) => marker.atMs > atMs)
        : markers.findLast((marker) => marker.atMs < beforeMs);
    if (found !== undefined) this.#playhead.seek(found.atMs);
    else this.#touch(`no marker ${direction === 1 ? 'after' : 'before'} this`);
  }

  #onSearch(told: { readonly atMs?: number; readonly notice?: string }): void {
    if (told.atMs !== undefined) {
      this.#playhead.setPlaying(false);
      this.#playhead.seek(told.atMs);
    }
    this.#touch(told.notice ?? null);
    this.#tick();
  }

  /** Shows the status line for a while, or a notice in its place. */
  #touch(notice: string | null): void {
    this.#notice = notice;
    this.#isTouched = true;
    this.#noticeTimer?.dispose();
    this.#noticeTimer = this.#clock.schedule(noticeMs, () => {
      this.#notice = null;
      this.#isTouched = false;
      this.#show();
    });
  }
}
