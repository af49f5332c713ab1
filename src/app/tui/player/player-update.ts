import type { Clock, Disposable } from '#base';
import { keyText } from '#keys';
import type { KeyPress, Size } from '#model';
import { type Playhead, type Replay, searchInTime } from '#replay';
import type { TtyEvent } from '#tty';
import { problemText } from '../coordinator-link.ts';
import type { Command, Keys } from '../keys.ts';
import { edited, emptyLine, type LineText } from '../line-editor.ts';
import type * as runtime from '../runtime.ts';

/** How often the time in the status line is renewed, in ms. */
const tickMs = 250;
/** At most 60 pictures a second. */
const minTickMs = 16;
/** How long a notice, or the status line over a row of the recording, is shown, in ms. */
const noticeMs = 3_000;
/** "The marker before" skips one that was passed less than this long ago while it plays, in ms. */
const marginMs = 1_000;
const jumpMs = 5_000;
const slowest = 1 / 16;
const fastest = 64;

export type PlayerMessage = runtime.TtyMessage | SearchMessage;

export type PlayerEffect =
  | { readonly type: 'search'; readonly source: string; readonly afterMs: number }
  | {
      readonly type: 'searchOn';
      readonly matcher: Matcher;
      readonly source: string;
      readonly afterMs: number;
    }
  | { readonly type: 'cancelSearch' }
  | { readonly type: 'leave' }
  | runtime.TtyEffect;

/** All that a person sees of a recording. Times in ms of the player's clock. */
export interface PlayerState {
  readonly window: Size;
  readonly keys: Keys;
  readonly nowMs: number;
  readonly playhead: Playhead;
  readonly replay: Pick<Replay, 'markers' | 'durationMs' | 'nextMs' | 'steps'>;
  /** Whether the player stays at the end. */
  readonly hold: boolean;
  /** Whether the next picture is the last one. */
  readonly isLast: boolean;
  readonly prompt: LineText | null;
  readonly isHelp: boolean;
  readonly notice: string | null;
  /** Until when the status line is shown because a key was pressed, and the notice; null if it is not. */
  readonly touchedUntilMs: number | null;
  /** What was searched last; empty if nothing was. */
  readonly source: string;
  /** Null until the pattern of `source` is compiled. */
  readonly matcher: Matcher | null;
  readonly isSearching: boolean;
}

type Step = runtime.Step<PlayerState, PlayerEffect>;

const step = (state: PlayerState, ...effects: readonly PlayerEffect[]): Step => ({
  state,
  effects,
});

/** Returns the state of the player after a message, and what is to be done. Pure. */
export function update(before: PlayerState, message: PlayerMessage, nowMs: number): Step {
  const isOver = before.touchedUntilMs !== null && before.touchedUntilMs <= nowMs;
  const current: PlayerState = {
    ...before,
    nowMs,
    ...(isOver ? { touchedUntilMs: null, notice: null } : {}),
  };
  const { state, effects } = changed(current, message);
  return { state: atEnd(state), effects };
}

/** When the picture changes by itself; null if it does not. */
export function wakeAtMs(state: PlayerState): number | null {
  const { playhead, replay, nowMs, isLast, touchedUntilMs } = state;
  if (!playhead.isPlaying || isLast) return touchedUntilMs;
  const changeMs = playhead.delayMs(replay.nextMs(playhead.atMs(nowMs)), nowMs);
  const playedMs = nowMs + Math.max(minTickMs, Math.min(tickMs, changeMs));
  return touchedUntilMs === null ? playedMs : Math.min(touchedUntilMs, playedMs);
}

/** Leaves the player at the end of the recording, unless it must stay or the person uses it. */
function atEnd(state: PlayerState): PlayerState {
  const { playhead, nowMs, prompt, isHelp, isSearching, hold } = state;
  if (!playhead.isPlaying || !playhead.isAtEnd(nowMs)) return { ...state, isLast: false };
  // The next keys must not go to the shell.
  const isUsed = prompt !== null || isHelp || isSearching;
  if (!hold && !isUsed) return { ...state, isLast: true };
  return { ...state, isLast: false, playhead: playhead.playing(false, nowMs) };
}

