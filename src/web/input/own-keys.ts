import type { KeyPress } from '#model';

/** A button of the key bar that a person added. */
export interface OwnKey {
  readonly label: string;
  /** The key that it presses; absent if it types the text. */
  readonly press?: KeyPress;
  readonly text: string;
}

const named = new Set([
  ...['enter', 'escape', 'tab', 'space', 'backspace', 'delete', 'insert', 'home', 'end'],
  ...['pageup', 'pagedown', 'up', 'down', 'left', 'right'],
  ...Array.from({ length: 12 }, (_, at) => `f${at + 1}`),
]);
const modifiers = new Set(['ctrl', 'alt', 'shift']);

/** Returns the buttons that a person wants: keys such as `ctrl+c` and `f5`, and words that are typed, between blanks. */
export function ownKeys(text: string): readonly OwnKey[] {
  const words = [...new Set(text.split(/\s+/).filter(Boolean))];
  return words.map((word) => {
    const press = pressOf(word.toLowerCase());
    return press === null ? { label: word, text: word } : { label: word, text: '', press };
  });
}

function pressOf(word: string): KeyPress | null {
  const parts = word.split('+');
  const key = parts.pop() ?? '';
  const isKey = named.has(key) || (parts.length > 0 && [...key].length === 1);
  if (!isKey || !parts.every((part) => modifiers.has(part))) return null;
  return { key, ...Object.fromEntries(parts.map((part) => [part, true])) };
}
