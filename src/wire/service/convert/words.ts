import type * as wire from '#messages';
import { enumValues } from '../gen/message-fields.gen.ts';

type EnumName = keyof typeof enumValues & keyof typeof wire;

/** A value of an enum as the model spells it: in lower case, without UNSPECIFIED. */
type WordOf<Name extends EnumName> = Lowercase<
  Exclude<keyof (typeof wire)[Name] & string, 'UNSPECIFIED'>
>;

type ValueOf<Name extends EnumName> = (typeof wire)[Name][keyof (typeof wire)[Name]];

/** Numbers by word, for each enum that was used. */
const enums = new Map<EnumName, ReadonlyMap<string, number>>();

function numbersOf(name: EnumName): ReadonlyMap<string, number> {
  const known = enums.get(name);
  if (known !== undefined) return known;
  const numbers = new Map<string, number>();
  const [_prefix, ...values] = enumValues[name].split(' ');
  for (const each of values) {
    const [value = '', number] = each.split('=');
    numbers.set(value.toLowerCase(), Number(number));
  }
  enums.set(name, numbers);
  return numbers;
}

/** Converts a word of the model to a value of an enum. An absent or unknown word becomes UNSPECIFIED, 0. */
export function enumOf<Name extends EnumName>(
  name: Name,
  word: WordOf<Name> | null | undefined,
): ValueOf<Name> {
  return ((word && numbersOf(name).get(word)) ?? 0) as ValueOf<Name>;
}

/** Converts a value of an enum to a word. Undefined for UNSPECIFIED, and for values of a later version. */
export function wordOf<Name extends EnumName>(name: Name, value: number): WordOf<Name> | undefined {
  for (const [word, number] of numbersOf(name)) if (number === value) return word as WordOf<Name>;
  return undefined;
}
