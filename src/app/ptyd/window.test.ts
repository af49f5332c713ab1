import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flow } from '#model';
import { runs } from '../../../test/support/run/runs.ts';
import { Window, type WindowMember } from './window.ts';

const step = 16 * 1024;
const wide = 1024 * 1024;
const narrow = 32 * 1024;

function watched() {
  let nowMs = 1000;
  const window = new Window(() => nowMs);
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { window, advance };
}

/** A session with endless output. */
class Flood implements WindowMember {
  readonly #window: Window;
  readonly #step: number;
  inFlight = 0;

  constructor(window: Window, stepBytes = step) {
    this.#window = window;
    this.#step = stepBytes;
  }

  pump(): void {
    this.#window.noteActivity(this);
    while (this.#window.isOpenFor(this, this.#step)) this.#set(this.inFlight + this.#step);
  }

  acknowledge(bytes = this.inFlight): void {
    this.#set(this.inFlight - bytes);
    this.#window.serve();
  }

  acknowledgeBeforeServing(): void {
    this.#set(0);
  }

  #set(bytes: number): void {
    this.inFlight = bytes;
    this.#window.setInFlight(this, bytes);
  }
}

/** A session whose output is acknowledged as by a coordinator. */
class Program implements WindowMember {
  readonly #window: Window;
  readonly left: number[];
  #inFlight = 0;

  /** @param steps the sizes of the steps of its output */
  constructor(window: Window, steps: readonly number[]) {
    this.#window = window;
    this.left = [...steps];
  }

