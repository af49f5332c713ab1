import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shellQuoted } from '#base';
import { runs } from '../../../test/support/run/runs.ts';
import { splitWords } from './split-words.ts';

const text = fc.string({ unit: 'grapheme-ascii', maxLength: 12 });

it('splits quoted words into the words', () => {
  fc.assert(
    fc.property(fc.array(text), (words) => {
      expect(splitWords(words.map(shellQuoted).join('  '))).toEqual(words);
    }),
    runs(300),
  );
});

it('splits as sh does, or refuses', () => {
  const lines = fc.sample(
    fc.array(fc.constantFrom('a', 'b', ' ', '\t', "'", '"', '\\', '%', '=', '-', '$', '|', '#')),
    { numRuns: 300, seed: 1 },
  );
  let count = 0;
  const scripts = lines.map((parts) => {
    const words = splitWords(parts.join(''));
    if (typeof words === 'string') return [];
    count++;
    // Prints each word on a line, and then a line that cannot be a word.
    return [{ words, line: `printf '%s\\n' ${parts.join('')} -- \n printf '\\001\\n'` }];
  });
  const accepted = scripts.flat();
  const { stdout, status } = spawnSync('sh', ['-c', accepted.map(({ line }) => line).join('\n')], {
    encoding: 'utf8',
  });
  expect([status, count > 50]).toEqual([0, true]);
  const found = stdout.split('\x01\n').slice(0, -1);
  expect(found).toEqual(accepted.map(({ words }) => `${[...words, '--'].join('\n')}\n`));
});