function changed(state: PlayerState, message: PlayerMessage): Step {
  switch (message.type) {
    case 'event':
      return withEvent(state, message.event);
    case 'window':
      return step({ ...state, window: message.size });
    case 'time':
      return step(state);
    case 'compiled':
      return step({ ...state, matcher: message.matcher, isSearching: true });
    case 'searched': {
      const { atMs, notice = null, isRunning: isSearching } = message;
      const { playhead, nowMs } = state;
      const next = atMs === undefined ? playhead : playhead.playing(false, nowMs).seek(atMs, nowMs);
      return step(touched({ ...state, isSearching, playhead: next }, notice));
    }
  }
}

/** Shows the status line for a while, or a notice in its place. */
const touched = (state: PlayerState, notice: string | null): PlayerState => ({
  ...state,
  notice,
  touchedUntilMs: state.nowMs + noticeMs,
});

function withEvent(state: PlayerState, event: TtyEvent): Step {
  if (state.prompt !== null) return typed(state, event, state.prompt);
  if (event.type !== 'key' || event.action === 'release') return step(state);
  const next = { ...touched(state, null), isSearching: false };
  const { state: after, effects } = next.isHelp
    ? step({ ...next, isHelp: false })
    : pressed(next, event.press);
  return { state: after, effects: [{ type: 'cancelSearch' }, ...effects] };
}

function typed(state: PlayerState, event: TtyEvent, line: LineText): Step {
  const isKey = event.type === 'key' && event.action !== 'release';
  const command = isKey ? state.keys.command('line', event.press) : null;
  if (command === 'cancel') return step({ ...state, prompt: null });
  if (command !== 'accept') return step({ ...state, prompt: edited(line, event) ?? line });
  const { text: source } = line;
  const closed = { ...state, prompt: null };
  if (source === '') return step(closed);
  const afterMs = state.playhead.atMs(state.nowMs);
  return step({ ...closed, source, matcher: null }, { type: 'search', source, afterMs });
}

function pressed(state: PlayerState, press: KeyPress): Step {
  const key = keyText(press);
  const command = state.keys.command('play', press);
  if (command !== null) return commands[command](state, key);
  if (key === 'escape') return step(state);
  const hint = state.keys.hint('play', 'help', 'shows the keys');
  return step(touched(state, `${key}: no such key${hint === '' ? '' : ` · ${hint}`}`));
}

type Run = (state: PlayerState, key: string) => Step;

/** A command that only moves the playhead. */
const moving =
  (move: (playhead: Playhead, nowMs: number) => Playhead): Run =>
  (state) =>
    step({ ...state, playhead: move(state.playhead, state.nowMs) });

const jumping = (ms: number): Run =>
  moving((playhead, nowMs) => playhead.seekPlayed(playhead.playedMs(nowMs) + ms, nowMs));

const commands: Readonly<Record<Command<'play'>, Run>> = {
  pause: moving((playhead, nowMs) => {
    const from = playhead.isAtEnd(nowMs) ? playhead.seekPlayed(0, nowMs) : playhead;
    return from.playing(!playhead.isPlaying, nowMs);
  }),
  step: (state) => {
    const { playhead, nowMs, replay } = state;
    const fromMs = playhead.atMs(nowMs);
    const paused = playhead.playing(false, nowMs);
    for (const { atMs } of replay.steps({ fromMs })) {
      if (atMs > fromMs) return step({ ...state, playhead: paused.seek(atMs, nowMs) });
    }
    return step({ ...state, playhead: paused.seek(replay.durationMs, nowMs) });
  },
  back: jumping(-jumpMs),
  forward: jumping(jumpMs),
  previousMarker: (state) => toMarker(state, -1),
  nextMarker: (state) => toMarker(state, 1),
  tenth: (state, key) => {
    const { playhead, nowMs, keys } = state;
    const keysOfTenths = keys.of('play', 'tenth');
    const part = Math.max(0, keysOfTenths.indexOf(key)) / keysOfTenths.length;
    return step({ ...state, playhead: playhead.seekPlayed(playhead.totalMs * part, nowMs) });
  },
  begin: moving((playhead, nowMs) => playhead.seekPlayed(0, nowMs)),
  end: moving((playhead, nowMs) =>
    playhead.playing(false, nowMs).seekPlayed(playhead.totalMs, nowMs),
  ),
  slower: moving((playhead, nowMs) =>
    playhead.withSpeed(Math.max(slowest, playhead.speed / 2), nowMs),
  ),
  faster: moving((playhead, nowMs) =>
    playhead.withSpeed(Math.min(fastest, playhead.speed * 2), nowMs),
  ),
  search: (state) => step({ ...state, prompt: emptyLine }),
  again: (state) => {
    const { matcher, source, playhead, nowMs } = state;
    if (matcher === null) {
      const hint = state.keys.hint('play', 'search', 'begins one');
      return step(touched(state, `no earlier search${hint === '' ? '' : `: ${hint}`}`));
    }
    const afterMs = playhead.atMs(nowMs);
    return step({ ...state, isSearching: true }, { type: 'searchOn', matcher, source, afterMs });
  },
  help: (state) => step({ ...state, isHelp: true }),
  repaint: (state) => step(state, { type: 'repaint' }),
  suspend: (state) =>
    step({ ...state, playhead: state.playhead.playing(false, state.nowMs) }, { type: 'suspend' }),
  quit: (state) => step(state, { type: 'leave' }),
};

