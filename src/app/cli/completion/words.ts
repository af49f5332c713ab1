import { defined } from '#base';
import type { Verb } from '../verb.ts';

/** The completions after a verb. */
export interface CompletedVerb {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly CompletedFlag[];
  readonly args: readonly CompletedArgument[];
  /** A program and its arguments follow `--`. */
  readonly acceptsProgram: boolean;
}

interface CompletedFlag {
  readonly name: string;
  readonly short?: string;
  readonly about: string;
  /** Null for a flag without a value. */
  readonly value: CompletedWord | null;
  /** The value may be left out. */
  readonly bare: boolean;
}

interface CompletedArgument {
  readonly from: CompletedWord;
  readonly optional: boolean;
  /** Applies to all following words. */
  readonly many: boolean;
}

/** The source of completions for a word; an empty list means none. `viewer`: who views the session that is the first word. */
export type CompletedWord = 'session' | 'file' | 'branch' | 'viewer' | readonly string[];

/** Returns the verbs in the form that shells need, and `help`, which is typed like a verb. */
export function completedVerbs(verbs: readonly Verb[]): CompletedVerb[] {
  const completed = verbs.map(
    ({ name, summary, args, flags, rest }): CompletedVerb => ({
      name,
      summary,
      args: Object.values(args).map(({ completes = [], many = false, optional = false }) => ({
        from: completes,
        many,
        optional,
      })),
      flags: Object.entries(flags).map(([flag, { short, about, value, completes, bare }]) => ({
        name: flag,
        about,
        bare: bare ?? false,
        value: value === null ? null : (completes ?? []),
        ...defined({ short }),
      })),
      acceptsProgram: rest !== undefined,
    }),
  );
  const firsts = [...byFirstWord(completed).keys()];
  const help = { name: 'help', summary: 'show help', flags: [], acceptsProgram: false };
  return [...completed, { ...help, args: [{ from: firsts, many: false, optional: true }] }];
}

/** Groups verbs by their first word. */
export function byFirstWord(verbs: readonly CompletedVerb[]): Map<string, CompletedVerb[]> {
  const groups = new Map<string, CompletedVerb[]>();
  for (const verb of verbs) {
    const [first = ''] = verb.name.split(' ');
    groups.set(first, [...(groups.get(first) ?? []), verb]);
  }
  return groups;
}

/** Returns whether verbs with the same first word have second ones; one of them may be the first word alone. */
export const hasSeconds = (group: readonly CompletedVerb[]): boolean => secondsOf(group).length > 0;

/** Returns the verb that is the first word of its group alone; undefined if there is none. */
export const ownVerbOf = (group: readonly CompletedVerb[]): CompletedVerb | undefined =>
  hasSeconds(group) ? group.find(({ name }) => !name.includes(' ')) : undefined;

/** Returns the second words of a group. */
export const secondsOf = (group: readonly CompletedVerb[]): string[] =>
  group.flatMap(({ name }) => name.split(' ')[1] ?? []);

/** Returns the flags of a verb that take a value, as typed. It does not begin with a `-`. */
export const flagsWithValue = ({ flags }: CompletedVerb): string[] =>
  flags.flatMap(({ name, short, value }) => {
    if (value === null) return [];
    return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
  });
