import type { TtyEvent, TtyReply } from './tty-event.ts';

/**
 * Queries for what a terminal can do, in one write: XTVERSION, the modes 2026, 2027, 2031, 2048 and
 * 1016, the kitty keyboard flags, the colours, and the size of a cell. DA1 is the last: every
 * terminal answers it, and in order, so that what was not answered before it is not supported.
 */
export const probe = (): string => queries.join('');

const csi = '\x1b[';
const osc = '\x1b]';
const st = '\x1b\\';

const queries: readonly string[] = [
  `${csi}>q`,
  ...[2026, 2027, 2031, 2048, 1016].map((mode) => `${csi}?${mode}$p`),
  `${csi}?u`,
  `${osc}10;?${st}`,
  `${osc}11;?${st}`,
  `${csi}16t`,
  `${csi}c`,
];

/** For how long the answers to the probe are collected, in ms. */
export const probeMs = 500;

/** Collects the answers to the probe, until the last one. */
export class ProbeAnswers {
  readonly #replies: TtyReply[] = [];
  #complete = false;

  /** Adds the answers among events. Those after the last one are ignored. */
  add(events: readonly TtyEvent[]): void {
    for (const event of events) {
      if (event.type !== 'reply' || this.#complete) continue;
      this.#replies.push(event.reply);
      this.#complete = event.reply.of === 'attributes';
    }
  }

  /** Whether the last answer has come. */
  get isComplete(): boolean {
    return this.#complete;
  }

  /** The answers so far, in the order in which they came. */
  get replies(): readonly TtyReply[] {
    return this.#replies;
  }
}
