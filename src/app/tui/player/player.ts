import type { Clock, Disposable } from '#base';
import { Playhead, type PlayingTime, type Replay } from '#replay';
import type { Picture } from '#tty';
import type { ScreenCells, Terminal } from '#vt';
import type { Keys } from '../keys.ts';
import { Runtime, type TtyEffect } from '../runtime.ts';
import type { Tty } from '../tty-screen/tty.ts';
import { pictureOf } from './player-picture.ts';
import {
  type Matcher,
  type PlayerEffect,
  type PlayerMessage,
  type PlayerState,
  RunningSearch,
  update,
  wakeAtMs,
} from './player-update.ts';

/** The last picture is shown for this time, in ms. */
const lastMs = 16;

export interface PlayerOptions {
  readonly replay: Replay;
  readonly time: PlayingTime;
  /** What is played, for the status line. */
  readonly name: string;
  readonly fromMs: number;
  readonly speed: number;
  /** Whether the player stays at the end. */
  readonly hold: boolean;
  readonly keys: Keys;
  /** Compiles a pattern in RE2 syntax. @throws VtrError INVALID_PATTERN */
  readonly compile: (source: string) => Promise<Matcher>;
}

/** A recording in a person's terminal, until it ends or the person leaves. */
export class Player {
  readonly #clock: Clock;
  readonly #options: PlayerOptions;
  readonly #markersMs: readonly number[];
  readonly #search: RunningSearch;
  readonly #runtime: Runtime<PlayerState, PlayerMessage, PlayerEffect, void>;
  #cells: { readonly of: Terminal; readonly read: ScreenCells } | null = null;
  #ending: Disposable | null = null;
  #loading: Disposable | null = null;

  constructor(tty: Tty, clock: Clock, options: PlayerOptions) {
    const { replay, time, speed, fromMs, hold, compile, keys } = options;
    this.#clock = clock;
    this.#options = options;
    this.#markersMs = replay.markers.map(({ atMs }) => time.playedMs(atMs));
    const sinceMs = clock.nowMs();
    const place = { speed, playedMs: time.playedMs(fromMs), sinceMs };
    this.#runtime = new Runtime<PlayerState, PlayerMessage, PlayerEffect, void>({
      tty,
      clock,
      nowMs: () => clock.nowMs(),
      first: {
        window: tty.size,
        keys,
        nowMs: sinceMs,
        playhead: new Playhead(time, replay.durationMs, place),
        replay,
        hold,
        isLast: false,
        prompt: null,
        isHelp: false,
        notice: null,
        touchedUntilMs: null,
        source: '',
        matcher: null,
        isSearching: false,
      },
      program: {
        update,
        wakeAtMs,
        view: (state) => ({ picture: this.#draw(state), modes: null, mouse: 'none' }),
        perform: (effect) => this.#perform(effect),
      },
    });
    this.#search = new RunningSearch({
      clock,
      replay,
      compile,
      tell: (message) => this.#runtime.tell(message),
    });
  }

  async run(): Promise<void> {
    const ended = this.#runtime.run();
    this.#load(this.#options.replay.loading());
    this.#runtime.tell({ type: 'time' });
    try {
      await ended;
    } finally {
      for (const each of [this.#search, this.#ending, this.#loading]) each?.dispose();
    }
  }

  /** Makes the key frames beside the playing, a few ms at a time. */
  #load(loading: Iterator<void>): void {
    this.#loading = this.#clock.afterPendingIo(() => {
      if (loading.next().done !== true) this.#load(loading);
    });
  }

  #draw(state: PlayerState): Picture {
    const { name, replay } = this.#options;
    const { playhead, isLast } = state;
    // The time of the picture, which may be sent later than the state changed.
    const nowMs = this.#clock.nowMs();
    if (isLast) this.#endSoon();
    const atMs = playhead.atMs(nowMs);
    const terminal = replay.at(atMs);
    const read = terminal.screenCells(this.#cells?.of === terminal ? this.#cells.read : null);
    this.#cells = { of: terminal, read };
    const played = playhead.isPlaying ? 'playing' : playhead.isAtEnd(nowMs) ? 'ended' : 'paused';
    return pictureOf({
      ...state,
      terminal,
      cells: read.rows,
      name,
      state: played,
      playedMs: playhead.playedMs(nowMs),
      totalMs: playhead.totalMs,
      speed: playhead.speed,
      markersMs: this.#markersMs,
      marker: replay.markers.findLast((marker) => marker.atMs <= atMs)?.label ?? '',
      isStatusWanted: !playhead.isPlaying || state.touchedUntilMs !== null || state.prompt !== null,
    });
  }

  /** The last picture is seen before the terminal is as it was, unless a key was pressed since. */
  #endSoon(): void {
    this.#ending ??= this.#clock.schedule(lastMs, () => {
      this.#ending = null;
      if (this.#runtime.state.isLast) this.#runtime.end();
    });
  }

  #perform(effect: Exclude<PlayerEffect, TtyEffect>): void {
    switch (effect.type) {
      case 'search':
        this.#search.start(effect.source, effect.afterMs);
        break;
      case 'searchOn':
        this.#search.again(effect.matcher, effect.source, effect.afterMs);
        break;
      case 'cancelSearch':
        this.#search.dispose();
        break;
      case 'leave':
        this.#runtime.end();
        break;
    }
  }
}
