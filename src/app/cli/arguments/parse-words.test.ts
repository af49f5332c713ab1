import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import { parseWords, WordProblem } from './parse-words.ts';

const syntax = {
  all: { takesValue: false, short: 'a' },
  quiet: { takesValue: false },
  out: { takesValue: true, short: 'o' },
  size: { takesValue: true },
};

/** What Node's parser returns for the same flags; null if it fails. */
function byNode(args: string[]) {
  const options = Object.fromEntries(
    Object.entries(syntax).map(([name, flag]) => [
      name,
      {
        type: flag.takesValue ? ('string' as const) : ('boolean' as const),
        ...('short' in flag && { short: flag.short }),
      },
    ]),
  );
  try {
    const { tokens, positionals } = parseArgs({
      ...{ args, options, allowPositionals: true, tokens: true },
    });
    const flags = tokens.flatMap((each) =>
      each.kind === 'option' ? [{ name: each.name, value: each.value ?? true }] : [],
    );
    return { flags, positionals };
  } catch {
    return null;
  }
}

function ours(words: string[]) {
  try {
    return parseWords(words, syntax);
  } catch (error) {
    expect(error).toBeInstanceOf(WordProblem);
    return null;
  }
}

const word = fc.oneof(
  fc.constantFrom('-', '--', '-a', '-o', '-x', '-ao', '-oa', '-aa', '-oFILE', '-o=1', '-ax'),
  fc.constantFrom('--all', '--all=1', '--out', '--out=', '--out=-1', '--size', '--size=a=b', '--'),
  fc.constantFrom('--=', '--x', '--x=1', '--quiet', 'text', '', 'a=b', '-1', '--toString'),
  fc.string({ unit: fc.constantFrom('-', 'a', 'o', 'x', '='), maxLength: 6 }),
);

it('words are parsed as by the parser of Node', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      // Node reads `-` in a group of letters as `--`.
      fc.pre(!words.some((each) => /^-a+-/.test(each)));
      expect(ours(words)).toEqual(byNode(words));
    }),
    runs(300),
  );
});
