import { nearMisses } from '#base';
import type { KeyPress } from '#model';
import { findKeyName, invalidKey, isCharacter, nearestKeys, noSuchKey } from './names.ts';
import { onBaseLayout, resolveKey } from './resolve.ts';
import { type ModifierName, modifierBits, modifierNames } from './sequences.ts';

const modifiersByWord: ReadonlyMap<string, ModifierName> = new Map([
  ...modifierNames.map((name): [string, ModifierName] => [name, name]),
  ['control', 'ctrl'],
  ['option', 'alt'],
  ['opt', 'alt'],
  ['cmd', 'super'],
  ['command', 'super'],
  ['win', 'super'],
]);

/** Modifiers of one letter, as tmux and Emacs write them: `C-c`. */
const modifiersByLetter: ReadonlyMap<string, ModifierName> = new Map([
  ['c', 'ctrl'],
  ['m', 'alt'],
  ['s', 'shift'],
]);

/** Returns a character unchanged, and a name in its canonical spelling. */
const asKey = (text: string): string | undefined => (isCharacter(text) ? text : findKeyName(text));

/**
 * Parses the short form of a key press: modifiers, each followed by `+`, then a character or a key
 * name. Examples: `ctrl+c`, `alt+shift+left`, `+`, `ctrl++`, `A`. Only characters are
 * case-sensitive. `_` and `-` may replace `+` after a modifier: `ctrl_c`, `ctrl-c`. The notations of
 * other programs are accepted too: `C-c`, `M-x`, `S-tab` and `BTab` of tmux, and `^C`.
 *
 * @throws VtrError INVALID_KEY; `details.nearest` has similar short forms.
 */
export function parseKey(text: string): KeyPress {
  const modifiers: Partial<Record<ModifierName, true>> = {};
  let rest = text;
  for (;;) {
    const first = leadingModifier(rest);
    if (first === null) {
      const key = asKey(rest);
      if (key === undefined) throw parseError(text, rest);
      return { key, ...modifiers };
    }
    if (modifiers[first.modifier]) throw parseError(text, rest);
    modifiers[first.modifier] = true;
    rest = first.rest;
  }
}

/** Splits a text before its first modifier's key; null if the text is a key or begins with no modifier. */
function leadingModifier(
  text: string,
): { readonly modifier: ModifierName; readonly rest: string } | null {
  // Before the names: `C-r` is not the key `CR`.
  const [, letter = '', afterLetter] = /^([cms])-(.+)$/is.exec(text) ?? [];
  const short = modifiersByLetter.get(letter.toLowerCase());
  if (short !== undefined && afterLetter !== undefined)
    return { modifier: short, rest: afterLetter };
  if (asKey(text) !== undefined) return null;
  const [, control] = /^\^(.)$/su.exec(text) ?? [];
  if (control !== undefined) return { modifier: 'ctrl', rest: control };
  if (text.toLowerCase() === 'btab') return { modifier: 'shift', rest: 'tab' };
  const [, word = '', after] = /^([^+_-]+)[+_-](.*)$/s.exec(text) ?? [];
  const modifier = modifiersByWord.get(word.toLowerCase());
  return modifier === undefined || after === undefined ? null : { modifier, rest: after };
}

/** Returns the error for `text`, of which `rest` could not be parsed. */
function parseError(text: string, rest: string): Error {
  if (text === '') return invalidKey(text, 'it is empty', []);
  if (rest === '' || modifiersByWord.has(rest.toLowerCase())) {
    return invalidKey(text, 'a modifier alone is not a key', []);
  }
  const before = text.slice(0, text.length - rest.length);
  const similar = nearestKeys(rest);
  const [, word, after] = /^([^+-]+)([+-].+)$/s.exec(rest) ?? [];
  // `-` also occurs in names: `page-down`.
  const isKey = word === undefined || (after?.startsWith('-') && similar.length > 0);
  const nearest = isKey ? similar : nearestModifiers(word).map((near) => `${near}${after}`);
  const problem = isKey ? noSuchKey : 'only modifiers may precede + or -, each at most once';
  return invalidKey(
    text,
    problem,
    nearest.map((near) => `${before}${near}`),
  );
}

/** Returns none for a valid modifier, which is then a repeated one. */
function nearestModifiers(word: string): string[] {
  const folded = word.toLowerCase();
  if (modifiersByWord.has(folded)) return [];
  const close = nearMisses(folded, modifiersByWord.keys());
  return [...new Set(close.flatMap((near) => modifiersByWord.get(near) ?? []))];
}

/**
 * Returns the short form of a key press, which {@link parseKey} reads. Presses that mean the same have
 * the same short form: characters are given as typed, so shift is only written with named keys and
 * with ctrl, and with ctrl or alt a key of another alphabet is the one in its place on a US keyboard.
 * Empty for a key that does not exist.
 */
export function keyText(press: KeyPress): string {
  try {
    const resolved = resolveKey(press);
    if (resolved.kind === 'named') return withModifiers(resolved.bits, resolved.name);
    const { typed, base, bits, modifiers } = onBaseLayout(resolved);
    // With ctrl, the shift of a letter cannot be seen from the character.
    const isControl = (modifiers & modifierBits.ctrl) !== 0;
    const key = isControl ? base : typed;
    return withModifiers(
      isControl ? modifiers : bits & ~modifierBits.shift,
      key === ' ' ? 'space' : key,
    );
  } catch {
    return '';
  }
}

const withModifiers = (mask: number, key: string): string =>
  [...modifierNames.filter((name) => (mask & modifierBits[name]) !== 0), key].join('+');
