import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkFileSize, keptName, maxFileBytes } from '#model';
import { runs } from '../../test/support/run/runs.ts';

it('the name of a file needs no quotes, stays in its directory, and shows as it is', () => {
  const parts = fc.constantFrom(
    ...['../', '..', '/', '\\', '.', '-', ' ', '\n', '\0', '\x1b[2J', '$(id)', '`', '"', "'", '*'],
    ...['\u202e', '\u200b', '\u3164', '漢', 'é', 'e\u0301', '\u0301', '🙂', '.png', '~', ';'],
  );
  const part = fc.oneof(parts, fc.string({ unit: 'binary', maxLength: 120 }));
  const hostile = fc.array(part, { maxLength: 12 }).map((all) => all.join(''));
  fc.assert(
    fc.property(hostile, (original) => {
      const name = keptName(original);
      expect(name).toMatch(/^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u);
      expect(name).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      expect(keptName(name)).toBe(name);
    }),
    runs(300),
  );
});

it.each([
  ['image.png', 'image.png'],
  ['Screenshot 2026-11-30 at 09.41.00.png', 'Screenshot-2026-11-30-at-09.41.00.png'],
  ['C:\\fakepath\\build.log', 'build.log'],
  ['../../.ssh/authorized_keys', 'authorized_keys'],
  ['.png', 'png'],
  ['漢🙂.png', '漢-.png'],
  ['', 'file'],
  ['-rf', 'rf'],
  ['e\u0301tude 漢字.txt', '\u00e9tude-漢字.txt'],
  [`${'a'.repeat(300)}.jpeg`, `${'a'.repeat(75)}.jpeg`],
])('%j is kept as %j', (original, name) => {
  expect(keptName(original)).toBe(name);
});

it('a file has 0 to 8 MiB', () => {
  for (const bytes of [0, 1, maxFileBytes]) expect(() => checkFileSize(bytes)).not.toThrow();
  for (const bytes of [-1, 1.5, Number.NaN, maxFileBytes + 1]) {
    expect(() => checkFileSize(bytes)).toThrow(
      'a file has at most 8 MiB; copy a larger one by scp',
    );
  }
});
