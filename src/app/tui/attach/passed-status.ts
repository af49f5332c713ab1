import { type Disposable, encodeUtf8, type Timers } from '#base';
import type { ToldStatus } from '#model';

/** A report waits this long after the one before, in ms: what a program says is not trusted. */
const pauseMs = 250;

/**
 * Tells the person's terminal what the program in the session says that it does (Program Status Protocol, OSC 7501): what
 * it has said last, at most four times a second, and nothing when the person leaves. Its tasks are not told.
 */
export class PassedStatus {
  readonly #tell: (sequence: string) => void;
  readonly #timers: Timers;
  #last: string;
  #newest: string;
  #pause: Disposable | null = null;

  constructor(tell: (sequence: string) => void, timers: Timers) {
    this.#tell = tell;
    this.#timers = timers;
    this.#last = sequenceOf(null);
    this.#newest = this.#last;
  }

  update(status: ToldStatus | null): void {
    this.#newest = sequenceOf(status);
    if (this.#pause === null) this.#report();
  }

  /** The terminal knows nothing of the program from now on. */
  dispose(): void {
    this.#pause?.dispose();
    this.#pause = null;
    this.#newest = sequenceOf(null);
    if (this.#last !== this.#newest) this.#tell(this.#newest);
    this.#last = this.#newest;
  }

  #report(): void {
    if (this.#last === this.#newest) return;
    this.#last = this.#newest;
    this.#tell(this.#last);
    this.#pause = this.#timers.schedule(pauseMs, () => {
      this.#pause = null;
      this.#report();
    });
  }
}

function sequenceOf(status: ToldStatus | null): string {
  if (status === null) return '\x1b]7501;state=clear\x1b\\';
  const { state, kind, app, progress, message, title } = status;
  const texts = Object.entries({ msg: message, title }).map(
    ([key, text]) => [key, text && Buffer.from(encodeUtf8(text)).toString('base64')] as const,
  );
  const pairs = [...Object.entries({ state, kind, app, progress }), ...texts]
    .filter(([, value]) => value !== null && value !== '')
    .map(([key, value]) => `${key}=${value}`);
  return `\x1b]7501;${pairs.join(':')}\x1b\\`;
}