function toMarker(state: PlayerState, direction: 1 | -1): Step {
  const { playhead, nowMs, replay } = state;
  const atMs = playhead.atMs(nowMs);
  const beforeMs = playhead.isPlaying ? atMs - marginMs * playhead.speed : atMs;
  const nextMarker =
    direction === 1
      ? replay.markers.find((marker) => marker.atMs > atMs)
      : replay.markers.findLast((marker) => marker.atMs < beforeMs);
  return step(
    nextMarker === undefined
      ? touched(state, `no marker ${direction === 1 ? 'after' : 'before'} this`)
      : { ...state, playhead: playhead.seek(nextMarker.atMs, nowMs) },
  );
}

/** Finds the matches in a text. */
export type Matcher = (text: string) => readonly { readonly start: number; readonly end: number }[];

/** What the search tells. */
export type SearchMessage =
  | { readonly type: 'compiled'; readonly matcher: Matcher }
  | {
      readonly type: 'searched';
      /** When the text appears, in ms of the recording. */
      readonly atMs?: number;
      readonly notice?: string;
      /** Whether it goes on. */
      readonly isRunning: boolean;
    };

/** How long the search goes on before keys are read, in ms. */
const sliceMs = 8;

interface Parts {
  readonly clock: Clock;
  readonly replay: Replay;
  /** Compiles a pattern in RE2 syntax. @throws VtrError INVALID_PATTERN */
  readonly compile: (source: string) => Promise<Matcher>;
  readonly tell: (message: SearchMessage) => void;
}

/** Searches when a text appears, beside the playing. */
export class RunningSearch implements Disposable {
  readonly #parts: Parts;
  #running: Disposable | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(source: string, afterMs: number): void {
    this.dispose();
    const { compile, tell } = this.#parts;
    compile(source).then(
      (matcher) => {
        tell({ type: 'compiled', matcher });
        this.again(matcher, source, afterMs);
      },
      (error: unknown) => tell({ type: 'searched', notice: problemText(error), isRunning: false }),
    );
  }

  again(matcher: Matcher, source: string, afterMs: number): void {
    const { replay } = this.#parts;
    this.#run(
      source,
      searchInTime(replay, (row) => matcher(row).length > 0, afterMs),
    );
  }

  dispose(): void {
    this.#running?.dispose();
    this.#running = null;
  }

  #run(source: string, search: Generator<number, number | null>): void {
    const { clock, tell } = this.#parts;
    this.#running = clock.afterPendingIo(() => {
      const untilMs = clock.nowMs() + sliceMs;
      let result = search.next();
      while (result.done !== true && clock.nowMs() < untilMs) result = search.next();
      if (result.done !== true) {
        tell({ type: 'searched', notice: `searching /${source} …`, isRunning: true });
        this.#run(source, search);
      } else if (result.value === null) {
        const notice = `/${source} does not appear after this`;
        tell({ type: 'searched', notice, isRunning: false });
      } else tell({ type: 'searched', atMs: result.value, isRunning: false });
    });
  }
}
