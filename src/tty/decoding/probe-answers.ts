import type { TtyEvent, TtyReply } from './tty-event.ts';

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
