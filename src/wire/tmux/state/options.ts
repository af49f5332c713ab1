import { boundKey } from '../keys/bound-key.ts';
import { TmuxError } from '../tmux-error.ts';
import { type OptionName, type OptionRow, optionTable } from './option-table.ts';

/** A value; of an array, its elements by their indexes. */
export type OptionValue = string | ReadonlyMap<number, string>;

/** The options of a server, session, window or pane, or those that these inherit. */
export class Options {
  #parent: Options | null;
  readonly #own = new Map<string, OptionValue>();

  constructor(parent: Options | null = null) {
    this.#parent = parent;
  }

  /** Returns the options of a whole scope, with their initial values. */
  static initial(scope: OptionRow['scope']): Options {
    const options = new Options();
    for (const [name, row] of Object.entries(optionTable)) {
      if (row.scope === scope) options.reset(name);
    }
    return options;
  }

  /** Makes it inherit from others: those of the window to which a pane moves. */
  inheritFrom(parent: Options): void {
    this.#parent = parent;
  }

  /** Gives an option of a whole scope its initial value. */
  reset(name: string): void {
    const initial = optionTable[name]?.initial;
    if (initial === undefined) this.#own.delete(name);
    else this.#own.set(name, typeof initial === 'string' ? initial : new Map(initial.entries()));
  }

  /** The value that applies; undefined for an unknown user option. */
  get(name: string): OptionValue | undefined {
    return this.#own.get(name) ?? this.#parent?.get(name);
  }

  own(name: string): OptionValue | undefined {
    return this.#own.get(name);
  }

  names(): string[] {
    return [...this.#own.keys()];
  }

  set(name: string, value: OptionValue): void {
    this.#own.set(name, value);
  }

  remove(name: string): void {
    this.#own.delete(name);
  }

  text(name: OptionName): string {
    return textOf(this.get(name) ?? '');
  }

  number(name: OptionName): number {
    return Number(this.text(name));
  }

  isOn(name: OptionName): boolean {
    return this.text(name) === 'on';
  }
}

/** A value as a format prints it. */
export const textOf = (value: OptionValue): string =>
  typeof value === 'string' ? value : [...value.values()].join(' ');

/** The name of an option and the index of an element. */
export interface OptionKey {
  readonly name: string;
  readonly index: number | null;
}

/** Finds an option by its name or the beginning of it. @throws TmuxError */
export function optionKey(text: string, names: readonly string[] = []): OptionKey {
  const [, name = text, index] = /^(.*)\[(\d+)\]$/s.exec(text) ?? [];
  const at = index === undefined ? null : Number(index);
  if (name.startsWith('@')) return { name, index: at };
  const all = [...Object.keys(optionTable), ...names];
  if (all.includes(name)) return { name, index: at };
  const [only, ...more] = name === '' ? [] : all.filter((each) => each.startsWith(name));
  if (only === undefined) throw new TmuxError(`invalid option: ${text}`);
  if (more.length > 0) throw new TmuxError(`ambiguous option: ${text}`);
  return { name: only, index: at };
}

/**
 * Returns the value for a table's option, as it is kept.
 *
 * @param value undefined toggles a flag or a choice of two
 * @throws TmuxError
 */
export function checkedOption(
  name: string,
  row: OptionRow,
  value: string | undefined,
  current: string,
): string {
  if (row.kind === 'flag') return flagValue(value, current);
  const choices = row.choices?.split(' ') ?? [];
  if (value === undefined && row.kind === 'choice') {
    return choices[current === choices[0] ? 1 : 0] ?? current;
  }
  if (value === undefined) throw new TmuxError('empty value');
  if (row.kind === 'choice' && !choices.includes(value)) {
    throw new TmuxError(`unknown value: ${value}`);
  }
  if (row.kind === 'number') return numberValue(value);
  if (row.kind === 'key') return keyValue(value);
  if (row.kind === 'colour' && !isColour(value)) throw new TmuxError(`bad colour: ${value}`);
  if (/style$/.test(name) && row.kind === 'string' && !isStyle(value)) {
    throw new TmuxError(`invalid style: ${value}`);
  }
  if (name === 'default-shell' && !value.startsWith('/')) {
    throw new TmuxError(`not a suitable shell: ${value}`);
  }
  return value;
}

function flagValue(value: string | undefined, current: string): string {
  if (value === undefined) return current === 'on' ? 'off' : 'on';
  if (/^(1|on|yes)$/i.test(value)) return 'on';
  if (/^(0|off|no)$/i.test(value)) return 'off';
  throw new TmuxError(`bad value: ${value}`);
}

function keyValue(value: string): string {
  if (/^none$/i.test(value)) return 'None';
  const key = boundKey(value);
  if (key !== null) return key.name;
  throw new TmuxError(`bad key: ${value}`);
}

function numberValue(value: string): string {
  if (!/^-?\d+$/.test(value)) throw new TmuxError(`value is invalid: ${value}`);
  const number = Number(value);
  if (number < 0) throw new TmuxError(`value is too small: ${value}`);
  if (number > 2_147_483_647) throw new TmuxError(`value is too large: ${value}`);
  return String(number);
}

const colourNames =
  /^(default|terminal|none|(bright)?(black|red|green|yellow|blue|magenta|cyan|white)|colou?r(\d{1,2}|1\d\d|2[0-4]\d|25[0-5])|#[0-9a-f]{6}|9[0-7]|\d{1,3}|(?!colou?r\d)[a-z]+\d*)$/i;

const isColour = (value: string): boolean => colourNames.test(value);

const attribute =
  '(acs|bright|bold|dim|(double-|curly-|dotted-|dashed-)?underscore|blink|reverse|hidden|italics|strikethrough|overline)';

const stylePart = new RegExp(
  `^(default|ignore|noignore|(push|pop)-default|nolist|norange|noalign|none|list=.+|range=.+|align=.+|no${attribute}|${attribute}(\\|${attribute})*)$`,
  'i',
);

/** Formats are expanded before a style is used, so they are not checked. */
const isStyle = (value: string): boolean =>
  value.includes('#{') || value.split(/[\s,]+/).every((part) => part === '' || isStylePart(part));

function isStylePart(part: string): boolean {
  const [, colour] = /^(?:fg|bg|us|fill)=(.*)$/i.exec(part) ?? [];
  return colour === undefined ? stylePart.test(part) : isColour(colour);
}
