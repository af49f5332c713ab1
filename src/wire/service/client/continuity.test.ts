import { describe, expect, it, vi } from 'vitest';
import { VtrError } from '#model';
import { Continuity, foundNobody, nearPatience } from './continuity.ts';

const failing = (reason: string) =>
  new VtrError('UNAVAILABLE', `failed: ${reason}`, { details: { reason } });
const refused = failing('ECONNREFUSED');
/** Too many connections wait to be accepted. */
const full = failing('EAGAIN');
const broken = failing('DISCONNECTED');
const replaced = new VtrError('UNAVAILABLE', 'is being restarted', {
  details: { restarting: true },
});
const stopping = new VtrError('UNAVAILABLE', 'the coordinator is shutting down');

/** That of a machine that is not overloaded. */
const patience = { ...nearPatience, outageMs: () => nearPatience.outageMs(0, 2) };

/** A coordinator whose calls have these outcomes, one after the other; then they succeed. */
function coordinator(...outcomes: VtrError[]) {
  const tries: number[] = [];
  const attempt = async (count: number) => {
    tries.push(count);
    const error = outcomes[tries.length - 1];
    if (error !== undefined) throw error;
    return 'done';
  };
  return { tries, attempt };
}

describe('a call that is interrupted', () => {
  it.each([
    ['refused', refused],
    ['one too many', full],
    ['broken', broken],
    ['answered by a coordinator that is replaced', replaced],
  ])('is repeated if it is safe and sessions are left: %s', async (_how, error) => {
    const { tries, attempt } = coordinator(error, error);
    const recover = vi.fn(async () => true);
    expect(await new Continuity(recover).call(true, attempt)).toBe('done');
    expect(tries).toEqual([0, 1, 2]);
    expect(recover).toHaveBeenCalledTimes(2);
  });

  it('that is not safe is repeated only if it had no effect', async () => {
    const continuity = new Continuity(async () => true, patience);
    for (const error of [refused, full]) {
      expect(await continuity.call(false, coordinator(error).attempt)).toBe('done');
    }
    for (const error of [broken, replaced]) {
      const { tries, attempt } = coordinator(error);
      await expect(continuity.call(false, attempt)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('whether the call had an effect is unknown'),
        details: { restarting: true },
      });
      expect(tries).toEqual([0]);
    }
  });

  it.each([
    ['no process listens', refused, true],
    ['one does', full, false],
    ['one did', broken, false],
  ])('tells that %s', (_what, error, isNobody) => {
    expect(foundNobody(error)).toBe(isNobody);
  });

  it.each([
    ['nothing is left', refused, async () => false],
    ['the coordinator stops', stopping, async () => true],
    ['no call is to be repeated', refused, null],
  ])('fails as before if %s', async (_why, error, recover) => {
    const { tries, attempt } = coordinator(error, error);
    await expect(new Continuity(recover).call(true, attempt)).rejects.toBe(error);
    expect(tries).toEqual([0]);
  });

  it('fails within 3 s if no coordinator answers, and reports that the sessions continue', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const attempt = async () => {
        throw refused;
      };
      const startedMs = performance.now();
      const failed = new Continuity(async () => true, patience)
        .call(true, attempt)
        .catch((error) => error);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await failed).toMatchObject({
        details: { reason: 'ECONNREFUSED', restarting: true },
      });
      const hanging = new Continuity(() => new Promise(() => {}), patience).call(true, attempt);
      const late = hanging.catch(() => performance.now());
      await vi.advanceTimersByTimeAsync(10_000);
      expect(Number(await late) - startedMs - 10_000).toBeLessThan(3_000);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    [0, 2_800],
    [2, 2_800],
    [10, 14_000],
    [100, 28_000],
  ])(
    'at a load of %i of two processors waits for %i ms, as the next one starts slowly',
    (load, ms) => {
      const { outageMs } = nearPatience;
      expect(outageMs(load, 2)).toBe(ms);
    },
  );

  it('lets no attempt outlive the outage', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const left: number[] = [];
      const recover = async (leftMs: number) => {
        left.push(leftMs);
        vi.advanceTimersByTime(500);
        if (left.length < 4) throw broken;
        return true;
      };
      const short = { ...nearPatience, outageMs: () => 2_000, maxPauseMs: 10 };
      expect(await new Continuity(recover, short).call(true, coordinator(refused).attempt)).toBe(
        'done',
      );
      expect(left).toEqual([2_000, 1_500, 1_000, 500]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('has one piece of advice in its message', async () => {
    const message = 'the coordinator is being restarted; try again';
    const error = new VtrError('UNAVAILABLE', message, { details: { restarting: true } });
    const attempt = async () => Promise.reject(error);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const continuity = new Continuity(async () => true, patience);
      const failed = continuity.call(true, attempt).catch((late) => late);
      await vi.advanceTimersByTimeAsync(10_000);
      const late = await failed;
      expect(late.message).toBe(
        'the coordinator is being restarted; its sessions continue; try again',
      );
      const nested = continuity.call(true, () => Promise.reject(late)).catch((again) => again);
      await vi.advanceTimersByTimeAsync(10_000);
      expect((await nested).message).toBe(late.message);
    } finally {
      vi.useRealTimers();
    }
  });

  it('goes on over any number of outages if a part of it is answered in between', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const continuity = new Continuity(async () => true, patience);
      const attempt = async (tries: number) => {
        continuity.answered();
        if (tries < 1_000) throw broken;
        return 'done';
      };
      const call = continuity.call(true, attempt);
      await vi.advanceTimersByTimeAsync(100_000);
      expect(await call).toBe('done');
    } finally {
      vi.useRealTimers();
    }
  });

  it('is given up if it breaks again and again without any answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      let tries = 0;
      // Each attempt takes longer than an outage may last.
      const attempt = async () => {
        tries++;
        await new Promise((resolve) => setTimeout(resolve, 5_000));
        throw broken;
      };
      const call = new Continuity(async () => true, patience)
        .call(true, attempt)
        .catch((error) => error);
      await vi.advanceTimersByTimeAsync(200_000);
      expect((await call).details).toMatchObject({ restarting: true });
      expect(tries).toBe(11);
    } finally {
      vi.useRealTimers();
    }
  });

  it('a start that fails is tried again', async () => {
    const { tries, attempt } = coordinator(refused);
    let starts = 0;
    const recover = async () => {
      starts += 1;
      if (starts === 1) throw new VtrError('UNAVAILABLE', 'the daemon exited');
      return true;
    };
    expect(await new Continuity(recover).call(true, attempt)).toBe('done');
    expect([tries, starts]).toEqual([[0, 1], 2]);
  });

  it('is not repeated once it is cancelled', async () => {
    const cancel = new AbortController();
    const { tries, attempt } = coordinator(broken);
    const recover = async () => {
      cancel.abort();
      return true;
    };
    const call = new Continuity(recover).call(true, attempt, cancel.signal);
    await expect(call).rejects.toBe(broken);
    expect(tries).toEqual([0]);
  });
});

it('calls are repeated in their order, before those that are made during the outage', async () => {
  const names: string[] = [];
  let isBack = false;
  const call = (name: string) => async () => {
    if (!isBack) throw refused;
    names.push(name);
  };
  let back = () => {};
  const recovering = new Promise<boolean>((resolve) => {
    back = () => resolve(true);
  });
  const recover = vi.fn(() => recovering);
  const continuity = new Continuity(recover);
  const calls = ['a', 'b', 'c'].map((name) => continuity.call(true, call(name)));
  await vi.waitFor(() => expect(recover).toHaveBeenCalled());
  calls.push(continuity.call(true, call('d')));
  isBack = true;
  back();
  await Promise.all(calls);
  expect(names).toEqual(['a', 'b', 'c', 'd']);
  expect(recover).toHaveBeenCalledTimes(1);
});
