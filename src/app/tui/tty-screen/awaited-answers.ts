import type { Clock } from '#base';
import { ProbeAnswers, type TtyDecoder, type TtyEvent, type TtyReply } from '#tty';
import type { TtyDevice } from './tty-device.ts';

/** A terminal that is asked something answers within this time, in ms, or does not. */
const answersMs = 5_000;
/** When the terminal is given back, answers are awaited for this time at most, in ms. */
const lateAnswersMs = 1_000;
/** A terminal that has reported something this short a time ago, in ms, may have sent more. */
const reportedMs = 1_000;

/** The kind of the last answer to what is asked at once. */
export type LastAnswer = 'attributes' | 'status';

/** The answers to what the terminal is asked, which must not be typed into the program that reads it next. */
export class AwaitedAnswers {
  readonly #clock: Pick<Clock, 'nowMs'>;
  /** The last answers that have not come, in their order. */
  #awaited: readonly LastAnswer[] = [];
  #askedAtMs = 0;
  /** Whether the terminal has answered anything that was asked at once. */
  hasAnswered = false;
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  /** Null before the terminal is probed, and once all answers have come. */
  #probed: ProbeAnswers | null = null;
  #isProbed = false;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  get isProbed(): boolean {
    return this.#isProbed;
  }

  /** The probe was sent. */
  probe(): void {
    this.#isProbed = true;
    this.#probed = new ProbeAnswers();
    this.ask('attributes');
  }

  /** Queries were sent, of which the last has this answer. */
  ask(last: LastAnswer): void {
    this.#awaited = [...this.#awaited, last];
    this.#askedAtMs = this.#clock.nowMs();
  }

  /** Adds the answers among events. Returns those to the probe with the last of them, else null. */
  add(events: readonly TtyEvent[]): readonly TtyReply[] | null {
    for (const event of events) this.#note(event);
    this.#probed?.add(events);
    if (!this.#probed?.isComplete) return null;
    const { replies } = this.#probed;
    this.#probed = null;
    return replies;
  }

  #note(event: TtyEvent): void {
    if (isReport(event)) this.#reportedAtMs = this.#clock.nowMs();
    if (event.type !== 'reply') return;
    const at = this.#awaited.indexOf(event.reply.of as LastAnswer);
    if (at < 0) return;
    // Terminals answer in order: one that is missing does not come any more.
    this.#awaited = this.#awaited.slice(at + 1);
    this.hasAnswered = true;
  }

  /**
   * Whether reports may be on their way, such as those of a mouse that moves: after one more query, all that comes
   * before its answer belongs to them.
   */
  get mayReport(): boolean {
    return this.hasAnswered && this.#clock.nowMs() - this.#reportedAtMs < reportedMs;
  }

  /**
   * For how long answers are awaited when the terminal is given back, in ms: 0 if none is missing, or the terminal gives
   * none.
   */
  get waitMs(): number {
    if (this.#awaited.length === 0) return 0;
    return this.#clock.nowMs() - this.#askedAtMs < answersMs ? lateAnswersMs : 0;
  }

  /**
   * Reads the answers that are missing before it returns. What comes after the last one is left to the next program.
   *
   * @param mostMs for how long they are awaited at most, in ms
   */
  readNow(
    device: Pick<TtyDevice, 'readNow'>,
    decoder: TtyDecoder,
    mostMs = Number.POSITIVE_INFINITY,
  ): LateEvents {
    const late = new LateEvents(this, decoder);
    device.readNow(Math.min(this.waitMs, mostMs), (byte) => late.take(byte));
    return late;
  }

  /** As {@link readNow}, without blocking this process. */
  async readSoon(device: Pick<TtyDevice, 'readSoon'>, decoder: TtyDecoder): Promise<LateEvents> {
    const late = new LateEvents(this, decoder);
    const { waitMs } = this;
    if (waitMs > 0) await device.readSoon(waitMs, (byte) => late.take(byte));
    // They are not awaited once more.
    this.#awaited = [];
    return late;
  }

  get areMissing(): boolean {
    return this.#awaited.length > 0;
  }
}

/** What was read with late answers. */
class LateEvents {
  readonly events: TtyEvent[] = [];
  /** The answers to the probe, if the last of them was read. */
  probed: readonly TtyReply[] | null = null;
  readonly #answers: AwaitedAnswers;
  readonly #decoder: TtyDecoder;

  constructor(answers: AwaitedAnswers, decoder: TtyDecoder) {
    this.#answers = answers;
    this.#decoder = decoder;
  }

  /** Returns whether more are missing. */
  take(byte: Uint8Array): boolean {
    const events = this.#decoder.feed(byte);
    this.probed = this.#answers.add(events) ?? this.probed;
    this.events.push(...events);
    return this.#answers.areMissing;
  }

  /** Whether a person typed, which cannot be put back. */
  get isTyped(): boolean {
    return this.events.some(isTyped);
  }
}

/** Whether it is something that a terminal sends by itself, as long as it is told to. */
const isReport = (event: TtyEvent): boolean =>
  event.type === 'mouse' ||
  event.type === 'focus' ||
  event.type === 'size' ||
  (event.type === 'key' && event.action !== 'press');

/** Whether a person typed it: it must not be lost without a sign. */
export const isTyped = (event: TtyEvent): boolean =>
  event.type === 'paste' ||
  event.type === 'bytes' ||
  (event.type === 'key' && event.action !== 'release');
