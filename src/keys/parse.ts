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

/** The key that `text` is: a character as it is, a name in its canonical spelling. */
const asKey = (text: string): string | undefined => (isCharacter(text) ? text : findKeyName(text));

/**
 * A press from its short form: modifiers, each followed by `+`, then a character or the name of a
 * key. `ctrl+c`, `alt+shift+left`, `+`, `ctrl++`, `A`. Case matters for characters only. Modifiers
 * may be followed by `_` instead: `ctrl_c`.
 *
 * @throws VtrError INVALID_KEY; `details.nearest` has short forms that may have been meant.
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
      throw unreadable(text, rest);
    }
    held[modifier] = true;
    rest = after;
  }
}

/** What to say of `text`, of which `rest` could not be read. */
function unreadable(text: string, rest: string): Error {
  if (text === '') return invalidKey(text, 'it is empty', []);
  if (rest === '' || modifiersByWord.has(rest.toLowerCase())) {
    return invalidKey(text, 'a modifier is no key by itself', []);
  }
  const before = text.slice(0, text.length - rest.length);
  const [, word, after] = /^([^+]+)(\+.+)$/s.exec(rest) ?? [];
  const nearest = word === undefined ? nearestKeys(rest) : nearestModifiers(word);
  const problem = word === undefined ? noSuchKey : 'what comes before + has to be a modifier, once';
  return invalidKey(
    text,
    problem,
    nearest.map((near) => `${before}${near}${after ?? ''}`),
  );
}

/** None for a modifier: that one is there twice. */
function nearestModifiers(word: string): string[] {
  const folded = word.toLowerCase();
  if (modifiersByWord.has(folded)) return [];
  const close = nearMisses(folded, modifiersByWord.keys());
  return [...new Set(close.flatMap((near) => modifiersByWord.get(near) ?? []))];
}
