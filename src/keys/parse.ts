import { nearMisses } from '#base';
import type { KeyPress } from '#model';
import { invalidKey, nearestKeys, noSuchKey } from './invalid-key.ts';
import { type ModifierName, modifierNames } from './modifiers.ts';
import { findKeyName, isCharacter } from './names.ts';

const modifiersByWord: ReadonlyMap<string, ModifierName> = new Map([
  ...modifierNames.map((name): [string, ModifierName] => [name, name]),
  ['control', 'ctrl'],
  ['option', 'alt'],
  ['opt', 'alt'],
  ['cmd', 'super'],
  ['command', 'super'],
  ['win', 'super'],
]);

/** Returns a character unchanged, and a name in its canonical spelling. */
const asKey = (text: string): string | undefined => (isCharacter(text) ? text : findKeyName(text));

/**
 * Parses the short form of a key press: modifiers, each followed by `+`, then a character or a key
 * name. Examples: `ctrl+c`, `alt+shift+left`, `+`, `ctrl++`, `A`. Only characters are
 * case-sensitive. `_` may replace `+` after a modifier: `ctrl_c`.
 *
 * @throws VtrError INVALID_KEY; `details.nearest` has similar short forms.
 */
export function parseKey(text: string): KeyPress {
  const held: Partial<Record<ModifierName, true>> = {};
  let rest = text;
  for (;;) {
    const key = asKey(rest);
    if (key !== undefined) return { key, ...held };
    const [, word, after] = /^([^+_]+)[+_](.*)$/s.exec(rest) ?? [];
    const modifier = modifiersByWord.get(word?.toLowerCase() ?? '');
    if (modifier === undefined || after === undefined || held[modifier]) {
      throw parseError(text, rest);
    }
    held[modifier] = true;
    rest = after;
  }
}

/** Returns the error for `text`, of which `rest` could not be parsed. */
function parseError(text: string, rest: string): Error {
  if (text === '') return invalidKey(text, 'it is empty', []);
  if (rest === '' || modifiersByWord.has(rest.toLowerCase())) {
    return invalidKey(text, 'a modifier alone is not a key', []);
  }
  const before = text.slice(0, text.length - rest.length);
  const [, word, after] = /^([^+]+)(\+.+)$/s.exec(rest) ?? [];
  const nearest = word === undefined ? nearestKeys(rest) : nearestModifiers(word);
  const problem =
    word === undefined ? noSuchKey : 'only modifiers may precede +, each at most once';
  return invalidKey(
    text,
    problem,
    nearest.map((near) => `${before}${near}${after ?? ''}`),
  );
}

/** Returns none for a valid modifier, which is then a repeated one. */
function nearestModifiers(word: string): string[] {
  const folded = word.toLowerCase();
  if (modifiersByWord.has(folded)) return [];
  const close = nearMisses(folded, modifiersByWord.keys());
  return [...new Set(close.flatMap((near) => modifiersByWord.get(near) ?? []))];
}
