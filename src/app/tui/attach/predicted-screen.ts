import type { Clock, Disposable } from '#base';
import { Predictor } from '#predict';
import type { SessionScreen } from '../view/session-screen.ts';
import type { Input } from './input-queue.ts';

export interface PredictedScreenParts {
  /** `auto` shows what a person types before its echo where that takes more than 20 ms. */
  readonly mode: 'auto' | 'always' | 'never';
  readonly clock: Clock;
  /** Returns what the program shows. */
  readonly screen: () => SessionScreen;
  /** Called when what is shown may have changed. */
  readonly changed: () => void;
}

/** The screen of a session with what the person has typed and the program has not echoed yet. */
export class PredictedScreen {
  readonly #parts: PredictedScreenParts;
  readonly #predictor: Predictor | null;
  #timer: Disposable | null = null;

  constructor(parts: PredictedScreenParts) {
    this.#parts = parts;
    this.#predictor = parts.mode === 'never' ? null : new Predictor(parts.mode);
  }

  screen(): SessionScreen {
    const screen = this.#parts.screen();
    const predictor = this.#predictor;
    if (predictor === null) return screen;
    predictor.settle(screen, this.#nowMs);
    this.#plan(predictor);
    return predictor.show(screen);
  }

  /** Input goes to the program. */
  typed(input: Input): void {
    const predictor = this.#predictor;
    if (predictor === null || input.type === 'focus') return;
    if (input.type !== 'keys') {
      predictor.other();
      return;
    }
    const screen = this.#parts.screen();
    let isShown = false;
    for (const key of input.keys) isShown = predictor.key(key, screen, this.#nowMs) || isShown;
    if (isShown) this.#parts.changed();
  }

  /** Input was written to the program. */
  written(input: Input): void {
    if (this.#predictor === null || input.type !== 'keys') return;
    const isOpen = this.#predictor.isOpen;
    this.#predictor.written(input.keys.length, this.#nowMs);
    // The echo may have come before.
    if (isOpen) this.#parts.changed();
  }

  /** Input was lost, or may be. */
  reset(): void {
    this.#predictor?.reset();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = null;
  }

  get #nowMs(): number {
    return this.#parts.clock.nowMs();
  }

  /** A guess that does not come true is taken back although nothing changes. */
  #plan({ dueMs }: Predictor): void {
    this.dispose();
    if (dueMs === null) return;
    const leftMs = Math.max(0, dueMs - this.#nowMs);
    this.#timer = this.#parts.clock.schedule(leftMs, () => this.#parts.changed());
  }
}
