import { describe, expect, it } from 'vitest';
import { waitFor } from '#watch';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';

const quietMs = 1_000;

function begin(quiet = quietMs, countClocks = true) {
  const clock = new VirtualClock();
  const watched = new WatchedTerminal();
  const result = waitFor(watched, { quietMs: quiet, countClocks, timeoutMs: 60_000 }, clock);
  return { clock, watched, result };
}

/** Acts five times, every 600 ms, then does nothing. */
async function idleAfter(act: (watched: WatchedTerminal, round: number) => void): Promise<number> {
  const { clock, watched, result } = begin();
  for (let round = 0; round < 5; round++) {
    clock.advance(600);
    act(watched, round);
  }
  clock.advance(10_000);
  const { outcome, elapsedMs } = await result;
  expect(outcome).toBe('idle');
  return elapsedMs;
}

describe('a wait for idle', () => {
  it('ends when nothing has changed for the quiet time', async () => {
    expect(await idleAfter(() => {})).toBe(quietMs);
  });

  it.each<[string, (watched: WatchedTerminal, round: number) => void]>([
    ['new text', (watched) => watched.output('x')],
    ['the same line again, further down', (watched) => watched.output('x\r\n')],
    ['lines that scroll', (watched) => watched.output('\r\n'.repeat(10))],
    ['a cursor that moves', (watched, round) => watched.output(`\x1b[1;${round + 2}H`)],
    ['a cursor that hides', (watched, round) => watched.output(`\x1b[?25${round % 2 ? 'h' : 'l'}`)],
    ['another colour', (watched, round) => watched.output(`\r\x1b[3${round}mx`)],
    ['another size', (watched, round) => watched.resize({ cols: 10 + round, rows: 4 })],
  ])('counts %s as a change', async (_what, act) => {
    expect(await idleAfter(act)).toBe(5 * 600 + quietMs);
  });

  it.each<[string, (watched: WatchedTerminal, round: number) => void]>([
    ['the same text in the same place', (watched) => watched.output('\x1b[1;1Hclock 12:00')],
    ['the same screen, cleared and painted', (watched) => watched.output('\x1b[H\x1b[2Jmenu')],
    ['a cursor that moves and returns', (watched) => watched.output('\x1b7\x1b[3;3H\x1b8')],
    ['a title', (watched, round) => watched.output(`\x1b]2;title ${round}\x07`)],
    ['a bell', (watched) => watched.output('\x07')],
  ])('does not count %s as a change', async (_what, act) => {
    // The first time may be a change.
    expect(await idleAfter(act)).toBeLessThanOrEqual(600 + quietMs);
  });

  it('counts from when the input that it was sent with is written', async () => {
    const clock = new VirtualClock();
    const watched = new WatchedTerminal();
    let onWritten = () => {};
    const written = new Promise<void>((resolve) => {
      onWritten = resolve;
    });
    const context = { sendsInput: true, written };
    const result = waitFor(watched, { quietMs, timeoutMs: 60_000 }, clock, context);
    watched.output('text');
    clock.advance(3 * quietMs);
    onWritten();
    await written;
    clock.advance(quietMs - 1);
    watched.output('x');
    clock.advance(quietMs);
    expect(await result).toMatchObject({ outcome: 'idle', elapsedMs: 5 * quietMs - 1 });
  });

  it('ends exactly when the quiet time after the last change is over', async () => {
    const { clock, watched, result } = begin();
    clock.advance(quietMs - 1);
    watched.output('x');
    clock.advance(quietMs);
    expect((await result).elapsedMs).toBe(2 * quietMs - 1);
  });

  it('reads pending output after a suspension before it ends', async () => {
    const { clock, watched, result } = begin();
    clock.stall(quietMs + 100);
    watched.output('it was not quiet');
    clock.settleIo();
    clock.advance(quietMs);
    expect((await result).elapsedMs).toBe(2 * quietMs + 100);
  });

  it('restarts after a long suspension: the program may have been suspended too', async () => {
    const { clock, result } = begin();
    clock.stall(10_000);
    clock.settleIo();
    clock.advance(quietMs - 1);
    expect(clock.pending).toBeGreaterThan(0);
    clock.advance(1);
    expect((await result).elapsedMs).toBe(10_000 + quietMs);
  });

  it.each([
    [Number.NaN, 5_000],
    [-1, 0],
    [0, 0],
  ])('with a quiet time of %s ms waits for %s', async (ms, waitedMs) => {
    const clock = new VirtualClock();
    const result = waitFor(new WatchedTerminal(), { quietMs: ms }, clock);
    clock.advance(60_000);
    expect(await result).toMatchObject({ outcome: 'idle', elapsedMs: waitedMs });
  });

  it('ends with the timeout or the exit if that is first', async () => {
    const { clock, result } = begin(120_000);
    clock.advance(60_000);
    expect((await result).outcome).toBe('timed_out');
    const other = begin();
    other.watched.exit();
    expect((await other.result).outcome).toBe('exited');
  });

  it('leaves no listener and no timer', async () => {
    const { clock, watched, result } = begin();
    clock.advance(quietMs);
    await result;
    expect([watched.listenerCount, clock.pending]).toEqual([0, 0]);
  });
});

