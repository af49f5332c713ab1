import type { Clock, Disposable } from '#base';
import type { Terminal } from '#vt';

/** What a frame may take until it is shown as far as it is drawn; as ghostty has it. */
const maxFrameMs = 1_000;

/** Sees to it that nobody waits for the end of a frame for long (mode 2026). */
export class FrameLimit implements Disposable {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #onLimit: () => void;
  #timer: Disposable | null = null;

  constructor(terminal: Terminal, clock: Clock, onLimit: () => void) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#onLimit = onLimit;
  }

  /** To be called whenever a frame may have begun or ended. */
  check(): void {
    if (!this.#terminal.frameOpen) this.dispose();
    else this.#timer ??= this.#clock.schedule(maxFrameMs, this.#onLimit);
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = null;
  }
}
