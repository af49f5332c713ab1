import type { Verb } from '../verb.ts';

/** What can be completed after a verb. */
export interface CompletedVerb {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly CompletedFlag[];
  readonly args: readonly CompletedArgument[];
  /** After `--` comes a program with its arguments. */
  readonly takesProgram: boolean;
}

interface CompletedFlag {
  readonly name: string;
  readonly short?: string;
  readonly about: string;
  /** Null for a switch. */
  readonly value: CompletedWord | null;
}

interface CompletedArgument {
  readonly from: CompletedWord;
  /** All words from here on. */
  readonly many: boolean;
}

/** What a word is completed from; an empty list is from nothing. */
export type CompletedWord = 'session' | 'file' | readonly string[];

/** The verbs as shells need them, and `help`, which is none and is typed like one. */
export function completedVerbs(verbs: readonly Verb[]): CompletedVerb[] {
  const completed = verbs.map(
    ({ name, summary, args, flags, rest }): CompletedVerb => ({
      name,
      summary,
      args: Object.values(args).map(({ completes = [], many = false }) => ({
        from: completes,
        many,
      })),
      flags: Object.entries(flags).map(([flag, { short, about, value, completes }]) => ({
        name: flag,
        about,
        value: value === null ? null : (completes ?? []),
        ...(short === undefined ? {} : { short }),
      })),
      takesProgram: rest !== undefined,
    }),
  );
  const firsts = [...byFirstWord(completed).keys()];
  const help = { name: 'help', summary: 'show help', flags: [], takesProgram: false };
  return [...completed, { ...help, args: [{ from: firsts, many: false }] }];
}

/** Verbs by their first word: a single one, or a group. */
export function byFirstWord(verbs: readonly CompletedVerb[]): Map<string, CompletedVerb[]> {
  const groups = new Map<string, CompletedVerb[]>();
  for (const verb of verbs) {
    const [first = ''] = verb.name.split(' ');
    groups.set(first, [...(groups.get(first) ?? []), verb]);
  }
  return groups;
}

/** The flags of a verb after which comes a value, as they are typed. */
export const flagsWithValue = ({ flags }: CompletedVerb): string[] =>
  flags.flatMap(({ name, short, value }) => {
    if (value === null) return [];
    return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
  });

/** In single quotes, for sh and its kin. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
