import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/run/runs.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { Outages, type Patience, watchSilence, within } from './outages.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** What happens to something that lasts: it is lost, an attempt takes some time, and may succeed. */
const attempts = fc.array(
  fc.record({ takesMs: fc.nat(300), succeeds: fc.boolean(), worksMs: fc.nat(300) }),
  { maxLength: 30 },
);
const patiences = fc
  .record({ firstPauseMs: fc.integer({ min: 1, max: 50 }), more: fc.nat(400) })
  .chain(({ firstPauseMs, more }) =>
    fc.record({
      firstPauseMs: fc.constant(firstPauseMs),
      maxPauseMs: fc.constant(firstPauseMs + more),
      limitMs: fc.integer({ min: 1, max: 2_000 }),
      settledMs: fc.nat(100),
    }),
  );

/** Runs the loop that each user has. Returns the pauses and the attempts, by outage. */
async function run(
  { limitMs, ...patience }: Patience & { readonly limitMs: number },
  steps: readonly { takesMs: number; succeeds: boolean; worksMs: number }[],
) {
  const clock = new VirtualClock();
  const outages = new Outages(clock, { ...patience, outageMs: () => limitMs });
  const begun: { atMs: number; pauses: number[]; leftMs: number[]; isGivenUp: boolean }[] = [];
  let backMs = Number.NEGATIVE_INFINITY;
  let isOpen = false;
  for (const { takesMs, succeeds, worksMs } of steps) {
    if (!isOpen && clock.nowMs() - backMs >= (patience.settledMs ?? 0))
      begun.push({ atMs: clock.nowMs(), pauses: [], leftMs: [], isGivenUp: false });
    isOpen = true;
    const outage = begun.at(-1);
    if (outage === undefined) break;
    if (!outages.lost()) {
      outage.isGivenUp = true;
      break;
    }
    const fromMs = clock.nowMs();
    let isDue: boolean | null = null;
    void outages.pause().then((due) => {
      isDue = due;
    });
    while (isDue === null) {
      clock.advance(1);
      await Promise.resolve();
      await Promise.resolve();
    }
    outage.pauses.push(clock.nowMs() - fromMs);
    outage.leftMs.push(outages.leftMs);
    clock.advance(Math.min(takesMs, outages.leftMs));
    if (!succeeds) continue;
    outages.back();
    isOpen = false;
    backMs = clock.nowMs();
    clock.advance(worksMs);
  }
  return { begun, clock };
}

