import { describe, expect, it } from 'vitest';
import type { Capabilities } from '#tty';
import { Terminal } from '#vt';
import { PaintedTerminal, pictureOf, terminals } from '../../../test/support/tty/painted.ts';

const size = { cols: 120, rows: 40 };
const encoder = new TextEncoder();

/** Characters that look random, and are the same in each run. */
function noise(length: number, seed: number): string {
  let state = seed;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return String.fromCharCode(0x21 + ((state >> 8) % 90));
  }).join('');
}

/** The bytes of each of 30 frames, of which each shows what the program has written since. */
function frames(capabilities: Capabilities, outputOf: (frame: number) => string): number[] {
  const program = new Terminal({ size });
  const host = new PaintedTerminal(new Terminal({ size }), capabilities);
  const counts = Array.from({ length: 30 }, (_, frame) => {
    program.feed(encoder.encode(outputOf(frame)));
    const picture = pictureOf(program);
    return encoder.encode(host.show(picture)).length;
  });
  host.expectShows(pictureOf(program));
  return counts.slice(1).sort((a, b) => a - b);
}

const lines = (count: number, line: (at: number) => string) => (frame: number) =>
  Array.from({ length: count }, (_, at) => `${line(frame * count + at)}\r\n`).join('');

const median = (counts: readonly number[]) => counts[counts.length >> 1];
const most = (counts: readonly number[]) => counts.at(-1);

describe.each(['vtr', 'tmux', 'console'])('a frame of 120x40 for %s takes', (name) => {
  const capabilities = terminals[name] as Capabilities;
  const bytesOf = (output: (frame: number) => string) => frames(capabilities, output);

  it('at most 1.5 KB while seq floods with lines of 30 characters', () => {
    const numbers = bytesOf(lines(500, (at) => String(at).padStart(30, '0')));
    expect(median(numbers)).toBeLessThanOrEqual(500);
    expect(median(bytesOf(lines(40, (at) => noise(30, at))))).toBeLessThanOrEqual(1500);
  });

  it('at most 5 KB where every cell is new', () => {
    expect(most(bytesOf((frame) => `\x1b[H${noise(4800, frame)}`))).toBeLessThanOrEqual(5000);
  });

  it('80 bytes for each line that scrolls, and for a character', () => {
    const line = (at: number) => `line ${at}`.padEnd(30, '.');
    const scrolling = (frame: number) =>
      frame === 0 ? lines(100, line)(0) : lines(1, line)(100 + frame);
    expect(most(bytesOf(scrolling))).toBeLessThanOrEqual(80);
    expect(most(bytesOf(() => 'x'))).toBeLessThanOrEqual(80);
    expect(most(bytesOf(() => '\x1b[3;5H\x1b[1;32mx\x1b[m\x1b[40;1H$ '))).toBeLessThanOrEqual(80);
  });
});
