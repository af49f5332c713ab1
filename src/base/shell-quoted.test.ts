import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shellQuoted } from './shell-quoted.ts';

it('leaves plain words unchanged and quotes others', () => {
  expect(['/a/b-c_1.sock', 'x=1', 'a b', "it's", '', '$HOME', '~/x', '*'].map(shellQuoted)).toEqual(
    ['/a/b-c_1.sock', 'x=1', "'a b'", `'it'\\''s'`, "''", "'$HOME'", "'~/x'", "'*'"],
  );
});

it('quotes any text as one word of sh', () => {
  const text = fc.string({ unit: 'binary-ascii' }).filter((each) => !each.includes('\0'));
  const words = fc.array(text, { maxLength: 20 });
  fc.assert(
    fc.property(words, (words) => {
      const script = `printf '%s\\0' x ${words.map(shellQuoted).join(' ')}`;
      const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
      expect(stdout).toBe(['x', ...words, ''].join('\0'));
    }),
    { numRuns: 20 },
  );
});
