import { describe, expect, it } from 'vitest';
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
  inFlight = 0;

  constructor(window: Window) {
    this.#window = window;
  }

  pump(): void {
    this.#window.noteActivity(this);
    while (this.#window.isOpenFor(this, step)) this.#set(this.inFlight + step);
  }

  acknowledge(bytes = this.inFlight): void {
    this.#set(this.inFlight - bytes);
    this.#window.serve();
  }

  #set(bytes: number): void {
    this.inFlight = bytes;
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
    advance(249);
    flood.acknowledge();
    expect(flood.inFlight).toBe(narrow);
    advance(1);
    flood.acknowledge();
    expect(flood.inFlight).toBe(wide);
    window.noteActivity(other);
    expect(window.isAlone(flood)).toBe(false);
  });

  it('is always open for a session with little in flight', () => {
    const { window } = watched();
    const [flood, other] = [new Flood(window), new Flood(window)];
    window.noteActivity(other);
    flood.pump();
    expect(window.isOpenFor(other, step)).toBe(false);
    expect(window.isOpenFor(other, 4 * 1024)).toBe(true);
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
    expect(most).toBeLessThanOrEqual(2.5 * least);
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
});
