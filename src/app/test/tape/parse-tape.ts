import { isSize, maxSide, type Size } from '#model';
import { checkGoldenName, type Region } from '../golden/golden-file.ts';
import type {
  OutputFormat,
  Place,
  Scope,
  StillFormat,
  TapeAction,
  TapeCommand,
} from './commands.ts';
import { keyCommands, readKeys, readSetting } from './read-commands.ts';
import { TapeError, TokenReader } from './token-reader.ts';

export interface ParsedTape {
  readonly commands: readonly TapeCommand[];
  readonly errors: readonly TapeError[];
}

export interface ParseOptions {
  /** Returns the text of a tape that `Source` names. @throws Error if it cannot be read */
  readonly readTape: (path: string) => string;
}

/** Parses a tape: the language of VHS, with what vtr adds. All mistakes are found at once. */
export function parseTape(file: string, text: string, options: ParseOptions): ParsedTape {
  return new TapeParser(file, text, options).parse();
}

type Reading = (parser: TapeParser, reader: TokenReader) => TapeAction | readonly TapeCommand[];

class TapeParser {
  readonly #file: string;
  readonly #reader: TokenReader;
  readonly #options: ParseOptions;
  readonly #commands: TapeCommand[] = [];
  readonly #errors: TapeError[] = [];

  constructor(file: string, text: string, options: ParseOptions) {
    this.#file = file;
    this.#reader = new TokenReader(file, text);
    this.#options = options;
  }

