import { defined } from '#base';
import { isCharacter } from '#keys';
import type { KeyPress } from '#model';
import type { TapeAction } from './commands.ts';
import {
  defaultSettings,
  type Setting,
  type SettingName,
  settingKinds,
  type ValueKind,
  windowBars,
} from './settings.ts';
import type { TokenReader } from './token-reader.ts';

/** The keys that are commands, and their names in vtr. */
const named: Readonly<Record<string, string>> = {
  Backspace: 'backspace',
  Delete: 'delete',
  Insert: 'insert',
  Enter: 'enter',
  Escape: 'escape',
  Tab: 'tab',
  Space: 'space',
  Up: 'up',
  Down: 'down',
  Left: 'left',
  Right: 'right',
  PageUp: 'pageup',
  PageDown: 'pagedown',
  Home: 'home',
  End: 'end',
  ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`F${at + 1}`, `f${at + 1}`])),
};

const modifiers = ['Ctrl', 'Alt', 'Shift'] as const;

export const keyCommands: readonly string[] = [...Object.keys(named), ...modifiers];

/** Reads `KEY[@TIME] [COUNT]`, or `Ctrl+KEY`, after its first word. */
export function readKeys(word: string, reader: TokenReader): TapeAction {
  const key = named[word];
  if (key === undefined) return combination(word, reader);
  const delayMs = reader.optionalTime(`${word}@500ms`);
  const count = reader.isNumber() ? reader.wholeNumber('a count', `${word} 3`) : 1;
  return { type: 'keys', keys: [{ key }], count, delayMs };
}

/** Reads the rest of `Ctrl+Alt+Shift+KEY`, in any order; several keys are pressed one after another. */
function combination(first: string, reader: TokenReader): TapeAction {
  const modifierSet = new Set([first]);
  const keys: string[] = [];
  while (reader.takes('+')) {
    const { text } = reader.next;
    const isModifier = (modifiers as readonly string[]).includes(text);
    if (isModifier && keys.length > 0) throw reader.wrong('modifiers come before the key');
    if (isModifier) modifierSet.add(reader.take().text);
    else keys.push(...keysOf(first, reader));
  }
  if (keys.length === 0) throw reader.expected('a key', example(first));
  const isControl = modifierSet.has('Ctrl');
  const press = (key: string): KeyPress => ({
    key: isControl && isCharacter(key) ? key.toLowerCase() : key,
    ...defined({ ctrl: isControl || undefined }),
    ...(modifierSet.has('Alt') && { alt: true }),
    ...(modifierSet.has('Shift') && { shift: true }),
  });
  return { type: 'keys', keys: keys.map(press), count: 1, delayMs: 0 };
}

const example = (modifier: string): string => (modifier === 'Ctrl' ? 'Ctrl+C' : `${modifier}+Tab`);

function keysOf(modifier: string, reader: TokenReader): string[] {
  const { type, text } = reader.next;
  const key = named[text];
  if (key !== undefined) return [named[reader.take().text] as string];
  const characters = [...text];
  const fits = modifier === 'Ctrl' ? characters.length === 1 : type !== 'end';
  if (fits && characters.every(isCharacter)) return [...reader.take().text];
  throw reader.expected('one character or the name of a key', example(modifier));
}

const names = Object.keys(settingKinds) as SettingName[];

/** Reads `NAME VALUE` after `Set`. */
export function readSetting(reader: TokenReader): Setting {
  const { text } = reader.next;
  const name = names.find((each) => each === text);
  if (name === undefined || !reader.isOnSameLine) throw reader.unknown('setting', text, names);
  reader.take();
  const value = readers[settingKinds[name]](reader, `Set ${name} ${defaultSettings[name]}`);
  // Each kind reads the type of its settings.
  return check({ name, value } as Setting, reader);
}

const readers: Readonly<
  Record<ValueKind, (reader: TokenReader, example: string) => string | number | boolean>
> = {
  text: (reader, example) =>
    reader.next.type === 'json' ? json(reader) : reader.text('a text', example),
  'whole number': (reader, example) => {
    const value = reader.wholeNumber('a whole number', example);
    reader.takes('px');
    return value;
  },
  number: (reader, example) => reader.number('a number', example),
  percentage: (reader, example) => {
    const value = reader.number('a percentage', example);
    reader.takes('%');
    return value;
  },
  time: (reader) => reader.time('500ms'),
  'regular expression': (reader, example) => {
    if (reader.next.type === 'string') return reader.checkedRegex();
    return reader.regex(example.replace(/\S+$/, '/>$/'));
  },
  boolean: (reader, example) => {
    if (reader.takes('true')) return true;
    if (reader.takes('false')) return false;
    throw reader.expected('true or false', example);
  },
};

function json(reader: TokenReader): string {
  try {
    JSON.parse(reader.next.text);
  } catch (error) {
    throw reader.wrong(`the theme is not valid JSON: ${(error as Error).message}`);
  }
  return reader.take().text;
}

function check(setting: Setting, reader: TokenReader): Setting {
  const { name, value } = setting;
  if (name === 'WindowBar' && value !== '' && !windowBars.includes(value)) {
    throw reader.wrong(`there is no window bar ${value}; use ${windowBars.join(', ')}`);
  }
  if (name === 'MarginFill' && value.startsWith('#') && !/^#[\da-f]{6}$/i.test(value)) {
    throw reader.wrong(`${value} is not a colour; use six hexadecimal digits, such as #674EFF`);
  }
  if (name === 'WaitTimeout' && value <= 0) throw reader.wrong('WaitTimeout must be more than 0');
  return setting;
}
