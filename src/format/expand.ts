import { utf8Length } from '#base';
import { globMatches, regexMatches, substituted } from './matching.ts';
import { calculated, padded, quoted, timeText, trimmed, withTime } from './text-changes.ts';

/** What a format is about. */
export interface FormatSubject {
  readonly nowMs: () => number;
  /** Returns the value of a variable; null for one that does not exist. */
  readonly variable: (name: string) => string | null | Promise<string | null>;
  /** Returns what `#{S:}`, `#{W:}` and `#{P:}` repeat for: sessions, windows or panes. */
  readonly turns: (kind: 'S' | 'W' | 'P') => readonly FormatTurn[];
  /** Answers `#{N:}`. @param of `s` for a session, else a window */
  readonly hasName: (of: string, name: string) => string;
  /** Answers `#{C:}`: the number of the first row that contains a text, from 1 on; 0 without one. */
  readonly foundRow: (flags: string, pattern: string) => string | Promise<string>;
  /** Returns what a shell command, `#(command)`, has printed. Default: commands are left out */
  readonly commands?: ((line: string) => string) | null;
  /** Takes the steps of an expansion. Default: nobody wants them */
  readonly log?: ((step: string) => void) | null;
}

/** A turn of a loop. */
interface FormatTurn {
  readonly about: FormatSubject;
  /** Whether it is the session, window or pane that the format is about. */
  readonly isCurrent: boolean;
}

/** Formats in formats, at most. */
const maxDepth = 100;

/** Variables of one letter. */
const aliases: Readonly<Record<string, string>> = {
  D: 'pane_id',
  F: 'window_flags',
  H: 'host',
  I: 'window_index',
  P: 'pane_index',
  S: 'session_name',
  T: 'pane_title',
  W: 'window_name',
  h: 'host_short',
};

/** Expands a format of tmux. */
export function expandFormat(format: string, about: FormatSubject, depth = 0): Promise<string> {
  return new Expansion(about, depth).expand(format);
}

/** As {@link expandFormat}, with `%H` and others as parts of the time. */
export function expandTimedFormat(format: string, about: FormatSubject): Promise<string> {
  const timed = withTime(format, about.nowMs());
  return new Expansion(about, 0).expand(timed, format);
}

export const isTrue = (text: string): boolean => text !== '' && text !== '0';

/** Returns the index of the first of some characters that is not inside `#{}`; -1 if there is none. */
function skipTo(text: string, ends: string, from = 0): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '#' && text[at + 1] === '{') depth++;
    if (character === '#' && ',#{}:'.includes(text[at + 1] ?? 'x')) {
      at++;
      continue;
    }
    if (character === '}' && depth > 0) depth--;
    else if (ends.includes(character) && depth === 0) return at;
  }
  return -1;
}

/** Returns the index after the `)` of `#()`, which may have others in it. */
function endOfCommand(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return at + 1;
  }
  return text.length;
}

class Expansion {
  readonly #about: FormatSubject;
  readonly #depth: number;

  constructor(about: FormatSubject, depth: number) {
    this.#about = about;
    this.#depth = depth;
  }

  /** @param text the format before its time was put into it */
  async expand(format: string, text = format): Promise<string> {
    this.#log(`expanding format: ${text}`);
    if (text !== format) this.#log(`after time expanded: ${format}`);
    const result = await this.#expanded(format);
    this.#log(`result is: ${result}`);
    return result;
  }

