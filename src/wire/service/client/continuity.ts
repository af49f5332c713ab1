import { Outages, ownTimers, type Patience, within } from '#base';
import { asVtrError, type CancelSignal, VtrError } from '#model';
import { overload } from './silence-limits.ts';

/**
 * Makes sure that a coordinator serves if sessions are left without one. Returns false if none are
 * left.
 *
 * @param leftMs how long the call still waits, in ms: an attempt should not outlive it
 * @throws VtrError if it cannot be started
 */
export type Recover = (leftMs: number) => Promise<boolean>;

/** A coordinator that is ending still accepts connections: the first attempt follows a pause. */
const firstPauseMs = 10;
/** A connection that breaks sooner than this, before any answer, belongs to the same outage, in ms. */
const settledMs = 500;

/** On an overloaded machine the next coordinator takes longer to start. */
export const nearPatience = {
  firstPauseMs,
  maxPauseMs: 100,
  settledMs,
  outageMs: (...machine: Parameters<typeof overload>): number => 2_800 * overload(...machine),
} satisfies Patience;
/** A network may be away for longer, and each attempt starts a program. */
export const farPatience: Patience = {
  firstPauseMs,
  maxPauseMs: 1_000,
  settledMs,
  outageMs: () => 20_000,
};

/** A call that breaks this often without any answer may be what ends the coordinator. */
const maxBroken = 10;

/** The system's reasons for a connection that was not made: the call had no effect. */
const refusals: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ENOTSOCK']);
/** The reason for a connection that is not made, because more wait to be accepted than the kernel keeps. */
const full = 'EAGAIN';
const interruptions: ReadonlySet<unknown> = new Set([
  ...refusals,
  full,
  'ECONNRESET',
  'EPIPE',
  'DISCONNECTED',
]);

type Outcome = 'back' | 'gone' | 'late';

/**
 * Repeats the calls of one client when its coordinator is replaced or killed, and its sessions
 * continue. Calls that were interrupted are repeated in their order, before any that are made later.
 */
export class Continuity {
  readonly #recover: Recover | null;
  readonly #outages: Outages;
  /** Pending while no coordinator answers. */
  #back: Promise<Outcome> | null = null;
  /** Calls that broke since an answer. */
  #broken = 0;

  /** @param recover null: no call is repeated */
  constructor(recover: Recover | null, patience: Patience = nearPatience) {
    this.#recover = recover;
    this.#outages = new Outages(ownTimers, patience);
  }

  get repeats(): boolean {
    return this.#recover !== null;
  }

  /**
   * Makes a call, and again after an interruption.
   *
   * @param isSafe whether the call may be repeated although it may have had an effect
   * @param attempt its argument counts from 0
   * @throws VtrError of the call; UNAVAILABLE with `details.restarting` if the sessions continue, but
   * the call may not be repeated, or no coordinator answers in time
   */
  async call<T>(
    isSafe: boolean,
    attempt: (tries: number) => Promise<T>,
    signal?: CancelSignal,
  ): Promise<T> {
    if (this.#back !== null) await this.#back;
    for (let tries = 0; ; tries++) {
      try {
        const answer = await attempt(tries);
        this.answered();
        return answer;
      } catch (error) {
        if (this.#recover === null || !isInterruption(error) || signal?.aborted) throw error;
        const outcome = await this.#bringBack(this.#recover);
        if (outcome === 'gone' || signal?.aborted) throw error;
        if (!isSafe && !hadNoEffect(error)) throw restarting(error, unknownEffect);
        if (!hadNoEffect(error)) this.#broken++;
        if (outcome === 'late' || this.#broken > maxBroken)
          throw restarting(error, 'its sessions continue; try again');
      }
    }
  }

  /** Ends the outage: a part of a call was answered. */
  answered(): void {
    this.#outages.proven();
    this.#broken = 0;
  }

  #bringBack(recover: Recover): Promise<Outcome> {
    this.#back ??= this.#untilBack(recover).finally(() => {
      this.#back = null;
      this.#outages.back();
    });
    return this.#back;
  }

  async #untilBack(recover: Recover): Promise<Outcome> {
    while (this.#outages.lost()) {
      await this.#outages.pause();
      const { leftMs } = this.#outages;
      const isBack = await within(ownTimers, leftMs, recover(leftMs)).catch(() => 'failed');
      if (isBack === null) break;
      if (isBack !== 'failed') return isBack ? 'back' : 'gone';
    }
    return 'late';
  }
}

/** Whether a call failed because its coordinator ended or was replaced, or its connection broke. */
export function isInterruption(thrown: unknown): boolean {
  // `instanceof` would fail: the client may be a separate bundle with its own class.
  const { code, details } = asVtrError(thrown);
  return (
    code === 'UNAVAILABLE' &&
    (details['restarting'] === true || interruptions.has(details['reason']))
  );
}

/** Whether a call failed before it reached a coordinator. */
export const hadNoEffect = (thrown: unknown): boolean =>
  foundNobody(thrown) || unavailableReason(thrown) === full;

/** Whether a call failed because nothing listens. */
export const foundNobody = (thrown: unknown): boolean => refusals.has(unavailableReason(thrown));

function unavailableReason(thrown: unknown): unknown {
  const { code, details } = asVtrError(thrown);
  return code === 'UNAVAILABLE' ? details['reason'] : null;
}

/** The advice at the end of a message, for a coordinator whose sessions do not continue. */
const advice = /(?:; (?:is it running\?|try again|its sessions continue))+$/;

const unknownEffect = 'its sessions continue, but whether the call had an effect is unknown';

function restarting(thrown: unknown, text: string): VtrError {
  const { message, details } = asVtrError(thrown);
  return new VtrError('UNAVAILABLE', `${message.replace(advice, '')}; ${text}`, {
    cause: thrown,
    details: { ...details, restarting: true },
  });
}
