import type { Disposable, Timers } from '#base';
import type { KeyPress } from '#model';
import { type PredictableScreen, type PredictMode, Predictor } from './predictor.ts';

export interface PredictedScreenParts<Screen> {
  /** `auto` shows what a person types before its echo where that takes more than 20 ms. */
  readonly mode: PredictMode | 'never';
  readonly timers: Timers;
  /** Returns what the program shows; null if that is not known yet. */
  readonly screen: () => Screen | null;
  /** Called when what is shown may have changed. */
  readonly changed: () => void;
}

/** What goes to the program: keys, or anything else. */
export type PredictedInput = readonly KeyPress[] | 'other';

/** The screen of a session with what the person has typed and the program has not echoed yet. */
export class PredictedScreen<Screen extends PredictableScreen> {
  readonly #parts: PredictedScreenParts<Screen>;
  readonly #predictor: Predictor | null;
  #timer: Disposable | null = null;

  constructor(parts: PredictedScreenParts<Screen>) {
    this.#parts = parts;
    this.#predictor = parts.mode === 'never' ? null : new Predictor(parts.mode);
  }

  /** Whether something was typed of which the echo is not known yet. */
  get isOpen(): boolean {
    return this.#predictor?.isOpen ?? false;
  }

  /** The program shows something new. */
  settle(screen: Screen): void {
    this.#predictor?.settle(screen, this.#nowMs);
  }

  /** Returns the screen that the person sees: the given one, if nothing is added to it. */
  show(screen: Screen): Screen {
    const predictor = this.#predictor;
    if (predictor === null) return screen;
    predictor.settle(screen, this.#nowMs);
    this.#plan(predictor);
    return predictor.show(screen);
  }

  /** Input goes to the program. */
  typed(input: PredictedInput): void {
    const predictor = this.#predictor;
    if (predictor === null) return;
    const screen = input === 'other' ? null : this.#parts.screen();
    if (input === 'other' || screen === null) {
      predictor.other();
      return;
    }
    let isShown = false;
    for (const key of input) isShown = predictor.key(key, screen, this.#nowMs) || isShown;
    if (isShown) this.#parts.changed();
  }

  /** Input was written to the program. */
  written(input: PredictedInput): void {
    if (this.#predictor === null || input === 'other') return;
    const { isOpen } = this.#predictor;
    this.#predictor.written(input.length, this.#nowMs);
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
    return this.#parts.timers.nowMs();
  }

  /** A guess that does not come true is taken back although nothing changes. */
  #plan({ dueMs }: Predictor): void {
    this.dispose();
    if (dueMs === null) return;
    const leftMs = Math.max(0, dueMs - this.#nowMs);
    this.#timer = this.#parts.timers.schedule(leftMs, () => this.#parts.changed());
  }
}
