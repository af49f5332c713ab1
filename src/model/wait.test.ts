import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Cancellation, type CancelSignal } from './wait.ts';

type Step = 'add' | 'remove' | 'abort' | 'throw';
const step = fc.tuple(fc.constantFrom<Step>('add', 'remove', 'abort', 'throw'), fc.nat(2));

/** What listeners are told, and what is thrown, when the steps are made. */
function madeOf(
  steps: readonly (readonly [Step, number])[],
  signal: CancelSignal & Pick<Cancellation, 'reason' | 'throwIfAborted'>,
  abort: (reason: unknown) => void,
): unknown[] {
  const conditions: unknown[] = [];
  const listeners = [0, 1, 2].map((number) => () => void conditions.push(number));
  const acts: Record<Step, (number: number) => void> = {
    add: (number) => signal.addEventListener('abort', listeners[number] as () => void),
    remove: (number) => signal.removeEventListener('abort', listeners[number] as () => void),
    abort: (number) => abort(`reason ${number}`),
    throw: () => {
      try {
        signal.throwIfAborted();
      } catch (reason) {
        conditions.push(reason);
      }
    },
  };
  for (const [what, number] of steps) {
    acts[what](number);
    conditions.push(signal.aborted, signal.reason);
  }
  return conditions;
}

it('a cancellation does what an AbortController and its signal do', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const controller = new AbortController();
      const expected = madeOf(steps, controller.signal, (reason) => controller.abort(reason));
      const own = new Cancellation();
      expect(madeOf(steps, own, (reason) => own.abort(reason))).toEqual(expected);
    }),
  );
});
