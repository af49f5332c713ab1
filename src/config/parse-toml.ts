import { nearMisses, quoted } from '#base';
import { isVtrError, VtrError } from '#model';
import type { UserEnvironment } from './user-environment.ts';

/** The values that a key accepts: `W` as written in a file, `V` as the program uses it. */
export interface Value<W = unknown, V = W> {
  /** Completes "it must be ...". */
  readonly mustBe: string;
  accepts(value: unknown): boolean;
  /**
   * Checks an accepted value further, by the rules of another room.
   *
   * @throws VtrError that says what is wrong with it
   */
  check?(value: W): Promise<void>;
  /** Returns what the program uses. Default: what is written. */
  read?(written: W, user: UserEnvironment): V;
}

/** The keys of a table: each has a value, a table, or an array of tables. */
export interface Table {
  readonly [key: string]: Value | OneTable | Tables | LateTable;
}

interface OneTable {
  readonly table: Table;
  /** Completes "[key]" if its keys do not go together; else null. Default: they do. */
  check?(table: Readonly<Record<string, unknown>>): string | null;
}

interface Tables {
  readonly tables: Table;
  /** As that of one table: completes "[[key]]". */
  check(table: Readonly<Record<string, unknown>>): string | null;
}

/** A table whose keys another room knows. */
interface LateTable {
  /** Returns what is wrong with the table; `root` is the whole file. Paths are those below the table. */
  problems(
    table: Readonly<Record<string, unknown>>,
    root: Readonly<Record<string, unknown>>,
  ): Promise<Iterable<Omit<Problem, 'path'> & { readonly path: readonly string[] }>>;
}

type Problem = { readonly path: string; readonly at: 'key' | 'value'; readonly message: string };

/** For files of TOML of other programs. */
export const tomlLibrary = () => import('smol-toml');

/**
 * Parses a configuration file and checks it against a schema.
 *
 * @throws VtrError INVALID_ARGUMENT whose message begins with file:line:column
 */
export async function parseToml(
  text: string,
  schema: Table,
  file: string,
): Promise<Readonly<Record<string, unknown>>> {
  // Loaded on demand: most calls find no configuration file.
  const { parse, TomlError } = await tomlLibrary();
  let root: Record<string, unknown>;
  try {
    root = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = 'not valid TOML'] = error.message
      .replace(/^Invalid TOML document: /, '')
      .split('\n');
    throw refused(file, { line: error.line, column: error.column }, reason);
  }
  for await (const problem of tableProblems(root, schema, '', root)) {
    throw refused(file, positionOf(text, problem), problem.message);
  }
  return root;
}

function refused(file: string, { line, column }: TextPosition, message: string): VtrError {
  return new VtrError('INVALID_ARGUMENT', `${file}:${line}:${column}: ${message}`, {
    details: { file, line, column },
  });
}

/** Returns the position of the key, or of the nearest table around it that has one. */
function positionOf(text: string, { path, at }: Problem): TextPosition {
  const positions = tomlPositions(text);
  for (let around = path; around !== ''; around = around.slice(0, around.lastIndexOf('.'))) {
    const position = positions.get(around);
    if (position !== undefined) return around === path ? position[at] : position.value;
    if (!around.includes('.')) break;
  }
  return { line: 1, column: 1 };
}

async function* tableProblems(
  table: Readonly<Record<string, unknown>>,
  schema: Table,
  path: string,
  root: Readonly<Record<string, unknown>>,
): AsyncGenerator<Problem> {
  for (const [key, value] of Object.entries(table)) {
    const keyPath = path === '' ? key : `${path}.${key}`;
    const check = Object.hasOwn(schema, key) ? schema[key] : undefined;
    if (check === undefined) {
      yield { path: keyPath, at: 'key', message: unknownKey(key, Object.keys(schema)) };
    } else if ('accepts' in check) {
      if (!check.accepts(value)) {
        const message = `${key} is ${quoted(value)}; it must be ${check.mustBe}`;
        yield { path: keyPath, at: 'value', message };
      } else {
        const message = await checkMessage(check, value);
        if (message !== null) yield { path: keyPath, at: 'value', message: `${key}: ${message}` };
      }
    } else if ('table' in check) {
      yield* tableOrProblem(value, check.table, keyPath, `[${key}]`, root, check.check);
    } else if ('problems' in check) {
      yield* lateProblems(value, check, keyPath, root);
    } else {
      yield* tablesProblems(value, check, keyPath, key, root);
    }
  }
}

