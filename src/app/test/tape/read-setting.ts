import {
  defaultSettings,
  type Setting,
  type SettingName,
  settingKinds,
  type ValueKind,
  windowBars,
} from './settings.ts';
import type { TokenReader } from './token-reader.ts';

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
