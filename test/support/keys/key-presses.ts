import fc from 'fast-check';
import { keyNames } from '#keys';
import type { KeyPress } from '#model';

const held = fc.constant(true as const);

/** Any combination of modifiers. */
export const arbitraryModifiers: fc.Arbitrary<Omit<KeyPress, 'key'>> = fc.record(
  { ctrl: held, alt: held, shift: held, super: held, hyper: held, meta: held },
  { requiredKeys: [] },
);

const character = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 1 })
  .filter((text) => /^[^\p{Cc}\p{Cs}]$/u.test(text));

/** Any press of a key, by name or by character. */
export const arbitraryPress: fc.Arbitrary<KeyPress> = fc
  .tuple(fc.oneof(fc.constantFrom(...keyNames), character), arbitraryModifiers)
  .map(([key, modifiers]) => ({ key, ...modifiers }));
