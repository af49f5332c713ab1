import { signal } from '@preact/signals';
import { matchesInTime, type Replay } from '#replay';

/** What a search has found. */
export interface FoundTimes {
  readonly text: string;
  /** When a row with the text appears, in ms since the beginning, ascending. */
  readonly times: readonly number[];
  /** Whether the whole recording was searched, or the most that are listed were found. */
  readonly isDone: boolean;
}

/** How long the search goes on before the page does something else, in ms. */
const sliceMs = 8;
const maxFound = 1_000;

/** Lower case finds both; a capital letter finds only itself, as in vim and ripgrep (`--smart-case`). */
export function rowMatcher(text: string): (row: string) => boolean {
  const isExact = text !== text.toLowerCase();
  return isExact ? (row) => row.includes(text) : (row) => row.toLowerCase().includes(text);
}

interface Slices {
  readonly nowMs: () => number;
  /** Calls a function in a later turn. @returns what cancels it */
  readonly later: (act: () => void) => () => void;
}

const browserSlices: Slices = {
  nowMs: () => performance.now(),
  later: (act) => {
    const timer = setTimeout(act);
    return () => clearTimeout(timer);
  },
};

/** Finds when a text appears in a recording, in slices between which the page does other work. */
export class ReplaySearch {
  /** Null while nothing is searched. */
  readonly times = signal<FoundTimes | null>(null);
  readonly #replay: Replay;
  readonly #slices: Slices;
  #cancel = () => {};

  constructor(replay: Replay, slices = browserSlices) {
    this.#replay = replay;
    this.#slices = slices;
  }

  /** @param text empty for none */
  start(text: string): void {
    this.dispose();
    this.times.value = text === '' ? null : { text, times: [], isDone: false };
    if (text === '') return;
    const steps = matchesInTime(this.#replay, rowMatcher(text));
    this.#cancel = this.#slices.later(() => this.#run(text, steps, []));
  }

  dispose(): void {
    this.#cancel();
  }

  #run(text: string, steps: ReturnType<typeof matchesInTime>, before: readonly number[]): void {
    const times = [...before];
    const untilMs = this.#slices.nowMs() + sliceMs;
    let isDone = false;
    do {
      const step = steps.next();
      if (step.done !== true && step.value.isFound) times.push(step.value.atMs);
      isDone = step.done === true || times.length >= maxFound;
    } while (!isDone && this.#slices.nowMs() < untilMs);
    this.times.value = { text, times: times.length === before.length ? before : times, isDone };
    if (!isDone) this.#cancel = this.#slices.later(() => this.#run(text, steps, times));
  }
}
