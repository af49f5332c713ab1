import { effect, type Signal, signal } from '@preact/signals';

/** What this browser keeps of a person's choices, all under one prefix. */
const prefix = 'vtr.';

/** Returns what was kept; undefined for nothing, and where the browser keeps nothing. */
export function readKept(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(prefix + key) ?? '');
  } catch {
    return undefined;
  }
}

/** Keeps a value; does nothing where the browser keeps nothing, or has no more room. */
export function keep(key: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + key, JSON.stringify(value));
  } catch {
    // It holds until the page is closed.
  }
}

/**
 * Returns a choice that this browser keeps.
 *
 * @param read returns what was kept if it is valid, else undefined: an older page may have kept something else
 */
export function keptValue<Value>(
  key: string,
  initial: Value,
  read: (value: unknown) => Value | undefined,
): Signal<Value> {
  const choice = signal(read(readKept(key)) ?? initial);
  let isFirst = true;
  effect(() => {
    const { value } = choice;
    if (!isFirst) keep(key, value);
    isFirst = false;
  });
  return choice;
}

/** A boolean that this browser keeps. */
export const keptFlag = (key: string, initial: boolean): Signal<boolean> =>
  keptValue(key, initial, (value) => (typeof value === 'boolean' ? value : undefined));

/** A choice of several words that this browser keeps. */
export const keptWord = <Word extends string>(
  key: string,
  words: readonly [Word, ...Word[]],
): Signal<Word> => keptValue<Word>(key, words[0], (value) => words.find((word) => word === value));

/** A set of words that this browser keeps, as those of what is folded. */
export const keptWords = (key: string): Signal<ReadonlySet<string>> => {
  const words = signal<ReadonlySet<string>>(new Set(asTexts(readKept(key))));
  let isFirst = true;
  effect(() => {
    const all = [...words.value];
    if (!isFirst) keep(key, all);
    isFirst = false;
  });
  return words;
};

const asTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
