import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import { defineVerb, type Verb } from '../verb.ts';
import { assignments, duration, size, text, toggle, wholeNumber } from './flags.ts';
import { parseArguments, parseWords, usageOf, WordProblem } from './parse-arguments.ts';
import { waitFlag } from './wait-flags.ts';

describe('parse arguments', () => {
  const verb = defineVerb({
    name: 'try',
    summary: 'try it',
    args: { one: { about: '' }, more: { about: '', optional: true, many: true } },
    flags: {
      all: toggle('', { short: 'a' }),
      out: text('FILE', ''),
      wait: duration(''),
      n: wholeNumber('N', '', { from: 1, to: 9, short: 'n' }),
      size: size(''),
      env: assignments('NAME=VALUE', ''),
      label: assignments('KEY=VALUE', ''),
      reply: waitFlag,
    },
    rest: 'PROGRAM',
    examples: [],
    run: async () => undefined,
  });

  const parse = (...words: readonly string[]) => parseArguments(verb, words);

  describe('parseArguments', () => {
    it('returns the declared arguments and flags', () => {
      const words = '-a x --out f y --wait 1.5s -n 3 --size 100x30 --env A=1 --env B== z';
      expect(parse(...words.split(' '), '--', '--all', 'w')).toEqual({
        args: { one: 'x', more: ['y', 'z'] },
        flags: {
          all: true,
          out: 'f',
          wait: 1500,
          n: 3,
          size: { cols: 100, rows: 30 },
          env: [
            ['A', '1'],
            ['B', '='],
          ],
          label: [],
          reply: undefined,
        },
        rest: ['--all', 'w'],
      });
    });

    it('returns undefined, false or an empty list for what is not given', () => {
      expect(parse('x')).toEqual({
        args: { one: 'x', more: [] },
        flags: {
          all: false,
          out: undefined,
          wait: undefined,
          n: undefined,
          size: undefined,
          env: [],
          label: [],
          reply: undefined,
        },
        rest: null,
      });
    });

    it('returns an empty text for an optional value that is omitted', () => {
      expect(parse('x', '--reply', '--all').flags).toMatchObject({ reply: '', all: true });
      expect(parse('x', '--reply').flags).toMatchObject({ reply: '' });
    });

    it.each([
      [[], 'missing ONE'],
      [['x', '--al'], 'unknown flag --al; did you mean --all?'],
      [['x', 'program', '-z'], 'unknown flag -z (put PROGRAM after --)'],
      [['x', '--out'], '--out needs a value, FILE\nusage: '],
      [['x', '--out', '-3'], '--out needs a value, FILE; write --out=-... if it begins with -'],
      [['x', '--all=1'], '--all does not accept a value'],
      [['x', '--out', '-y'], '--out needs a value'],
      [['x', '--out', ''], '--out "": must not be empty'],
      [['x', '--reply', ''], '--reply "": must not be empty; give a regular expression'],
      [['x', '--reply='], '--reply "": must not be empty; give a regular expression'],
      [['x', '--wait', '5'], '--wait 5: use a duration such as 500ms, 5s or 2m'],
      [['x', '-n', '10'], '--n 10: use a whole number from 1 to 9'],
      [['x', '--size', '100'], '--size 100: use a size such as 120x40'],
      [['x', '--env', 'A'], '--env A: use NAME=VALUE'],
      [['x', '--label', 'A'], '--label A: use KEY=VALUE'],
    ])('refuses %j', (words, message) => {
      expect(() => parse(...words)).toThrow(
        expect.objectContaining({
          code: 'INVALID_ARGUMENT',
          message: expect.stringContaining(message),
        }),
      );
    });

    it('refuses blank words after -- that are required, with the hint of the verb', () => {
      const strict = { ...verb, args: {}, needsRest: true } as const;
      expect(() => parseArguments(strict, [])).toThrow('missing PROGRAM after --');
      expect(() => parseArguments(strict, ['--', ' '])).toThrow(/PROGRAM is empty$/m);
      const hinted = { ...strict, blankRestHint: 'press enter' };
      expect(() => parseArguments(hinted, ['--', ''])).toThrow('PROGRAM is empty; press enter');
    });

    it('refuses an empty path, which would be the current directory', () => {
      const file = { about: '', completes: 'file' } as const;
      const { rest: _rest, ...plain } = verb;
      for (const args of [{ dir: file }, { dir: { ...file, many: true } }] as const) {
        expect(() => parseArguments({ ...plain, args }, [''])).toThrow(/^DIR is empty\nusage: /);
      }
      expect(parse('').args).toEqual({ one: '', more: [] });
    });

    it('tells how a text of several words is given', () => {
      const { rest: _rest, ...plain } = verb;
      const withText = { ...plain, args: { one: { about: '' }, text: { about: '' } } };
      expect(() => parseArguments(withText, ['x', 'two', 'words'])).toThrow(
        'unexpected argument "words"; put quotes around TEXT if it has several words\n',
      );
    });

    it('treats words after -- as arguments if the verb declares no program', () => {
      const plain = { ...verb, args: { one: { about: '' } } };
      const { rest: _rest, ...without } = plain;
      expect(parseArguments(without, ['--', '-x']).args).toEqual({ one: '-x' });
      expect(() => parseArguments(without, ['x', 'y'])).toThrow('unexpected argument "y"');
      expect(() => parseArguments(without, ['-z'])).toThrow(
        'unknown flag -z (put text that begins with - after --)',
      );
    });

    it('says what a word that is no flag may be, or which flag of the verb it is', () => {
      const { rest: _rest, ...plain } = verb;
      const session = { about: '', completes: 'session', optional: true } as const;
      const of = (changes: Partial<Verb>, word: string) => () =>
        parseArguments({ ...plain, ...changes }, [word]);
      const named = 'unknown flag -z (put a name that begins with - after --)';
      expect(of({ args: { session } }, '-z')).toThrow(named);
      expect(of({ args: {} }, '-z')).toThrow(/^unknown flag -z\nusage: /);
      const otherFlags = { 9: '--signal KILL' };
      expect(of({ args: { session } }, '-t')).toThrow('unknown flag -t; give SESSION without it');
      const long = 'unknown flag --session; give SESSION without it';
      expect(of({ args: { session } }, '--session')).toThrow(long);
      expect(of({ otherFlags }, '-9')).toThrow('unknown flag -9; use --signal KILL');
    });
  });

  it('usageOf shows arguments, flags and the words after --', () => {
    expect(usageOf(verb)).toBe('vtr try ONE [MORE...] [flags] [-- PROGRAM]');
  });
});

describe('parse words', () => {
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
        args,
        options,
        allowPositionals: true,
        tokens: true,
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
    fc.constantFrom(
      '--all',
      '--all=1',
      '--out',
      '--out=',
      '--out=-1',
      '--size',
      '--size=a=b',
      '--',
    ),
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
});
