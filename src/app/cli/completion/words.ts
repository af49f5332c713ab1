import type { Verb } from '../verb.ts';

/** What can be completed after a verb. */
export interface CompletedVerb {
  readonly name: string;
  readonly summary: string;
  /** `--json` and `-j`, without values. */
  readonly flags: readonly CompletedFlag[];
  readonly args: readonly CompletedWord[];
}

export interface CompletedFlag {
  readonly name: string;
  readonly short?: string;
  readonly about: string;
  /** Null for a switch. */
  readonly value: CompletedWord | null;
}

/** What a word is completed from; null from nothing. */
export type CompletedWord = 'session' | 'file' | readonly string[] | null;

/** The verbs as shells need them: their first words, and what comes after. */
export function completedVerbs(verbs: readonly Verb[]): CompletedVerb[] {
  return verbs.map(({ name, summary, args, flags }) => ({
    name,
    summary,
    args: Object.values(args).map(({ completes }) => completes ?? null),
    flags: Object.entries(flags).map(([flag, { short, about, value, completes }]) => ({
      name: flag,
      about,
      value: value === null ? null : (completes ?? []),
      ...(short === undefined ? {} : { short }),
    })),
  }));
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

/** In single quotes, for sh and its kin. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
