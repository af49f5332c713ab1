import { expect, it } from 'vitest';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { FramePacer, OwnTty } from './own-tty.ts';

function paced() {
  const clock = new VirtualClock();
  const sink = { isBusy: false, bytes: 100, drawnMs: 0 };
  const frames: number[] = [];
  const pacer = new FramePacer(clock, {
    isBusy: () => sink.isBusy,
    sendFrame: () => {
      if (sink.bytes > 0) frames.push(clock.nowMs());
      clock.advance(sink.drawnMs);
      return sink.bytes;
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

/** The pauses between frames while a person types each 3 ms, and each key changes something a ms later. */
function pausesOf(sink: { readonly bytes: number; readonly drawnMs: number }): readonly number[] {
  const { clock, sink: own, frames, pacer } = paced();
  Object.assign(own, sink);
  clock.advance(1000);
  for (let key = 0; key < 100; key++) {
    pacer.typed();
    clock.advance(1);
    pacer.want();
    clock.settleIo();
    clock.advance(2);
  }
  return frames.slice(1).map((ms, at) => Math.round(ms - (frames[at] ?? 0)));
}

it.each([
  ['an echo of some bytes at once', { bytes: 40, drawnMs: 0 }, 3],
  ['larger frames after as many more ms', { bytes: 1_000, drawnMs: 0 }, 9],
  ['whole pictures each 16 ms', { bytes: 20_000, drawnMs: 0 }, 16],
])('keys 3 ms apart get %s', (_, sink, pauseMs) => {
  const pauses = pausesOf(sink);
  expect(pauses.length).toBeGreaterThan(10);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(pauseMs + 2);
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(Math.min(pauseMs, 16) - 1);
});

it('a frame that takes long to draw has a pause of twice its time', () => {
  const { clock, sink, frames, pacer } = paced();
  clock.advance(1000);
  sink.drawnMs = 5;
  pacer.typed();
  pacer.want();
  clock.settleIo();
  sink.drawnMs = 0;
  pacer.want();
  clock.advance(20);
  expect(frames).toEqual([1000, 1010]);
});

it('a key hastens a frame that waits for its time', () => {
  const { clock, frames, pacer } = paced();
  clock.advance(1000);
  pacer.want();
  clock.settleIo();
  clock.advance(2);
  pacer.want();
  clock.settleIo();
  expect(frames).toEqual([1000]);
  pacer.typed();
  clock.settleIo();
  expect(frames).toEqual([1000, 1002]);
});

it('a frame in which nothing changed delays no other', () => {
  const { clock, sink, frames, pacer } = paced();
  clock.advance(100);
  sink.bytes = 0;
  pacer.want();
  clock.settleIo();
  sink.bytes = 100;
  clock.advance(1);
  pacer.want();
  clock.settleIo();
  expect(frames).toEqual([101]);
});

it.each([
  [{ TERM: 'dumb' }, /^TERM is dumb: vtr cannot draw/],
  [{ TERM: 'unknown' }, /^TERM is unknown/],
  [{ TERM: '', COLORTERM: 'truecolor' }, /^TERM is not set/],
  [{}, /^TERM is not set/],
])('a terminal that cannot be drawn on is refused: %o', (environment, message) => {
  expect(() => OwnTty.open(environment)).toThrow(message);
});
