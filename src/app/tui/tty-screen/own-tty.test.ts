import { expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { TtyDecoder } from '#tty';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { AwaitedAnswers, FramePacer, OwnTty } from './own-tty.ts';

function paced() {
  const clock = new VirtualClock();
  const sink = { isBusy: false, isEmpty: false };
  const frames: number[] = [];
  const pacer = new FramePacer(clock, {
    isBusy: () => sink.isBusy,
    sendFrame: () => {
      if (!sink.isEmpty) frames.push(clock.nowMs());
      return !sink.isEmpty;
    },
  });
  return { clock, sink, frames, pacer };
}

it('sends the first change at once, then one frame in 16 ms, and the last change always', () => {
  const { clock, frames, pacer } = paced();
  clock.advance(1000);
  for (let change = 0; change < 50; change++) {
    pacer.want();
    pacer.want();
    clock.settleIo();
    clock.advance(2);
  }
  clock.advance(1000);
  expect(frames[0]).toBe(1000);
  const pauses = frames.slice(1).map((ms, at) => ms - (frames[at] ?? 0));
  expect(pauses).toEqual(Array.from({ length: 7 }, () => 16));
  expect(clock.pending).toBe(0);
});

it('sends nothing while the terminal does not read, then the newest state once', () => {
  const { clock, sink, frames, pacer } = paced();
  sink.isBusy = true;
  for (let change = 0; change < 100; change++) {
    pacer.want();
    clock.advance(5);
  }
  expect(frames).toEqual([]);
  sink.isBusy = false;
  pacer.resume();
  clock.settleIo();
  expect(frames).toEqual([500]);
  pacer.resume();
  pacer.dispose();
  clock.advance(100);
  expect(frames).toEqual([500]);
});

it('a frame in which nothing changed delays no other', () => {
  const { clock, sink, frames, pacer } = paced();
  clock.advance(100);
  sink.isEmpty = true;
  pacer.want();
  clock.settleIo();
  sink.isEmpty = false;
  clock.advance(1);
  pacer.want();
  clock.settleIo();
  expect(frames).toEqual([101]);
});

it.each([
  ['ends with the last answer, however late it is', 1_200, '\x1b[?1;2c', 800],
  ['ends after a second without the last answer', 1_200, '\x1b[?2026;1$y', 1_000],
  ['is over when no answer comes any more', 5_000, '', 0],
])('the wait for answers at the end %s', async (_, leavesMs, answer, waitsMs) => {
  const clock = new VirtualClock();
  const answers = new AwaitedAnswers(clock);
  expect(await answers.settled()).toBeUndefined();
  answers.ask();
  clock.advance(leavesMs);
  let endedMs: number | null = null;
  const ended = answers.settled().then(() => {
    endedMs = clock.nowMs() - leavesMs;
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await pass(0);
  if (waitsMs > 0) expect(endedMs).toBeNull();
  await pass(800);
  answers.add(new TtyDecoder().feed(encodeUtf8(answer)));
  await pass(0);
  await pass(200);
  await ended;
  expect(endedMs).toBe(waitsMs);
});

it.each([
  [{ TERM: 'dumb' }, /^TERM is dumb: vtr cannot draw/],
  [{ TERM: 'unknown' }, /^TERM is unknown/],
  [{ TERM: '', COLORTERM: 'truecolor' }, /^TERM is not set/],
  [{}, /^TERM is not set/],
])('a terminal that cannot be drawn on is refused: %o', (environment, message) => {
  expect(() => OwnTty.open(environment)).toThrow(message);
});
