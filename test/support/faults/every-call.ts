import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { TestRunner } from 'vitest';
import { type ErrorCode, isVtrError } from '#model';
import { randomFrom } from '../run/random-from.ts';
import { resetClock } from './failing-clock.ts';
import { type Failure, isOfTheClock } from './failures.ts';
import { type Held, openOf, stillHeld } from './leaks.ts';
import { keyOf, type Plan, type SystemCall, withFailure } from './system-calls.ts';

/** Something that users do, of which each system call can fail. */
export interface Operation {
  readonly name: string;
  /** Makes what {@link act} needs. */
  prepare?(): unknown;
  /** Does it. Returns what can be compared: the same each time. Only its calls fail. */
  act(): unknown;
  /** Removes what {@link act} made, and what it may leave if the file cannot be removed. */
  undo?(): unknown;
  /** The codes with which it may fail. */
  readonly codes: readonly ErrorCode[];
  /** Whether another result than usual is correct, because it or a log says what is missing, and why. */
  isReported?(result: unknown, reason: string): boolean;
}

/** Whether each call fails in each way, or each line of src in one: `npm run soak` sets the variable. */
const isThorough = process.env['VTR_TEST_SOAK'] === '1';

/** A thorough test of an operation begins no further trial after this time, in ms. A whole soak limits it. */
const shareMs = 1000 * Number(process.env['VTR_TEST_OPERATION_S'] ?? Number.POSITIVE_INFINITY);

/** How long an operation may take, on a slow machine, in ms. */
const limitMs = 200_000;

/**
 * Does an operation again and again, each time with another system call that fails in another way, until
 * none is left; and after each, without a failure.
 *
 * @param directory in which no files may be left
 * @param failed the lines that have failed, with what they call; they are left out, except in a soak
 * @returns what is wrong, a line each, and how many calls it makes
 */
export async function failEveryCall(
  operation: Operation,
  directory: string,
  failed = new Set<string>(),
): Promise<{ wrong: readonly string[]; calls: number }> {
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', onUnhandled);
  process.on('uncaughtException', onUnhandled);
  try {
    return await new Trials(operation, directory, unhandled).all(failed);
  } finally {
    process.off('unhandledRejection', onUnhandled);
    process.off('uncaughtException', onUnhandled);
  }
}

class Trials {
  readonly #operation: Operation;
  readonly #directory: string;
  readonly #unhandled: unknown[];
  readonly #wrong: string[] = [];
  #expected: unknown;
  #before: Held = {};

  constructor(operation: Operation, directory: string, unhandled: unknown[]) {
    this.#operation = operation;
    this.#directory = directory;
    this.#unhandled = unhandled;
  }

  async all(failed: Set<string>): Promise<{ wrong: readonly string[]; calls: number }> {
    // The first run loads and caches.
    await this.#run(null);
    const { calls, outcome } = await this.#run(null);
    if (outcome.status === 'rejected') throw outcome.reason;
    this.#expected = outcome.value;
    this.#before = openOf(this.#directory);
    const plans = isThorough ? allPlans(calls) : onePlanPerLine(calls, failed);
    const endMs = isThorough ? Date.now() + shareMs : Number.POSITIVE_INFINITY;
    let tried = 0;
    for (const plan of plans) {
      if (Date.now() >= endMs) break;
      await this.#try(plan);
      tried++;
    }
    const test = TestRunner.getCurrentTest();
    if (test !== undefined) test.meta.figures = { failures: tried, of: plans.length };
    return { wrong: this.#wrong, calls: calls.length };
  }

  async #run(plan: Plan | null) {
    const { prepare, act, undo } = this.#operation;
    resetClock();
    await prepare?.();
    const done = await withFailure(plan, () => inTime(act));
    resetClock();
    await undo?.();
    return done;
  }

  async #try(plan: Plan): Promise<void> {
    const { call, failure } = plan;
    const { hasFailed, outcome } = await this.#run(plan);
    if (!hasFailed) return;
    const wrong = (what: string) =>
      this.#wrong.push(`${call.name}(${call.path}) of ${call.site}, ${failure}: ${what}`);
    const problem = this.#problemOf(outcome, failure);
    if (problem !== null) wrong(problem);
    await this.#checkLeaks((leak) => wrong(`leaks ${leak}`));
    for (const error of this.#unhandled.splice(0)) wrong(`unhandled: ${error}`);
    const { outcome: next } = await this.#run(null);
    if (next.status === 'rejected') wrong(`the next one fails: ${next.reason}`);
    else if (!this.#isExpected(next.value)) wrong(`the next one returns ${print(next.value)}`);
    await this.#checkLeaks((leak) => wrong(`the next one leaks ${leak}`));
  }

  #problemOf(outcome: PromiseSettledResult<unknown>, failure: Failure): string | null {
    const { codes, isReported } = this.#operation;
    const reason = failure === 'short' || isOfTheClock(failure) ? '' : failure;
    if (outcome.status === 'fulfilled') {
      const isRight = this.#isExpected(outcome.value) || isReported?.(outcome.value, reason);
      return isRight ? null : `returns ${print(outcome.value)}`;
    }
    const { reason: error } = outcome;
    if (!isVtrError(error)) return `fails with ${error}`;
    if (!codes.includes(error.code)) return `fails with ${error.code}: ${error.message}`;
    if (error.message.includes(reason) || ownReason.includes(error.code)) return null;
    return `gives no reason: ${error.code}: ${error.message}`;
  }

  #isExpected(value: unknown): boolean {
    return isDeepStrictEqual(value, this.#expected);
  }

  async #checkLeaks(report: (leak: string) => void): Promise<void> {
    const leaks = await stillHeld(this.#before, this.#directory);
    for (const leak of leaks) report(leak);
    // They are reported once.
    if (leaks.length > 0) this.#before = openOf(this.#directory);
  }
}

/** Their messages say what to do, or which limit is reached. A client does not see why its server ended. */
const ownReason: readonly ErrorCode[] = [
  ...(['SYSTEM_LIMIT', 'CWD_NOT_FOUND', 'CWD_NOT_DIRECTORY', 'NOT_AT_PROMPT'] as const),
  ...(['UNAVAILABLE', 'SESSION_NOT_RUNNING'] as const),
];

const print = (value: unknown): string => JSON.stringify(value);

/** In an order that the seed of the run chooses. */
function allPlans(calls: readonly SystemCall[]): Plan[] {
  const random = randomFrom(Number(process.env['VTR_TEST_SEED'] ?? 1));
  const plans = calls.flatMap((call) => call.failures.map((failure) => ({ call, failure })));
  const placed = plans.map((plan) => ({ plan, place: random(1 << 20) }));
  return placed.sort((a, b) => a.place - b.place).map(({ plan }) => plan);
}

/** The failures take turns. */
function onePlanPerLine(calls: readonly SystemCall[], failed: Set<string>): Plan[] {
  return calls.flatMap((call) => {
    const key = keyOf(call);
    const { failures } = call;
    if (failed.has(key) || failures.length === 0) return [];
    failed.add(key);
    return [{ call, failure: failures[failed.size % failures.length] as Failure }];
  });
}

async function inTime(act: () => unknown): Promise<unknown> {
  const limit = new AbortController();
  const late = async () => {
    await delay(limitMs, undefined, { signal: limit.signal });
    throw new Error('it does not end');
  };
  try {
    return await Promise.race([act(), late()]);
  } finally {
    limit.abort();
  }
}