  pump(): void {
    this.#window.noteActivity(this);
    for (let [bytes] = this.left; bytes !== undefined; [bytes] = this.left) {
      if (!this.#window.isOpenFor(this, bytes)) return;
      this.left.shift();
      this.#set(this.#inFlight + bytes);
    }
    this.#window.leave(this);
  }

  acknowledge(): void {
    if (this.#inFlight >= flow.receiving.minAckBytes) this.#set(0);
  }

  #set(bytes: number): void {
    this.#inFlight = bytes;
    this.#window.setInFlight(this, bytes);
  }
}

describe('Window', () => {
  it('is wide for a session that floods alone', () => {
    const { window } = watched();
    const flood = new Flood(window);
    flood.pump();
    expect(flood.inFlight).toBe(wide);
    expect(window.isAlone(flood)).toBe(true);
    flood.acknowledge(step);
    expect(flood.inFlight).toBe(wide);
  });

  it('is narrow while others have input or output, and for a while after', () => {
    const { window, advance } = watched();
    const [flood, other] = [new Flood(window), new Flood(window)];
    window.noteActivity(other);
    flood.pump();
    expect(flood.inFlight).toBe(narrow);
    flood.acknowledge();
    advance(249);
    expect(window.isAlone(flood)).toBe(false);
    advance(1);
    flood.acknowledge();
    expect(flood.inFlight).toBe(wide);
    window.noteActivity(other);
    expect(window.isAlone(flood)).toBe(false);
  });

  it('is wide for a flood when the programs of the others have exited or are gone', () => {
    const { window } = watched();
    const [flood, other, third] = [new Flood(window), new Flood(window), new Flood(window)];
    for (const each of [third, other]) window.noteActivity(each);
    window.noteExit(other);
    expect(window.isAlone(flood)).toBe(false);
    window.noteActivity(flood);
    window.delete(third);
    expect(window.isAlone(flood)).toBe(true);
    flood.pump();
    expect(flood.inFlight).toBe(wide);
  });

  it('is always open for a session with little in flight', () => {
    const { window } = watched();
    const [flood, other] = [new Flood(window), new Flood(window)];
    window.noteActivity(other);
    flood.pump();
    expect(window.isOpenFor(other, step)).toBe(false);
    expect(window.isOpenFor(other, 4 * 1024)).toBe(true);
  });

  it('is closed for a flood with little in flight while another has much', () => {
    const { window, advance } = watched();
    const [flood, other] = [new Flood(window), new Flood(window)];
    window.noteActivity(other);
    flood.pump();
    window.setInFlight(other, 2 * step);
    window.setInFlight(other, 1024);
    expect(window.isOpenFor(other, 1024)).toBe(false);
    advance(50);
    expect(window.isOpenFor(other, 1024)).toBe(true);
  });

  it('is as wide as what the coordinator handles in 2 ms', () => {
    const { window, advance } = watched();
    const [flood, other] = [new Flood(window, 1024), new Flood(window)];
    const afterAcks = (bytesPerMs: number) => {
      for (let ack = 0; ack < 50; ack++) {
        window.noteActivity(other);
        const { inFlight } = flood;
        advance(inFlight / bytesPerMs);
        flood.acknowledge();
      }
      return flood.inFlight;
    };
    window.noteActivity(other);
    flood.pump();
    expect(afterAcks(6 * 1024)).toBe(12 * 1024);
    expect(afterAcks(1024)).toBe(8 * 1024);
    expect(afterAcks(64 * 1024)).toBe(narrow);
  });

  it('is open for one step that is larger', () => {
    const { window } = watched();
    const [flood, other] = [new Flood(window, 64 * 1024), new Flood(window)];
    window.noteActivity(other);
    flood.pump();
    expect(flood.inFlight).toBe(64 * 1024);
  });

  it('is shared by all floods, and each of them gets its turn', () => {
    const { window } = watched();
    const floods = Array.from({ length: 8 }, () => new Flood(window));
    for (const flood of floods) window.noteActivity(flood);
    for (const flood of floods) flood.pump();
    const all = () => floods.reduce((sum, { inFlight }) => sum + inFlight, 0);
    expect(all()).toBe(narrow);
    const served = floods.map(() => 0);
    for (let round = 0; round < 80; round++) {
      for (const [index, flood] of floods.entries()) {
        served[index] = (served[index] ?? 0) + flood.inFlight;
        flood.acknowledge();
      }
    }
    const [least, most] = [Math.min(...served), Math.max(...served)];
    expect(most).toBeLessThanOrEqual(1.1 * least);
  });

  it('lets a session with new output wait behind the others', () => {
    const { window } = watched();
    const [quick, ...others] = Array.from({ length: 5 }, () => new Flood(window, step / 4));
    for (const flood of [quick, ...others]) flood?.pump();
    const served = others.map(() => 0);
    for (let round = 0; round < 20; round++) {
      quick?.acknowledgeBeforeServing();
      quick?.pump();
      for (const [index, flood] of others.entries()) {
        served[index] = (served[index] ?? 0) + flood.inFlight;
        flood.acknowledge();
      }
    }
    expect(Math.min(...served)).toBeGreaterThan(20 * 4 * 1024);
  });

  it('does not let others wait behind a session that has nothing to send or is paused', () => {
    for (const isPaused of [false, true]) {
      const { window } = watched();
      const [flood, first, second] = [new Flood(window), new Flood(window), new Flood(window)];
      window.noteActivity(second);
      for (const each of [flood, first, second]) each.pump();
      expect([flood.inFlight, first.inFlight, second.inFlight]).toEqual([narrow, 0, 0]);
      first.pump = () => window.leave(first);
      if (isPaused) window.setPaused(first, true);
      flood.acknowledge();
      expect([flood.inFlight, first.inFlight, second.inFlight]).toEqual([step, 0, step]);
    }
  });

  it('serves those that waited for a session that is forgotten', () => {
    const { window } = watched();
    const [gone, other] = [new Flood(window), new Flood(window)];
    window.noteActivity(other);
    gone.pump();
    other.pump();
    expect([gone.inFlight, other.inFlight]).toEqual([narrow, 0]);
    window.delete(gone);
    expect(other.inFlight).toBeGreaterThan(0);
  });

  it('does not let others wait for a session that is paused', () => {
    const { window } = watched();
    const [paused, other] = [new Flood(window), new Flood(window)];
    window.noteActivity(other);
    paused.pump();
    other.pump();
    window.setPaused(paused, true);
    expect([paused.inFlight, other.inFlight]).toEqual([narrow, narrow]);
    other.acknowledge();
    expect(other.inFlight).toBe(narrow);
    window.setPaused(paused, false);
    other.acknowledge();
    expect(other.inFlight).toBe(0);
    paused.acknowledge();
    expect(paused.inFlight + other.inFlight).toBe(narrow);
  });

  it('lets a session that is restored go on beside floods, which do not wait for it', () => {
    const { window } = watched();
    const [restored, flood] = [new Flood(window), new Flood(window)];
    window.noteActivity(restored);
    flood.pump();
    restored.pump();
    expect([restored.inFlight, flood.inFlight]).toEqual([0, narrow]);
    window.setReplaying(restored, true);
    restored.pump();
    expect(restored.inFlight).toBe(512 * 1024);
    flood.acknowledge();
    expect(flood.inFlight).toBe(narrow);
    restored.acknowledge();
    window.setReplaying(restored, false);
    restored.pump();
    expect(restored.inFlight).toBe(0);
    flood.acknowledge();
    expect(restored.inFlight).toBeGreaterThan(0);
  });

  it('forgets a session', () => {
    const { window } = watched();
    const [gone, flood] = [new Flood(window), new Flood(window)];
    window.noteActivity(flood);
    gone.pump();
    window.delete(gone);
    flood.pump();
    expect(flood.inFlight).toBeGreaterThanOrEqual(narrow);
    expect(() => window.serve()).not.toThrow();
  });

  it('lets all output through, although little output is not acknowledged', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 16 * 1024 }), { minLength: 1, maxLength: 30 });
    const programs = fc.array(sizes, { minLength: 1, maxLength: 6 });
    const pauses = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 20 });
    const property = fc.property(programs, pauses, (steps, pausesMs) => {
      const { window, advance } = watched();
      const all = steps.map((each) => new Program(window, each));
      for (let turn = 0; turn < 200; turn++) {
        const program = all[turn % all.length];
        if (turn < all.length) program?.pump();
        advance(pausesMs[turn % pausesMs.length] ?? 0);
        for (const each of all) each.acknowledge();
        window.serve();
      }
      expect(all.flatMap(({ left }) => left)).toEqual([]);
    });
    fc.assert(property, runs(200));
  });
});