async function* lateProblems(
  value: unknown,
  { problems }: LateTable,
  path: string,
  root: Readonly<Record<string, unknown>>,
): AsyncGenerator<Problem> {
  if (!isTable(value)) yield { path, at: 'value', message: mustBeTable(`[${path}]`) };
  else {
    for (const each of await problems(value, root)) {
      yield { ...each, path: [path, ...each.path].join('.') };
    }
  }
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mustBeTable = (written: string): string => `it must be a table, written as ${written}`;

async function* tablesProblems(
  value: unknown,
  { tables, check }: Tables,
  path: string,
  key: string,
  root: Readonly<Record<string, unknown>>,
): AsyncGenerator<Problem> {
  if (!Array.isArray(value)) {
    yield {
      path,
      at: 'value',
      message: `${key} must be an array of tables, written as [[${key}]]`,
    };
    return;
  }
  for (const [index, each] of value.entries()) {
    const eachPath = `${path}.${index}`;
    yield* tableOrProblem(each, tables, eachPath, `[[${key}]]`, root, check);
  }
}

async function* tableOrProblem(
  value: unknown,
  schema: Table,
  path: string,
  written: string,
  root: Readonly<Record<string, unknown>>,
  check: OneTable['check'] = () => null,
): AsyncGenerator<Problem> {
  if (!isTable(value)) {
    yield { path, at: 'value', message: mustBeTable(written) };
    return;
  }
  yield* tableProblems(value, schema, path, root);
  const problem = check(value);
  if (problem !== null) yield { path, at: 'key', message: `${written} ${problem}` };
}

async function checkMessage(value: Value, content: unknown): Promise<string | null> {
  try {
    await value.check?.(content);
    return null;
  } catch (error) {
    if (isVtrError(error)) return error.message;
    throw error;
  }
}

function unknownKey(key: string, keys: readonly string[]): string {
  const near = nearMisses(key, keys);
  if (near.length > 0) return `unknown key ${key}; did you mean ${near.join(' or ')}?`;
  return `unknown key ${key}; valid keys are ${keys.join(', ')}`;
}

/** A position in a text; 1-based. */
interface TextPosition {
  readonly line: number;
  readonly column: number;
}

interface KeyPositions {
  readonly key: TextPosition;
  readonly value: TextPosition;
}

const header = /^\s*(\[\[?)\s*([^\]#]+?)\s*\]\]?/;
const assignment = /^(\s*)((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*=\s*/;

/**
 * Returns the positions of the keys of a TOML text and of their values, by the path of the key
 * (`coordinators.0.path`). The text must be valid TOML. The inside of multi-line values is skipped,
 * and keys of inline tables are not included.
 */
function tomlPositions(text: string): Map<string, KeyPositions> {
  const positions = new Map<string, KeyPositions>();
  const counts = new Map<string, number>();
  let table = '';
  let closing: string | null = null;
  for (const [index, source] of text.split('\n').entries()) {
    if (closing !== null) {
      if (source.includes(closing)) closing = null;
      continue;
    }
    const line = index + 1;
    const [, brackets, name] = header.exec(source) ?? [];
    if (brackets !== undefined && name !== undefined) {
      table = brackets === '[[' ? numbered(name, counts) : name;
      const position = { line, column: source.indexOf('[') + 1 };
      positions.set(table, { key: position, value: position });
      continue;
    }
    const [text, indent = '', key] = assignment.exec(source) ?? [];
    if (text === undefined || key === undefined) continue;
    positions.set([table, unquoted(key)].filter((part) => part !== '').join('.'), {
      key: { line, column: indent.length + 1 },
      value: { line, column: text.length + 1 },
    });
    closing = closingOf(source.slice(text.length));
  }
  return positions;
}

/** Appends the index of a table of an array: `coordinators.0`, `coordinators.1`. */
function numbered(name: string, counts: Map<string, number>): string {
  const index = counts.get(name) ?? 0;
  counts.set(name, index + 1);
  return `${name}.${index}`;
}

const unquoted = (key: string): string => key.replaceAll(/["'\s]/g, '');

/** Returns the closing delimiter of a value that continues on the next line; null if it does not. */
function closingOf(value: string): string | null {
  for (const quotes of ['"""', "'''"]) {
    if (value.startsWith(quotes) && !value.slice(3).includes(quotes)) return quotes;
  }
  return value.startsWith('[') && !value.includes(']') ? ']' : null;
}
