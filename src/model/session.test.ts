import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSessionName } from '#model';
import { runs } from '../../test/support/run/runs.ts';

/** Characters that could escape from a directory, a line or a message. */
const hostile = fc.constantFrom(
  '/',
  '\\',
  '..',
  '\0',
  '\n',
  '\r',
  '\x1b',
  ' ',
  ':',
  '%2f',
  '\u202e',
  'é',
);
const allowed = 'ABCXYZabcxyz0189._-';
const letters = fc.string({ unit: fc.constantFrom(...allowed), minLength: 1, maxLength: 64 });

describe('checkSessionName', () => {
  it('accepts names of the allowed characters', () => {
    const check = (name: string) =>
      name === '.' || name === '..' || checkSessionName(name) === name;
    fc.assert(fc.property(letters, check), runs(200));
  });

  it('rejects any other character at any position', () => {
    const parts = fc.tuple(
      fc.option(letters, { nil: '' }),
      hostile,
      fc.option(letters, { nil: '' }),
    );
    const property = fc.property(parts, (words) => {
      const name = words.join('');
      if (/^[A-Za-z0-9._-]*$/.test(name) && name !== '..') return;
      expect(() => checkSessionName(name)).toThrow('is not allowed; use 1 to 64 characters');
    });
    fc.assert(property, runs(500));
  });

  it.each(['', '.', '..', 'x'.repeat(65)])('rejects %j', (name) => {
    expect(() => checkSessionName(name)).toThrow('is not allowed');
  });
});
