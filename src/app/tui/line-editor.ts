import { keyText } from '#keys';
import type { TtyEvent } from '#tty';

/** A line that a person edits. */
export interface LineText {
  readonly text: string;
  /** The cursor, in UTF-16 code units. */
  readonly at: number;
}

export const emptyLine: LineText = { text: '', at: 0 };

type Edit = (line: LineText) => LineText;

const edits: Readonly<Record<string, Edit>> = {
  left: ({ text, at }) => ({ text, at: before(text, at) }),
  right: ({ text, at }) => ({ text, at: after(text, at) }),
  home: ({ text }) => ({ text, at: 0 }),
  end: ({ text }) => ({ text, at: text.length }),
  backspace: ({ text, at }) => without(text, before(text, at), at),
  delete: ({ text, at }) => without(text, at, after(text, at)),
  'ctrl+u': ({ text, at }) => without(text, 0, at),
  'ctrl+k': ({ text, at }) => without(text, at, text.length),
  'ctrl+w': ({ text, at }) => without(text, wordStart(text, at), at),
};

const synonyms: Readonly<Record<string, string>> = {
  'ctrl+b': 'left',
  'ctrl+f': 'right',
  'ctrl+a': 'home',
  'ctrl+e': 'end',
  'ctrl+h': 'backspace',
  'ctrl+d': 'delete',
  'alt+backspace': 'ctrl+w',
  'ctrl+backspace': 'ctrl+w',
};

/**
 * Returns a line after an event: a character, a paste, or a key that readline has for editing. Line
 * ends of a paste are spaces.
 *
 * @returns null if the event does not edit a line
 */
export function edited(line: LineText, event: TtyEvent): LineText | null {
  if (event.type === 'paste') return inserted(line, event.text.replace(/\s*[\r\n]+\s*/g, ' '));
  if (event.type !== 'key' || event.action === 'release') return null;
  const name = keyText(event.press);
  const edit = edits[synonyms[name] ?? name];
  if (edit !== undefined) return edit(line);
  const typed = name === 'space' ? ' ' : name;
  return [...typed].length === 1 ? inserted(line, typed) : null;
}

function inserted({ text, at }: LineText, added: string): LineText {
  const plain = added.replace(/\p{Cc}/gu, '');
  return { text: text.slice(0, at) + plain + text.slice(at), at: at + plain.length };
}

const without = (text: string, start: number, end: number): LineText => ({
  text: text.slice(0, start) + text.slice(end),
  at: start,
});

/** Where the character before the cursor begins, as a person counts characters. */
function before(text: string, at: number): number {
  let start = 0;
  for (const { index } of graphemes(text)) if (index < at) start = index;
  return start;
}

function after(text: string, at: number): number {
  for (const { index } of graphemes(text)) if (index > at) return index;
  return text.length;
}

const graphemes = (text: string): Iterable<{ readonly index: number }> =>
  new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text);

const wordStart = (text: string, at: number): number =>
  text.slice(0, at).replace(/\S+\s*$|\s+$/u, '').length;
