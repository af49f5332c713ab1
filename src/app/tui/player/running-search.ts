import type { Clock, Disposable } from '#base';
import { type Replay, searchInTime } from '#replay';
import { problemText } from '../problem-text.ts';

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
