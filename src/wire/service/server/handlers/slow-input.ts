import type { FrameReader } from '../../frames/frame.ts';
import { leastGainBytes, type ServiceLimits } from '../limits/request-budget.ts';

/** Notices a frame of which too little arrives. */
export class SlowInput {
  readonly #limits: ServiceLimits;
  readonly #onSlow: () => void;
  #timer: NodeJS.Timeout | null = null;
  /** Since the timer was set. */
  #gainedBytes = 0;
  #part: FrameReader['receiving'] = null;

  constructor(limits: ServiceLimits, onSlow: () => void) {
    this.#limits = limits;
    this.#onSlow = onSlow;
  }

  /** A frame is complete. */
  completed(): void {
    this.end();
  }

  /** @param part of the frame that is not complete */
  received(bytes: number, part: FrameReader['receiving']): void {
    this.#gainedBytes += bytes;
    if (part === null) this.end();
    else if (this.#timer === null || part !== this.#part) {
      this.#part = part;
      this.#await();
    }
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
    this.#timer = setTimeout(look, this.#part === 'payload' ? bodyMs : headMs).unref();
  }

  #look(): void {
    if (this.#part === 'payload' && this.#gainedBytes >= leastGainBytes) this.#await();
    else this.#onSlow();
  }
}
