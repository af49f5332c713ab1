import { mkdirSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Size } from '#model';
import { Terminal } from '#vt';
import { stateOf, verify } from '#vt/checks';
import { runs } from '../support/run/runs.ts';
import { chunkings } from '../support/vt/chunkings.ts';
import { readCorpus } from '../support/vt/kept-output.ts';
import { mutatedOutput } from '../support/vt/mutated-output.ts';
import { expectSameTerminal } from '../support/vt/same-terminal.ts';
import { screenSize } from '../support/vt/terminal-output.ts';

const scrollback = { maxLines: 50, maxBytes: 1 << 20 };
const maxReplyBytes = 4_096;
/** Unused entries are removed from the tables of styles and clusters at about this size. */
const maxTableEntries = 5_000;
/** The smallest input that violates a law in this run. It goes into the corpus with the fix. */
const failures = new URL('../../build/fuzz/', import.meta.url);

function fed(size: Size, chunks: Iterable<Uint8Array>, firstLine = 0): Terminal {
  const terminal = new Terminal({ size, scrollback, firstLine });
  for (const chunk of chunks) terminal.feed(chunk);
  return terminal;
}

/** Round trip, chunking, invariants and bounds, for one input. */
function expectLaws(size: Size, bytes: Uint8Array, next: Size): void {
  const terminal = fed(size, [bytes]);
  expect(verify(terminal)).toEqual([]);
  for (const cut of Object.values(chunkings)) expectSameTerminal(fed(size, cut(bytes)), terminal);
  const { dump, firstLine } = terminal.snapshot();
  expectSameTerminal(fed(size, [dump], firstLine), terminal);
  terminal.resize(next);
  expect(verify(terminal)).toEqual([]);
  terminal.feed(bytes);
  expect(verify(terminal)).toEqual([]);
  expect(terminal.takeReplies()?.length ?? 0).toBeLessThanOrEqual(maxReplyBytes);
  expect(stateOf(terminal).styles.size).toBeLessThan(maxTableEntries);
  expect(stateOf(terminal).clusters.size).toBeLessThan(maxTableEntries);
}

/** The last input that fails is the smallest: fast-check shrinks. */
function keepingFailures(size: Size, bytes: Uint8Array, check: () => void): void {
  try {
    check();
  } catch (error) {
    mkdirSync(failures, { recursive: true });
    writeFileSync(new URL(`${size.cols}x${size.rows}.bin`, failures), bytes);
    throw error;
  }
}

const sizes: readonly Size[] = [
  { cols: 1, rows: 1 },
  { cols: 2, rows: 2 },
  { cols: 7, rows: 3 },
  { cols: 80, rows: 24 },
  { cols: 132, rows: 43 },
];

describe('the kept inputs', () => {
  it.each(readCorpus().map(({ name, bytes }) => [name, bytes] as const))('%s', (_name, bytes) => {
    for (const [index, size] of sizes.entries()) {
      expectLaws(size, bytes, sizes[(index + 1) % sizes.length] ?? size);
    }
  });
});

describe('corrupted output of programs', () => {
  it('[law 9] violates no law', () => {
    const property = fc.property(screenSize, mutatedOutput, screenSize, (size, bytes, next) => {
      keepingFailures(size, bytes, () => expectLaws(size, bytes, next));
    });
    fc.assert(property, runs(300));
  });
});
