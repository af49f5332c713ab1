import { type Disposable, ignored, ownTimers } from '#base';
import type { KeyPress } from '#model';
import type { PredictableScreen, PredictedInput, PredictedScreen } from '#predict';
import { settings } from '../look/settings.ts';
import { loadLater } from '../page/later.tsx';
import type { Typed, TypingListener } from './typed-input.ts';

export interface PredictedTypingOptions {
  /** Returns the screen of the session; null until there is one. */
  readonly screen: () => PredictableScreen | null;
  /** Returns what is typed and not answered yet. */
  readonly underWay: () => readonly Typed[];
  /** What is shown may have changed. */
  readonly changed: () => void;
}

/** A longer text, in characters, is inserted as a whole, and not typed. */
const longestTyped = 8;

/**
 * What a person types in a session, shown before the program has echoed it, as in `vtr attach`. The code for it is
 * loaded when the person first types.
 */
export class PredictedTyping implements TypingListener, Disposable {
  readonly #options: PredictedTypingOptions;
  #screen: PredictedScreen<PredictableScreen> | null = null;
  #isBegun = false;
  #isOver = false;
  /** The next keys that are written were typed before, or are lost. */
  #skipped = 0;

  constructor(options: PredictedTypingOptions) {
    this.#options = options;
  }

  typed(typed: Typed): void {
    if (this.#screen === null) this.#load();
    else this.#screen.typed(inputOf(typed));
  }

  written(typed: Typed): void {
    const input = inputOf(typed);
    if (this.#screen === null || input === 'other') return;
    const skipped = Math.min(this.#skipped, input.length);
    this.#skipped -= skipped;
    if (skipped < input.length) this.#screen.written(input.slice(skipped));
  }

  lost(): void {
    this.#screen?.reset();
    this.#skipped = this.#keysUnderWay;
  }

  /** The program shows something new: how long its echo took is known before the next frame of the browser. */
  changed(): void {
    if (!this.#screen?.isOpen) return;
    const screen = this.#options.screen();
    if (screen !== null) this.#screen.settle(screen);
  }

  show(screen: PredictableScreen): PredictableScreen {
    return this.#screen?.show(screen) ?? screen;
  }

  dispose(): void {
    this.#screen?.dispose();
    this.#screen = null;
    this.#isOver = true;
  }

  get #keysUnderWay(): number {
    const inputs = this.#options.underWay().map(inputOf);
    return inputs.reduce((keys, input) => keys + (input === 'other' ? 0 : input.length), 0);
  }

  #load(): void {
    const mode = settings.value.predict;
    if (this.#isBegun || mode === 'never') return;
    this.#isBegun = true;
    const { screen, changed } = this.#options;
    const loading = loadLater().then((script) => {
      if (this.#isOver) return;
      this.#skipped = this.#keysUnderWay;
      this.#screen = new script.PredictedScreen({ mode, timers: ownTimers, screen, changed });
    });
    ignored(loading, 'what is typed is shown when the program echoes it');
  }
}

/** Text from the keyboard of a phone, and composed text, is keys, too. */
function inputOf(typed: Typed): PredictedInput {
  if (typed.method === 'SendKey') return typed.body.keys;
  if (typed.method !== 'SendText' || typed.body.paste !== 'PASTE_MODE_NEVER') return 'other';
  const characters = [...(typed.body.text ?? '')];
  return characters.length > longestTyped ? 'other' : characters.map(keyOf);
}

const keyOf = (character: string): KeyPress => ({ key: character === ' ' ? 'space' : character });
