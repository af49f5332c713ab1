import { expect, it } from 'vitest';
import { Emitter } from '#base';
import type { Size } from '#model';
import type { Picture, TtyEvent } from '#tty';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Runtime, type TtyEffect, type TtyMessage } from './runtime.ts';
import type { Tty } from './tty-screen/tty.ts';

const size = { cols: 10, rows: 2 };

interface State {
  readonly log: readonly string[];
  readonly wakeAtMs: number | null;
}
type Effect = { readonly type: 'leave' } | TtyEffect;

/** A program that notes what it is told, and leaves with `q`. */
function running() {
  const clock = new VirtualClock();
  const fail = (error: unknown) => {
    throw error;
  };
  const events = new Emitter<readonly TtyEvent[]>(fail);
  const sizes = new Emitter<Size>(fail);
  const calls: string[] = [];
  const tty = {
    size,
    show: (draw: () => Picture) => calls.push(`show ${draw().title}`),
    setModes: (_: unknown, mouse: string) => calls.push(`mouse ${mouse}`),
    suspend: () => calls.push('suspend'),
    ring: () => calls.push('ring'),
    onEvents: (listener: (all: readonly TtyEvent[]) => void) => events.on(listener),
    onResize: (listener: (next: Size) => void) => sizes.on(listener),
  } as unknown as Tty;
  const picture = { size, rows: [], reverseVideo: false } as unknown as Picture;
  const runtime = new Runtime<State, TtyMessage | { type: 'sampled' }, Effect, string>({
    tty,
    clock,
    first: { log: [], wakeAtMs: null },
    program: {
      update(state, message, nowMs) {
        const key =
          message.type === 'event' && message.event.type === 'key' ? message.event.press.key : '';
        const { log } = state;
        if (message.type === 'sampled') return { state, effects: [] };
        const next = {
          log: [...log, key || message.type],
          wakeAtMs: key === 'w' ? nowMs + 50 : null,
        };
        const effects: Effect[] = key === 'q' ? [{ type: 'leave' }] : [];
        return {
          state: key === 'x' ? state : next,
          effects: key === 'z' ? [{ type: 'suspend' }] : effects,
        };
      },
      view: ({ log }) => ({
        picture: { ...picture, title: log.join() },
        modes: null,
        mouse: 'normal',
      }),
      wakeAtMs: ({ wakeAtMs }) => wakeAtMs,
      sample() {
        calls.push('sample');
        return { type: 'sampled' };
      },
      takes: (event) => event.type === 'focus',
      perform: () => runtime.end('left'),
    },
  });
  return {
    runtime,
    clock,
    calls,
    sizes,
    ended: runtime.run(),
    press: (...keys: readonly string[]) =>
      events.emit(
        keys.map((key) => ({
          type: 'key',
          press: { key },
          action: 'press',
          bytes: new Uint8Array(),
        })),
      ),
    focus: () => events.emit([{ type: 'focus', focused: true }]),
  };
}

it('draws after each change, from what is sampled then, and not without one', () => {
  const { calls, press, focus } = running();
  press('x');
  focus();
  expect(calls).toEqual(['sample', 'sample']);
  calls.length = 0;
  press('a', 'b');
  expect(calls).toEqual([
    'sample',
    'sample',
    'mouse normal',
    'show a',
    'sample',
    'mouse normal',
    'show a,b',
  ]);
});

it('tells the time that the state waits for, once', () => {
  const { runtime, clock, press } = running();
  press('w');
  clock.advance(49);
  expect(runtime.state.log).toEqual(['w']);
  clock.advance(1);
  expect(runtime.state.log).toEqual(['w', 'time']);
  expect(clock.pending).toBe(0);
});

it('does for every program what concerns only the terminal', () => {
  const { calls, press } = running();
  press('z');
  expect(calls).toContain('suspend');
});

it('reads nothing after the end, also of the same read, which it tells, and waits for no time', async () => {
  const { runtime, clock, ended, press, calls } = running();
  press('w', 'q', 'b');
  expect(await ended).toBe('left');
  expect(calls.at(-1)).toBe('ring');
  calls.length = 0;
  press('c');
  expect([runtime.state.log, calls, clock.pending]).toEqual([['w', 'q'], [], 0]);
});

it('neither reads nor paints while the terminal is lent, and shows then what changed', async () => {
  const { runtime, press, sizes, calls } = running();
  await runtime.lend(async () => {
    press('a');
    runtime.tell({ type: 'time' });
    expect(calls).toEqual([]);
  });
  expect(calls.at(-1)).toBe('show time,window');
  sizes.emit(size);
  expect(runtime.state.log).toEqual(['time', 'window', 'window']);
});
