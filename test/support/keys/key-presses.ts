import fc from 'fast-check';
import { defined } from '#base';
import { keyNames } from '#keys';
import type { KeyAction, KeyPress } from '#model';

const flag = fc.constant(true as const);

/** Any combination of modifiers. */
export const arbitraryModifiers: fc.Arbitrary<Omit<KeyPress, 'key'>> = fc.record(
  { ctrl: flag, alt: flag, shift: flag, super: flag, hyper: flag, meta: flag },
  { requiredKeys: [] },
);

const character = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 1 })
  .filter((text) => /^[^\p{Cc}\p{Cs}]$/u.test(text));

/** Any press of a key, by name or by character. */
export const arbitraryPress: fc.Arbitrary<KeyPress> = fc
  .tuple(fc.oneof(fc.constantFrom(...keyNames), character), arbitraryModifiers)
  .map(([key, modifiers]) => ({ key, ...modifiers }));

const layout = fc.record(
  { shiftedKey: character, baseLayoutKey: fc.constantFrom(...'`1[;/ace') },
  { requiredKeys: [] },
);

/** Letters are named without shift. */
const isBase = (char: string): boolean => char.toLowerCase() === char;

const layoutPress = fc
  .tuple(character.filter(isBase), arbitraryModifiers, layout)
  .map(([key, modifiers, { shiftedKey, baseLayoutKey }]) => ({
    key,
    ...modifiers,
    ...defined({ shiftedKey, baseLayoutKey }),
  }));

/** Any press, repeat or release, also of a key on another layout. */
export const arbitraryKeyEvent: fc.Arbitrary<KeyPress> = fc
  .tuple(
    fc.oneof({ arbitrary: arbitraryPress, weight: 3 }, layoutPress),
    fc.constantFrom<KeyAction | undefined>(undefined, undefined, 'repeat', 'release'),
  )
  .map(([press, action]) => (action === undefined ? press : { ...press, action }));