describe('an ignored change', () => {
  const paint = (text: string) => `\x1b[2;1H\x1b[K${text}\x1b[4;1H`;

  async function idleWith(
    request: { ignore?: readonly string[]; countClocks?: boolean },
    act: (watched: WatchedTerminal, round: number) => void,
    everyMs = 500,
  ) {
    const clock = new VirtualClock();
    const watched = new WatchedTerminal();
    const result = waitFor(watched, { quietMs, timeoutMs: 20_000, ...request }, clock);
    for (let round = 0; round < 100; round++) {
      clock.advance(everyMs);
      act(watched, round);
    }
    return result;
  }

  it.each<[string, (round: number) => string, string]>([
    ['a slow spinner', (round) => paint(`${'|/-\\'[round % 4]} building`), 'building'],
    ['a clock', (round) => paint(`12:00:${String(round).padStart(2, '0')}`), '12:00'],
    ['a progress bar', (round) => paint(`[${'='.repeat(round / 10).padEnd(10)}] ${round}%`), '%'],
    ['a row that blinks', (round) => paint(round % 2 ? '' : 'press enter'), ''],
  ])('is %s while nothing else changes', async (_what, output, masked) => {
    const result = await idleWith({}, (watched, round) => watched.output(output(round)));
    expect(result.outcome).toBe('idle');
    expect(result.elapsedMs).toBeLessThan(3_500);
    expect(result.masked).toEqual([expect.stringContaining(masked)]);
  });

  it.each<[string, (round: number) => string]>([
    ['a row that grows', () => '.'],
    ['a spinner with new lines', (round) => `\r${'|/-\\'[round % 4]}\r\n${round}`],
    ['two rows that change', (round) => `\x1b[1;1H${round}\x1b[2;1H${round}`],
  ])('is not %s', async (_what, output) => {
    const result = await idleWith({}, (watched, round) => watched.output(output(round)));
    expect(result.outcome).toBe('timed_out');
  });

  it.each([80, 120, 499])('is not a spinner that turns every %d ms', async (everyMs) => {
    const spin = (watched: WatchedTerminal, round: number) =>
      watched.output(paint(`${'|/-\\'[round % 4]} building`));
    const clock = new VirtualClock();
    const watched = new WatchedTerminal();
    const result = waitFor(watched, { quietMs, timeoutMs: 60_000 }, clock);
    for (let round = 0; round < 50; round++) {
      clock.advance(everyMs);
      spin(watched, round);
    }
    const stoppedMs = clock.nowMs();
    clock.advance(10_000);
    expect(await result).toMatchObject({
      outcome: 'idle',
      elapsedMs: stoppedMs + quietMs,
      masked: [],
    });
  });

  it('is not a clock with countClocks', async () => {
    const result = await idleWith({ countClocks: true }, (watched, round) =>
      watched.output(paint(`${round}`)),
    );
    expect(result.outcome).toBe('timed_out');
  });

  it('is any number of rows that match `ignore`', async () => {
    const rows = (round: number) => `\x1b[1;1Hup ${round} s\x1b[2;1Hload ${round}%`;
    const result = await idleWith({ ignore: ['^up', '^load'] }, (watched, round) =>
      watched.output(rows(round)),
    );
    expect(result).toMatchObject({
      outcome: 'idle',
      masked: [/up/, /load/].map((row) => expect.stringMatching(row)),
    });
    const partly = await idleWith({ ignore: ['^up'], countClocks: true }, (watched, round) =>
      watched.output(rows(round)),
    );
    expect(partly.outcome).toBe('timed_out');
  });
});
