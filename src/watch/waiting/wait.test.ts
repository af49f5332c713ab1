import { describe, expect, it } from 'vitest';
import { maxWaitMs, type WaitOptions } from '#model';
import { markNow } from '#watch';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { type Condition, waitForAny } from './wait.ts';

/** Waits for the exit only. */
const exitOnly: Condition = { start: () => ({ onEvent() {}, dispose() {} }) };

/** Met at the first output. */
const anyOutput: Condition = {
  start: (_watched, _clock, hold) => ({
    onEvent: ({ type }) => type === 'output' && hold({ outcome: 'matched' }),
    dispose() {},
  }),
};

function begin(condition: Condition = anyOutput, options: WaitOptions = {}) {
  const clock = new VirtualClock();
  const watched = new WatchedTerminal();
  const result = waitForAny(watched, [condition], options, clock);
  return { clock, watched, result };
}

const killed = { code: null, signal: 'SIGKILL' };

describe('a wait', () => {
  it('ends when its condition is met, with the time and the revision', async () => {
    const { clock, watched, result } = begin(anyOutput, { timeoutMs: 1000 });
    clock.advance(250);
    watched.output('x');
    expect(await result).toEqual({
      outcome: 'matched',
      exitStatus: null,
      output: { head: '', tail: 'x', omitted: null, tokens: 1 },
      mark: markNow(watched),
      revision: watched.terminal.revision,
      timeoutMs: 1000,
      elapsedMs: 250,
    });
  });

  it('tells how it ends in the turn of the event, once', () => {
    const clock = new VirtualClock();
    const watched = new WatchedTerminal();
    const outcomes: string[] = [];
    const onMet = ({ outcome }: { readonly outcome: string }) => outcomes.push(outcome);
    void waitForAny(watched, [anyOutput], {}, clock, null, watched, onMet);
    expect(outcomes).toEqual([]);
    watched.output('x');
    expect(outcomes).toEqual(['matched']);
    watched.output('y');
    watched.exit(killed);
    expect(outcomes).toEqual(['matched']);
  });

  it('ignores output from before the call', async () => {
    const clock = new VirtualClock();
    const watched = new WatchedTerminal();
    watched.output('x');
    const result = waitForAny(watched, [anyOutput], { timeoutMs: 10 }, clock);
    clock.advance(10);
    expect((await result).outcome).toBe('timed_out');
  });

  it('ends with the exit, and returns the exit status', async () => {
    const { watched, result } = begin(exitOnly);
    watched.output('x');
    watched.exit(killed);
    expect(await result).toMatchObject({ outcome: 'exited', exitStatus: killed });
  });

  it('ends at once if the program has exited', async () => {
    const watched = new WatchedTerminal();
    watched.exit(killed);
    const result = waitForAny(watched, [anyOutput], {}, new VirtualClock());
    expect(await result).toMatchObject({ outcome: 'exited', exitStatus: killed, elapsedMs: 0 });
  });

  it('prefers a match at the exit to the exit', async () => {
    const atExit: Condition = {
      start: (_watched, _clock, hold) => ({
        onEvent: ({ type }) => type === 'exit' && hold({ outcome: 'matched' }),
        dispose() {},
      }),
    };
    const { watched, result } = begin(atExit);
    watched.exit(killed);
    expect(await result).toMatchObject({ outcome: 'matched', exitStatus: killed });
  });

  it('times out at its timeout, not before', async () => {
    const { clock, watched, result } = begin(exitOnly, { timeoutMs: 100 });
    clock.advance(99);
    expect(watched.listenerCount).toBe(1);
    clock.advance(1);
    expect(await result).toMatchObject({ outcome: 'timed_out', exitStatus: null, elapsedMs: 100 });
  });

  it.each([
    ['output', (watched: WatchedTerminal) => watched.output('x'), 'matched'],
    ['the exit', (watched: WatchedTerminal) => watched.exit(), 'exited'],
  ])('counts %s that arrived in time but is read late', async (_what, come, outcome) => {
    const { clock, watched, result } = begin(anyOutput, { timeoutMs: 100 });
    clock.stall(10_000);
    come(watched);
    clock.settleIo();
    expect((await result).outcome).toBe(outcome);
  });

  it('times out after a stall without output', async () => {
    const { clock, result } = begin(anyOutput, { timeoutMs: 100 });
    clock.stall(10_000);
    clock.settleIo();
    expect(await result).toMatchObject({ outcome: 'timed_out', elapsedMs: 10_000 });
  });

  it.each([
    [undefined, 30_000],
    [Number.NaN, 30_000],
    [-1, 0],
    [0, 0],
    [1.5, 1.5],
    [Number.POSITIVE_INFINITY, maxWaitMs],
    [maxWaitMs + 1, maxWaitMs],
  ])('clamps a timeout of %s ms to %s', async (limit, timeoutMs) => {
    const options = limit === undefined ? {} : { timeoutMs: limit };
    const { clock, result } = begin(exitOnly, options);
    clock.advance(timeoutMs);
    expect(await result).toMatchObject({ outcome: 'timed_out', timeoutMs });
  });

  it('is cancelled by its signal, even if that is aborted already', async () => {
    const controller = new AbortController();
    const { result, watched, clock } = begin(anyOutput, { signal: controller.signal });
    controller.abort();
    await expect(result).rejects.toMatchObject({ code: 'CANCELLED' });
    const late = begin(anyOutput, { signal: controller.signal });
    await expect(late.result).rejects.toMatchObject({ code: 'CANCELLED' });
    expect([watched.listenerCount, clock.pending]).toEqual([0, 0]);
  });

  it('ignores everything after its end', async () => {
    const controller = new AbortController();
    const { clock, watched, result } = begin(anyOutput, { signal: controller.signal });
    watched.output('x');
    watched.exit(killed);
    controller.abort();
    clock.advance(60_000);
    expect(await result).toMatchObject({ outcome: 'matched', elapsedMs: 0 });
  });

  it.each([
    ['a match', ({ watched }: ReturnType<typeof begin>) => watched.output('x')],
    ['an exit', ({ watched }: ReturnType<typeof begin>) => watched.exit()],
    ['its timeout', ({ clock }: ReturnType<typeof begin>) => clock.advance(30_000)],
  ])('leaves no listener and no timer after %s', async (_what, end) => {
    let disposed = 0;
    const watchedCondition: Condition = {
      start: (...args) => ({ ...anyOutput.start(...args), dispose: () => disposed++ }),
    };
    const wait = begin(watchedCondition);
    end(wait);
    await wait.result;
    expect([wait.watched.listenerCount, wait.clock.pending, disposed]).toEqual([0, 0, 1]);
  });

  it('fails if its condition throws', async () => {
    const broken: Condition = {
      start: () => ({
        onEvent() {
          throw new Error('no such thing');
        },
        dispose() {},
      }),
    };
    const { clock, watched, result } = begin(broken);
    watched.output('x');
    await expect(result).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      message: expect.stringContaining('no such thing'),
    });
    expect([watched.listenerCount, clock.pending]).toEqual([0, 0]);
  });
});
