import type { Disposable, Timers } from '#base';
import { type Channel, Refused } from './channel.ts';
import type { Notice } from './notices.ts';

/** The pauses before the next attempts to deliver a notification, in ms. */
const pausesMs = [2_000, 10_000, 60_000, 300_000];
/** The most notifications that wait for another attempt. */
const maxWaiting = 100;

export interface DeliveryListener {
  /** Returns whether the reason of a notice still exists: else it is not tried again. */
  isCurrent(notice: Notice): boolean;
  /** One that waited is not tried again, because its reason is gone. */
  dropped(): void;
  /** All channels have delivered it. */
  delivered(notice: Notice, atMs: number): void;
  /**
   * It was not delivered as it should be.
   *
   * @param isOver whether it was given up
   */
  failed(channel: Channel, message: string, isOver: boolean): void;
}

interface Delivery {
  readonly notice: Notice;
  readonly atMs: number;
  /** The channels that have not delivered it. */
  readonly left: Set<Channel>;
  attempts: number;
  /** Whether an attempt has failed. */
  hasFailed: boolean;
  /** Whether a channel has given it up. */
  isLost: boolean;
  timer: Disposable | null;
}

const isWaiting = ({ hasFailed, left }: Delivery): boolean => hasFailed && left.size > 0;

/** Delivers notices by channels, with a bounded number of attempts, while their reasons exist. */
export class Deliveries implements Disposable {
  readonly #timers: Timers;
  readonly #listener: DeliveryListener;
  /** Oldest first. */
  readonly #underWay = new Set<Delivery>();
  #isOver = false;

  constructor(timers: Timers, listener: DeliveryListener) {
    this.#timers = timers;
    this.#listener = listener;
  }

  /** How many were not delivered at the first attempt, and are tried again. */
  get waiting(): number {
    return [...this.#underWay].filter(isWaiting).length;
  }

  /** @param atMs when it is told, in ms since 1970 */
  async add(notice: Notice, channels: readonly Channel[], atMs: number): Promise<void> {
    const left = new Set(channels);
    const delivery = {
      notice,
      atMs,
      left,
      attempts: 0,
      hasFailed: false,
      isLost: false,
      timer: null,
    };
    this.#underWay.add(delivery);
    const oldest = [...this.#underWay].find(isWaiting);
    if (this.waiting >= maxWaiting && oldest !== undefined) this.#giveUp(oldest);
    await this.#attempt(delivery);
  }

  /** What was not delivered stays so. */
  dispose(): void {
    this.#isOver = true;
    for (const { timer } of this.#underWay) timer?.dispose();
    this.#underWay.clear();
  }

  async #attempt(delivery: Delivery): Promise<void> {
    delivery.attempts++;
    await Promise.all([...delivery.left].map((channel) => this.#tell(delivery, channel)));
    if (this.#isOver) return;
    if (delivery.left.size > 0) return this.#wait(delivery);
    this.#underWay.delete(delivery);
    if (!delivery.isLost) this.#listener.delivered(delivery.notice, delivery.atMs);
  }

  async #tell(delivery: Delivery, channel: Channel): Promise<void> {
    try {
      const problem = await channel.tell(delivery.notice, delivery.atMs);
      delivery.left.delete(channel);
      if (problem !== null && !this.#isOver) this.#listener.failed(channel, problem, false);
    } catch (error) {
      const isLast = delivery.attempts > pausesMs.length || error instanceof Refused;
      const isOver = isLast || channel.isRepeated !== true;
      delivery.hasFailed = true;
      if (isOver) this.#lose(delivery, channel);
      const message = error instanceof Error ? error.message : String(error);
      if (!this.#isOver) this.#listener.failed(channel, message, isOver);
    }
  }

  #wait(delivery: Delivery): void {
    const pauseMs = pausesMs[delivery.attempts - 1] ?? 0;
    delivery.timer = this.#timers.schedule(pauseMs, () => {
      delivery.timer = null;
      if (this.#listener.isCurrent(delivery.notice)) return void this.#attempt(delivery);
      this.#underWay.delete(delivery);
      this.#listener.dropped();
    });
  }

  #lose(delivery: Delivery, channel: Channel): void {
    delivery.left.delete(channel);
    delivery.isLost = true;
  }

  #giveUp(delivery: Delivery): void {
    delivery.timer?.dispose();
    this.#underWay.delete(delivery);
    const why = `more than ${maxWaiting} notifications wait`;
    for (const channel of delivery.left) this.#listener.failed(channel, why, true);
  }
}
