import { headerBytes } from '../frames/frame.ts';
import { leastGainBytes, type ServiceLimits } from './limits/service-limits.ts';

/** Notices a frame of which too little arrives. */
export class SlowInput {
  readonly #limits: ServiceLimits;
  readonly #onSlow: () => void;
  #timer: NodeJS.Timeout | null = null;
  /** Since the timer was set. */
  #gainedBytes = 0;
  #waitsForBody = false;

  constructor(limits: ServiceLimits, onSlow: () => void) {
    this.#limits = limits;
    this.#onSlow = onSlow;
  }

  /** A frame is complete. */
  completed(): void {
    this.end();
  }

  /** @param incomplete what is there of a frame that is not complete, in bytes; 0 if there is none */
  received(bytes: number, incomplete: number): void {
    this.#gainedBytes += bytes;
    if (incomplete === 0) return;
    const hasHead = incomplete >= headerBytes;
    if (this.#timer !== null && hasHead === this.#waitsForBody) return;
    this.#waitsForBody = hasHead;
    this.#await();
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #await(): void {
    this.end();
    this.#gainedBytes = 0;
    const { bodyMs, headMs } = this.#limits;
    // What has arrived while this process was suspended counts.
    const look = () => setImmediate(() => this.#timer !== null && this.#look());
    this.#timer = setTimeout(look, this.#waitsForBody ? bodyMs : headMs).unref();
  }

  #look(): void {
    if (this.#waitsForBody && this.#gainedBytes >= leastGainBytes) this.#await();
    else this.#onSlow();
  }
}