  #log(step: string): void {
    this.#about.log?.(`#${' '.repeat(this.#depth + 1)}${step}`);
  }

  async #expanded(format: string): Promise<string> {
    if (!format.includes('#')) return format;
    if (this.#depth > maxDepth) return '';
    let result = '';
    for (let at = 0; at < format.length; ) {
      const hash = format.indexOf('#', at);
      if (hash === -1 || hash === format.length - 1) return result + format.slice(at);
      result += format.slice(at, hash);
      const next = format[hash + 1] ?? '';
      if (next === '{') {
        const end = skipTo(format, '}', hash + 2);
        if (end === -1) return result;
        const inside = format.slice(hash + 2, end);
        this.#log(`found #{}: ${inside}`);
        const value = await this.#replaced(inside);
        this.#log(`replaced '${inside}' with '${value}'`);
        result += value;
        at = end + 1;
      } else if (next === '(') {
        const end = endOfCommand(format, hash + 2);
        const { commands = null } = this.#about;
        if (commands !== null)
          result += commands(await this.#inner(format.slice(hash + 2, end - 1)));
        at = end;
      } else if (next === '#') {
        const [run = '##'] = /^#+(?=\[)/.exec(format.slice(hash)) ?? [];
        result += run.length > 2 || format[hash + 2] === '[' ? run : '#';
        at = hash + run.length;
      } else {
        const name = aliases[next];
        if (next === ',' || next === '}') result += next;
        else result += name === undefined ? `#${next}` : ((await this.#variable(name)) ?? '');
        at = hash + 2;
      }
    }
    return result;
  }

  async #variable(name: string): Promise<string | null> {
    return this.#about.variable(name);
  }

  #inner(format: string, about = this.#about): Promise<string> {
    return expandFormat(format, about, this.#depth + 1);
  }

  /** Expands what is between the braces. */
  async #replaced(inside: string): Promise<string> {
    const { modifiers, rest } = readModifiers(inside);
    const value = await this.#value(modifiers, rest);
    return this.#changed(modifiers, value);
  }

  async #value(modifiers: readonly Modifier[], rest: string): Promise<string> {
    const find = (...names: readonly string[]) =>
      modifiers.find(({ name }) => names.includes(name));
    if (find('l') !== undefined) return rest;
    if (find('a') !== undefined) return character(await this.#inner(rest));
    const operation = modifiers.find(({ name }) => name in comparisons);
    if (operation !== undefined) return this.#compared(operation, rest);
    const expression = find('e');
    if (expression !== undefined) {
      const [left = '', right = ''] = await this.#both(rest);
      return calculated(expression.values, left, right);
    }
    const search = find('C');
    if (search !== undefined) {
      return this.#about.foundRow(search.values[0] ?? '', await this.#inner(rest));
    }
    const named = find('N');
    if (named !== undefined) {
      return this.#about.hasName(named.values[0] ?? '', await this.#inner(rest));
    }
    const loop = find('S', 'W', 'P');
    if (loop !== undefined) return this.#looped(loop.name as 'S' | 'W' | 'P', rest);
    if (rest.startsWith('?')) return this.#conditional(rest.slice(1));
    if (rest.includes('#{')) return this.#inner(rest);
    return (await this.#valueOf(modifiers, rest)) ?? '';
  }

  /** The value of a variable, as a time if that is requested. */
  async #valueOf(modifiers: readonly Modifier[], name: string): Promise<string | null> {
    const time = modifiers.find((each) => each.name === 't');
    const value = await this.#variable(name);
    this.#log(`format '${name}' ${value === null ? 'not found' : `found: ${value}`}`);
    if (time === undefined || value === null) return value;
    return timeText(value, time.values, this.#about.nowMs());
  }

  async #conditional(rest: string): Promise<string> {
    const first = skipTo(rest, ',');
    if (first === -1) return '';
    const second = skipTo(rest, ',', first + 1);
    const condition = rest.slice(0, first);
    this.#log(`condition is: ${condition}`);
    let value = condition.includes('#') ? null : await this.#variable(condition);
    if (value !== null) this.#log(`condition '${condition}' found: ${value}`);
    if (value === null) {
      value = await this.#inner(condition);
      if (value === condition) value = '';
    }
    const [yes, no] =
      second === -1
        ? [rest.slice(first + 1), '']
        : [rest.slice(first + 1, second), rest.slice(second + 1)];
    this.#log(`condition '${condition}' is ${isTrue(value)}`);
    return this.#inner(isTrue(value) ? yes : no);
  }

  async #both(rest: string): Promise<readonly [string, string]> {
    const comma = skipTo(rest, ',');
    if (comma === -1) return [await this.#inner(rest), ''];
    return [await this.#inner(rest.slice(0, comma)), await this.#inner(rest.slice(comma + 1))];
  }

  async #compared({ name, values }: Modifier, rest: string): Promise<string> {
    const [left, right] = await this.#both(rest);
    return comparisons[name]?.(left, right, values[0] ?? '') ? '1' : '0';
  }

  async #looped(kind: 'S' | 'W' | 'P', rest: string): Promise<string> {
    const comma = skipTo(rest, ',');
    const all = comma === -1 ? rest : rest.slice(0, comma);
    const current = comma === -1 ? all : rest.slice(comma + 1);
    let result = '';
    for (const { about, isCurrent } of this.#about.turns(kind)) {
      result += await this.#inner(isCurrent ? current : all, about);
    }
    return result;
  }

  /** Applies the modifiers that change a text. */
  async #changed(modifiers: readonly Modifier[], text: string): Promise<string> {
    let value = text;
    const all = (name: string) => modifiers.filter((each) => each.name === name);
    if (all('b').length > 0) value = value.slice(value.lastIndexOf('/') + 1);
    if (all('d').length > 0) value = directoryOf(value);
    for (const { values } of all('q')) value = quoted(value, values[0] ?? '');
    if (all('E').length > 0) value = await this.#inner(value);
    if (all('T').length > 0) {
      value = await this.#inner(withTime(value, this.#about.nowMs()));
    }
    for (const { values } of all('s')) {
      const [pattern = '', replacement = '', flags = ''] = values;
      const put = await this.#inner(replacement);
      value = substituted(await this.#inner(pattern), put, value, flags.includes('i'));
    }
    for (const { values } of all('=')) {
      value = trimmed(value, values[0] ?? '', await this.#inner(values[1] ?? ''));
    }
    for (const { values } of all('p')) value = padded(value, values[0] ?? '');
    if (all('n').length > 0) value = String(utf8Length(value));
    if (all('w').length > 0) value = String([...value].length);
    return value;
  }
}

