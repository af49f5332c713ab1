import type { Clock, Disposable } from '#base';
import { type Replay, searchInTime } from '#replay';
import { problemText } from '../problem-text.ts';

/** Finds the matches in a text. */
export type Matcher = (text: string) => readonly { readonly start: number; readonly end: number }[];

/** How long the search goes on before keys are read, in ms. */
const sliceMs = 8;

interface Told {
  /** When the text appears. */
  readonly atMs?: number;
  readonly notice?: string;
}

/** Searches when a text appears, beside the playing. */
export class RunningSearch implements Disposable {
  readonly #clock: Clock;
  readonly #replay: Replay;
  readonly #compile: (source: string) => Promise<Matcher>;
  readonly #tell: (told: Told) => void;
  #source = '';
  #matcher: Matcher | null = null;
  #running: Disposable | null = null;

  constructor(
    clock: Clock,
    replay: Replay,
    compile: (source: string) => Promise<Matcher>,
    tell: (told: Told) => void,
  ) {
    this.#clock = clock;
    this.#replay = replay;
    this.#compile = compile;
    this.#tell = tell;
  }

  /** Null before the first search. */
  get matcher(): Matcher | null {
    return this.#matcher;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  start(source: string, afterMs: number): void {
    this.cancel();
    this.#source = source;
    this.#matcher = null;
    this.#compile(source).then(
      (matcher) => {
        this.#matcher = matcher;
        this.again(afterMs);
      },
      (error: unknown) => this.#tell({ notice: problemText(error) }),
    );
  }

  /** Returns false if nothing has been searched. */
  again(afterMs: number): boolean {
    const matcher = this.#matcher;
    if (matcher === null) return false;
    this.#run(searchInTime(this.#replay, (row) => matcher(row).length > 0, afterMs));
    return true;
  }

  cancel(): void {
    this.#running?.dispose();
    this.#running = null;
  }

  dispose(): void {
    this.cancel();
  }

  #run(search: Generator<number, number | null>): void {
    this.#running = this.#clock.afterPendingIo(() => {
      this.#running = null;
      const untilMs = this.#clock.nowMs() + sliceMs;
      let result = search.next();
      while (result.done !== true && this.#clock.nowMs() < untilMs) result = search.next();
      if (result.done !== true) {
        this.#tell({ notice: `searching /${this.#source} …` });
        this.#run(search);
      } else if (result.value === null) {
        this.#tell({ notice: `/${this.#source} does not appear after this` });
      } else this.#tell({ atMs: result.value });
    });
  }
}
