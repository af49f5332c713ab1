import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import { tree } from '../../../../test/support/tree.ts';
import { tarOf } from './package-files.ts';

const name = fc.stringMatching(/^[a-z@][\w.-]{0,49}$/);
const file = fc.record({
  path: fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/')),
  bytes: fc.uint8Array({ maxLength: 1_100 }),
  isExecutable: fc.boolean(),
});
/** No path is the directory of another one. */
const files = fc
  .array(file, { maxLength: 6 })
  .map((all) => all.map((each, at) => ({ ...each, path: `${at}/${each.path}` })));

it('tar unpacks what was packed', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(files, (packed) => {
      const directory = tree();
      execFileSync('tar', ['-xf', '-', '-C', directory], { input: tarOf(packed) });
      for (const { path, bytes, isExecutable } of packed) {
        const at = join(directory, path);
        expect(readFileSync(at)).toEqual(Buffer.from(bytes));
        expect((statSync(at).mode & 0o100) !== 0).toBe(isExecutable);
      }
    }),
    runs(10),
  );
});

it('refuses a path that the format cannot hold', () => {
  const path = 'x'.repeat(101);
  expect(() => tarOf([{ path, bytes: new Uint8Array(), isExecutable: false }])).toThrow(RangeError);
});