describe('outages', () => {
  it('have pauses that double from the first to the longest', async () => {
    await fc.assert(
      fc.asyncProperty(patiences, attempts, async (patience, steps) => {
        const { begun } = await run(patience, steps);
        for (const { pauses } of begun) {
          pauses.reduce((due, pause) => {
            expect(pause).toBe(due);
            return Math.min(due * 2, patience.maxPauseMs);
          }, patience.firstPauseMs);
        }
      }),
      runs(40),
    );
  });

  it('begin no attempt without time for it, and leave nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(patiences, attempts, async (patience, steps) => {
        const { begun, clock } = await run(patience, steps);
        for (const { leftMs } of begun) {
          for (const left of leftMs) expect(left).toBeGreaterThan(0);
        }
        expect(clock.pending).toBe(0);
      }),
      runs(40),
    );
  });

  it('are given up before their limit, and not sooner than a pause before it', async () => {
    const never = Array.from({ length: 200 }, () => ({
      takesMs: 70,
      succeeds: false,
      worksMs: 0,
    }));
    await fc.assert(
      fc.asyncProperty(patiences, async (patience) => {
        const { begun, clock } = await run(patience, never);
        expect(begun).toMatchObject([{ isGivenUp: true }]);
        expect(clock.nowMs()).toBeLessThanOrEqual(patience.limitMs);
        expect(clock.nowMs()).toBeGreaterThanOrEqual(patience.limitMs - patience.maxPauseMs);
      }),
      runs(40),
    );
  });

  it('last for ever without a limit', () => {
    const clock = new VirtualClock();
    const outages = new Outages(clock, { firstPauseMs: 10, maxPauseMs: 40 });
    for (let times = 1; times < 1_000; times++) {
      expect([outages.lost(), outages.losses, outages.leftMs]).toEqual([true, times, Infinity]);
      void outages.pause();
      clock.advance(40);
    }
  });

  it('pause for the same time at first, if they mostly are short', async () => {
    const clock = new VirtualClock();
    const outages = new Outages(clock, { firstPauseMs: 10, steadyMs: 25, maxPauseMs: 40 });
    const endsMs: number[] = [];
    while (endsMs.length < 7) {
      outages.lost();
      let isOver = false;
      void outages.pause().then(() => {
        isOver = true;
      });
      while (!isOver) {
        clock.advance(1);
        await Promise.resolve();
        await Promise.resolve();
      }
      endsMs.push(clock.nowMs());
    }
    const [first = 0] = endsMs;
    expect(endsMs.map((endMs) => endMs - first)).toEqual([0, 10, 20, 30, 50, 90, 130]);
  });

  it('go on if it is lost again before it was settled, unless it was of use', () => {
    const clock = new VirtualClock();
    const outages = new Outages(clock, {
      firstPauseMs: 10,
      maxPauseMs: 100,
      settledMs: 500,
      outageMs: () => 2_000,
    });
    const leftOf = (worksMs: number, isProven = false) => {
      outages.lost();
      outages.back();
      if (isProven) outages.proven();
      clock.advance(worksMs);
      outages.lost();
      return outages.leftMs;
    };
    expect(leftOf(400)).toBe(1_600);
    expect(leftOf(500)).toBe(2_000);
    expect(leftOf(400, true)).toBe(2_000);
  });

  it('that are hurried are tried at once, and pause as at their beginning', async () => {
    const clock = new VirtualClock();
    const outages = new Outages(clock, { firstPauseMs: 10, maxPauseMs: 1_000 });
    expect(outages.hurry()).toBe(false);
    for (let times = 0; times < 5; times++) {
      outages.lost();
      void outages.pause();
      clock.advance(1_000);
    }
    const hurried = outages.pause();
    expect([outages.hurry(), await hurried, clock.pending]).toEqual([true, true, 0]);
    const after = outages.pause();
    clock.advance(10);
    expect(await after).toBe(true);
  });

  it('make no attempt once it is back by another way, or has ended', async () => {
    const clock = new VirtualClock();
    const outages = new Outages(clock, { firstPauseMs: 10, maxPauseMs: 10 });
    outages.lost();
    const pause = outages.pause();
    outages.back();
    expect([await pause, clock.pending]).toEqual([false, 0]);
    outages.lost();
    const last = outages.pause();
    outages.end();
    expect([await last, await outages.pause(), outages.lost(), clock.pending]).toEqual([
      ...[false, false, false],
      0,
    ]);
  });
});

it('a promise has its time', async () => {
  const clock = new VirtualClock();
  const never = new Promise<number>(() => {});
  const late = within(clock, 100, never);
  clock.advance(100);
  expect(await late).toBeNull();
  expect(await within(clock, 100, Promise.resolve(1))).toBe(1);
  expect(await within(clock, Infinity, Promise.resolve(2))).toBe(2);
  const failed = within(clock, 100, Promise.reject(new Error('it failed')));
  await expect(failed).rejects.toThrow('it failed');
  await settled();
  expect(clock.pending).toBe(0);
});

it('silence is told once, and so is its end; nothing is asked after that', async () => {
  const clock = new VirtualClock();
  const states: boolean[] = [];
  let answers = true;
  let calls = 0;
  const watch = watchSilence(
    clock,
    2_000,
    async () => {
      calls++;
      return answers;
    },
    (isSilent) => states.push(isSilent),
  );
  const pass = async (times: number) => {
    for (let time = 0; time < times; time++) {
      clock.advance(2_000);
      await settled();
    }
  };
  await pass(3);
  expect(states).toEqual([]);
  answers = false;
  await pass(3);
  answers = true;
  await pass(3);
  expect([states, calls]).toEqual([[true, false], 9]);
  answers = false;
  clock.advance(2_000);
  watch.dispose();
  await settled();
  expect([states, clock.pending]).toEqual([[true, false], 0]);
});