const comparisons: Readonly<
  Record<string, (left: string, right: string, flags: string) => boolean>
> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
  '||': (left, right) => isTrue(left) || isTrue(right),
  '&&': (left, right) => isTrue(left) && isTrue(right),
  m: (pattern, text, flags) =>
    (flags.includes('r') ? regexMatches : globMatches)(pattern, text, flags.includes('i')),
};

/** The character of a code. */
function character(code: string): string {
  const number = Number(code);
  return Number.isInteger(number) && number > 31 && number < 127 ? String.fromCharCode(number) : '';
}

function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/');
  if (slash === -1) return path === '' ? '' : '.';
  return slash === 0 ? '/' : path.slice(0, slash);
}

/** A modifier before the colon of `#{...}`, with what follows its name. */
interface Modifier {
  readonly name: string;
  readonly values: readonly string[];
}

const pairs = ['||', '&&', '!=', '==', '<=', '>='];
const plain = 'labcdnwETSWPtqmC<>N';
const withValues = 'mCNst=peqE';

/** Splits `MODIFIER;MODIFIER:REST`. Without modifiers, all is the rest. */
function readModifiers(inside: string): {
  readonly modifiers: readonly Modifier[];
  readonly rest: string;
} {
  const modifiers: Modifier[] = [];
  const none = { modifiers: [], rest: inside };
  for (let at = 0; at < inside.length; ) {
    if (inside[at] === ';') {
      at++;
      continue;
    }
    if (inside[at] === ':') return { modifiers, rest: inside.slice(at + 1) };
    const pair = inside.slice(at, at + 2);
    if (pairs.includes(pair)) {
      modifiers.push({ name: pair, values: [] });
      at += 2;
      continue;
    }
    const name = inside[at] ?? '';
    const after = inside[at + 1] ?? '';
    if (plain.includes(name) && (after === ':' || after === ';')) {
      modifiers.push({ name, values: [] });
      at++;
      continue;
    }
    if (!withValues.includes(name)) return none;
    const read = valuesAt(inside, at + 1);
    if (read === null) return none;
    modifiers.push({ name, values: read.values });
    at = read.end;
  }
  return none;
}

/** Values between delimiters, `/a/b/`, or one value without them, `=21`. */
function valuesAt(text: string, from: number): { values: string[]; end: number } | null {
  const delimiter = text[from] ?? '';
  if (/[a-z0-9-]/i.test(delimiter)) {
    const end = endOf(text, from, ':;');
    return end === -1 ? null : { values: [text.slice(from, end)], end };
  }
  if (delimiter === '' || ':;'.includes(delimiter)) return null;
  const values: string[] = [];
  for (let at = from + 1; ; ) {
    const end = endOf(text, at, `${delimiter};:`);
    if (end === -1) return null;
    values.push(text.slice(at, end));
    const char = text[end] ?? '';
    if (char !== delimiter) return { values, end };
    at = end + 1;
    if (':;'.includes(text[at] ?? ':')) return { values, end: at };
  }
}

function endOf(text: string, from: number, ends: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '#' && text[at + 1] === '{') {
      depth++;
      at++;
    } else if (character === '}' && depth > 0) depth--;
    else if (depth === 0 && ends.includes(character)) return at;
  }
  return -1;
}
