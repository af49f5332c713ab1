import { expect, it } from 'vitest';
import { KnownSecrets, type SessionView } from '#session';
import { SeenSecrets } from './seen-secrets.ts';

/** A session that shows lines, all but the last above the screen, and counts those that are read. */
function showing(lines: readonly string[]) {
  const read: number[] = [];
  const topLine = lines.length - 1;
  const terminal = {
    ...{ revision: 1, firstLine: 0, topLine, endLine: lines.length, alternate: false },
    linePosition: () => ({ line: topLine, col: 0 }),
    scanLines(from: number, to: number) {
      const at = lines.findIndex((text, line) => line >= from && text.includes('://'));
      return at < 0 || at >= to ? { line: to, found: false } : { line: at, found: true };
    },
    *readLines(from: number, to: number) {
      for (const [index, text] of lines.slice(from, to).entries()) {
        read.push(from + index);
        yield { line: from + index, reader: { spaced: () => text } };
      }
    },
  };
  const view = { terminal, exitStatus: null, outputEnd: 0, rawOutput: () => [], onEvent: () => {} };
  const secrets = new KnownSecrets();
  const seen = new SeenSecrets({ view: view as unknown as SessionView, secrets });
  return { seen, secrets, read };
}

const url = (number: number) => `fetch https://app:secret-${number}@db.example/`;

it('no more lines are read than have secrets that are kept', () => {
  const { seen, secrets, read } = showing(Array.from({ length: 10_000 }, (_, line) => url(line)));
  seen.search();
  const newest = Array.from({ length: 256 }, (_, index) => `secret-${9_744 + index}`);
  expect(secrets.learned.seen).toEqual(newest);
  expect(read.length).toBeLessThan(600);
  seen.search();
  expect(read.length).toBeLessThan(600);
});

it('few secrets are found in many lines', () => {
  const lines = Array.from({ length: 10_000 }, (_, line) => (line % 2_000 ? 'plain' : url(line)));
  const { seen, secrets, read } = showing([...lines, 'https://not.a.secret/', '$ ']);
  seen.search();
  const found = [0, 2_000, 4_000, 6_000, 8_000].map((line) => `secret-${line}`);
  expect(secrets.learned.seen).toEqual(found);
  expect(read.length).toBeLessThan(10);
});
