import { maxFilePartsBytes } from '#messages/page';

/** The bytes that are under way at first, and at least, so that the slowest line carries something. */
const firstBytes = 32 * 1024;
const leastBytes = 8 * 1024;
/** Parts that may be under way: the line carries one while the answer to another comes. */
const partsAtOnce = 4;
const maxPartBytes = 192 * 1024;
/**
 * If an answer takes longer than the fastest one by this time, in ms, parts wait in front of the line, and what is typed
 * waits behind them.
 */
const mostWaitMs = 100;
/** An answer that takes longer than this, in ms, is late in any case: then what is under way at first is too much. */
const lateMs = 1_000;

/**
 * How much of a file may be under way: as much as the line carries in its own delay and {@link mostWaitMs}. It doubles with
 * each answer that comes soon, and is halved, once for all that is under way, when one comes late.
 */
export class SendingPace {
  #mostBytes = firstBytes;
  #underWay = 0;
  #fastestMs = Number.POSITIVE_INFINITY;
  /** What was sent before this time says nothing about the last change. */
  #changedMs = Number.NEGATIVE_INFINITY;

  /** The size of the next part, in bytes. */
  get partBytes(): number {
    return Math.min(maxPartBytes, this.#mostBytes / partsAtOnce);
  }

  /** How many bytes may be sent now. */
  get room(): number {
    return Math.max(0, this.#mostBytes - this.#underWay);
  }

  /**
   * Must be called with each part that is sent.
   *
   * @param nowMs of a clock that is not set
   * @returns what must be called when it is answered
   */
  send(bytes: number, nowMs: number): (answeredMs: number) => void {
    this.#underWay += bytes;
    return (answeredMs) => {
      this.#underWay -= bytes;
      const tookMs = answeredMs - nowMs;
      this.#fastestMs = Math.min(this.#fastestMs, tookMs);
      if (nowMs < this.#changedMs) return;
      this.#changedMs = answeredMs;
      const isLate = tookMs > lateMs || tookMs - this.#fastestMs > mostWaitMs;
      const most = isLate ? this.#mostBytes / 2 : this.#mostBytes * 2;
      this.#mostBytes = Math.min(maxFilePartsBytes, Math.max(leastBytes, most));
    };
  }
}