  parse(): ParsedTape {
    while (!this.#reader.isAtEnd) {
      const { line } = this.#reader.place;
      try {
        this.#command();
      } catch (error) {
        if (!(error instanceof TapeError)) throw error;
        this.#errors.push(error);
        this.#reader.skipLine(line);
      }
    }
    if (this.#commands.length === 0 && this.#errors.length === 0) {
      const place = { file: this.#file, line: 1, column: 1 };
      this.#errors.push(new TapeError(place, 'the tape has no commands'));
    }
    return { commands: this.#commands, errors: this.#errors };
  }

  #command(): void {
    const { place, restOfLine: text } = this.#reader;
    const { type, text: word } = this.#reader.next;
    const read = Object.hasOwn(commands, word) ? commands[word] : undefined;
    const isKey = keyCommands.includes(word);
    if (type !== 'word' || (read === undefined && !isKey)) {
      throw this.#reader.unknown('command', word, [...Object.keys(commands), ...keyCommands]);
    }
    this.#reader.take();
    const command = read?.(this, this.#reader) ?? readKeys(word, this.#reader);
    if ('type' in command) this.#commands.push({ ...place, text, action: command });
    else this.#commands.push(...command);
  }

  /** Returns the commands of another tape, without its outputs. */
  source(reader: TokenReader): readonly TapeCommand[] {
    const { place } = reader;
    const path = reader.text('a tape', 'Source setup.tape');
    const wrong = (reason: string) => new TapeError(place, `Source ${path}: ${reason}`);
    if (!path.endsWith('.tape')) throw wrong('the name of a tape ends with .tape');
    let text: string;
    try {
      text = this.#options.readTape(path);
    } catch (error) {
      throw wrong((error as Error).message);
    }
    const readTape = () => {
      throw new Error(`a tape that ${this.#file} sources cannot source another one`);
    };
    const { commands: sourced, errors } = parseTape(path, text, { readTape });
    this.#errors.push(...errors);
    return sourced.filter(({ action }) => action.type !== 'output');
  }
}

/** Each reads what follows the word. */
const commands: Readonly<Record<string, Reading>> = {
  Output: (_, reader) => {
    const { place } = reader;
    const path = reader.text('the path of a file', 'Output demo.gif');
    return { type: 'output', path, format: formatOf(path, place) };
  },
  Require: (_, reader) => ({ type: 'require', program: reader.text('a program', 'Require git') }),
  Set: (_, reader) => ({ type: 'set', setting: readSetting(reader) }),
  Env: (_, reader) => ({
    type: 'env',
    name: reader.text('the name of a variable', 'Env NAME "value"'),
    value: reader.text('a value', 'Env NAME "value"'),
  }),
  Source: (parser, reader) => parser.source(reader),
  Type: (_, reader) => {
    const delayMs = reader.optionalTime('Type@50ms "text"');
    return { type: 'type', delayMs, text: words(reader, 'Type "text"') };
  },
  Copy: (_, reader) => ({ type: 'copy', text: words(reader, 'Copy "text"') }),
  Paste: () => ({ type: 'paste' }),
  Sleep: (_, reader) => ({ type: 'sleep', ms: reader.time('Sleep 500ms') }),
  Hide: () => ({ type: 'hide' }),
  Show: () => ({ type: 'show' }),
  ScrollUp: scroll,
  ScrollDown: scroll,
  Screenshot: (_, reader) => {
    const { place } = reader;
    const path = reader.text('the path of a file', 'Screenshot demo.png');
    const outputFormat = formatOf(path, place);
    const format = stillFormats.find((each) => each === outputFormat);
    if (format === undefined) {
      const message = `a screenshot cannot be ${path}; use .png, .svg, .html, .txt or .ascii`;
      throw new TapeError(place, message);
    }
    return { type: 'screenshot', path, format };
  },
  Wait: (_, reader) => {
    const scope = scopeOf(reader, ['Line', 'Screen']);
    const timeoutMs = positiveTime(reader, 'Wait@10s');
    const pattern = reader.isRegex() ? reader.checkedRegex() : null;
    return { type: 'expect', scope, not: false, pattern, timeoutMs };
  },
  Expect: (_, reader) => {
    const scope = scopeOf(reader, ['Screen', 'Line', 'Output']);
    const timeoutMs = positiveTime(reader, 'Expect@10s');
    const not = reader.takes('not');
    return { type: 'expect', scope, not, pattern: reader.regex('Expect /done/'), timeoutMs };
  },
  Settle: (_, reader) => ({ type: 'settle', quietMs: reader.time('Settle 300ms') }),
  WaitCommand: (_, reader) => {
    const timeoutMs = positiveTime(reader, 'WaitCommand@10s');
    const example = 'WaitCommand exit 0';
    const status = reader.takes('exit') ? reader.wholeNumber('an exit status', example) : null;
    return { type: 'waitCommand', status, timeoutMs };
  },
  Match: (_, reader) => match(reader),
  Click: (_, reader) => {
    if (reader.isRegex()) return { type: 'click', on: reader.checkedRegex() };
    const example = 'Click /OK/, or Click 3,10';
    const row = reader.wholeNumber('a regular expression, or a row', example);
    comma(reader, example);
    return { type: 'click', on: { row, col: reader.wholeNumber('a column', example) } };
  },
  Exit: (_, reader) => {
    const timeoutMs = positiveTime(reader, 'Exit@10s 0');
    return { type: 'exit', status: reader.wholeNumber('an exit status', 'Exit 0'), timeoutMs };
  },
  Resize: (_, reader) => ({ type: 'resize', size: size(reader) }),
};

function scroll(_: TapeParser, reader: TokenReader): TapeAction {
  reader.optionalTime('ScrollUp@50ms');
  if (reader.isNumber()) reader.wholeNumber('a count', 'ScrollUp 3');
  return { type: 'scroll' };
}

/** Words on one line and strings on any, joined by spaces. */
function words(reader: TokenReader, example: string): string {
  const words = [reader.text('a text', example)];
  const isCommand = (text: string) => Object.hasOwn(commands, text) || keyCommands.includes(text);
  for (;;) {
    const { type, text } = reader.next;
    const isWord = type === 'word' && reader.isOnSameLine && !isCommand(text);
    if (type !== 'string' && !isWord) return words.join(' ');
    words.push(reader.take().text);
  }
}

const suffixes: Readonly<Record<string, OutputFormat>> = {
  txt: 'text',
  ascii: 'text',
  test: 'text',
  cast: 'cast',
  gif: 'gif',
  apng: 'apng',
  mp4: 'mp4',
  webm: 'webm',
  png: 'png',
  svg: 'svg',
  html: 'html',
};

const stillFormats: readonly StillFormat[] = ['text', 'png', 'svg', 'html'];

function formatOf(path: string, place: Place): OutputFormat {
  if (path.endsWith('/')) return 'frames';
  const [, suffix = ''] = /\.(\w+)$/.exec(path) ?? [];
  const format = Object.hasOwn(suffixes, suffix) ? suffixes[suffix] : undefined;
  if (format !== undefined) return format;
  const endings = Object.keys(suffixes).map((each) => `.${each}`);
  const message = `the format of ${path} is unknown; use ${endings.join(', ')}, or DIRECTORY/`;
  throw new TapeError(place, message);
}

function scopeOf(reader: TokenReader, allowed: readonly [Scope, ...Scope[]]): Scope {
  if (!reader.takes('+')) return allowed[0];
  const { text } = reader.next;
  const scope = allowed.find((each) => each === text);
  if (scope === undefined) throw reader.unknown('scope', text, allowed);
  reader.take();
  return scope;
}

function positiveTime(reader: TokenReader, example: string): number | null {
  const { place } = reader;
  const timeMs = reader.optionalTime(example);
  if (timeMs === null || timeMs > 0) return timeMs;
  throw new TapeError(place, 'the time must be more than 0');
}

/** `Match NAME` and its options, in any order. */
function match(reader: TokenReader): TapeAction {
  const example = 'Match start mask /[0-9:]+/ region 0,0,10,80 styles';
  const { place } = reader;
  const name = reader.text('the name of a golden', example);
  try {
    checkGoldenName(name);
  } catch (error) {
    throw new TapeError(place, (error as Error).message);
  }
  const masks: string[] = [];
  let region: Region | null = null;
  let styles = false;
  while (reader.isOnSameLine) {
    if (reader.takes('mask')) {
      do masks.push(reader.regex(example));
      while (reader.isRegex());
    } else if (reader.takes('region')) region = regionOf(reader, example);
    else if (reader.takes('styles')) styles = true;
    else break;
  }
  return { type: 'match', name, masks, region, styles };
}

function regionOf(reader: TokenReader, example: string): Region {
  const [row, col, rows, cols] = ['row', 'column', 'height', 'width'].map((what, at) => {
    if (at > 0) comma(reader, example);
    return reader.wholeNumber(`a ${what}`, example);
  }) as [number, number, number, number];
  return { row, col, rows, cols };
}

function comma(reader: TokenReader, example: string): void {
  if (!reader.takes(',')) throw reader.expected('a comma', example);
}

function size(reader: TokenReader): Size {
  const cols = reader.wholeNumber('a size', 'Resize 100x30');
  const [, rows] = /^x(\d+)$/.exec(reader.next.text) ?? [];
  if (rows === undefined) throw reader.expected('a size', 'Resize 100x30');
  if (!isSize({ cols, rows: Number(rows) })) {
    throw reader.wrong(`a size is from 1x1 to ${maxSide}x${maxSide}`);
  }
  reader.take();
  return { cols, rows: Number(rows) };
}
