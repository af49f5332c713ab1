import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AgentHooks,
  type AgentKind,
  type AgentResume,
  type AgentRule,
  type AgentStart,
  type BackgroundRule,
  hookFormats,
  regions,
} from '#agents';
import { defined, ignored } from '#base';
import {
  absolutePath,
  configDirectory,
  expandHome,
  keyNames,
  oneOf,
  parseToml,
  pattern,
  readConfigFile,
  readOwnFile,
  stateHome,
  type Table,
  text,
  texts,
  type UserEnvironment,
  type Value,
  yesOrNo,
} from '#config';
import { ioError, isVtrError, VtrError } from '#model';

/** A list of words for a command, with each placeholder once. */
const words = (...placeholders: readonly string[]): Value<readonly string[]> => ({
  mustBe: ['a list of words', ...placeholders.map((each) => `${each} once`)].join(' with '),
  accepts: (value) =>
    texts.accepts(value) &&
    (value as readonly string[]).length > 0 &&
    placeholders.every((each) => (value as readonly string[]).join('\0').split(each).length === 2),
});

/** The keys of the file of a kind; the file's name is the id of the kind. */
const kindTable = {
  replace: yesOrNo,
  name: text,
  checked_with: texts,
  executables: texts,
  packages: texts,
  directory: absolutePath,
  directory_variable: text,
  start: { table: { command: words(), settings: words('{file}') } },
  prompt: { table: { interrupt: keyNames, in_pieces: yesOrNo } },
  resume: {
    table: { command: words('{id}'), fork: words('{id}'), options: texts, files: absolutePath },
    check: missing('command'),
  },
  hooks: {
    table: { file: absolutePath, format: oneOf(...hookFormats), events: texts, afterwards: text },
    check: missing('file', 'format'),
  },
  rule: {
    tables: {
      id: text,
      off: yesOrNo,
      claim: oneOf('idle', 'busy', 'asks'),
      strength: oneOf('strong', 'supports'),
      where: oneOf(...regions),
      match: pattern,
    },
    check: (table: Readonly<Record<string, unknown>>) =>
      table['off'] === true
        ? missing('id')(table)
        : missing('id', 'claim', 'where', 'match')(table),
  },
  background: {
    tables: { where: oneOf(...regions), match: pattern },
    check: missing('where', 'match'),
  },
} satisfies Table;

function missing(...keys: readonly string[]) {
  return (table: Readonly<Record<string, unknown>>): string | null => {
    const key = keys.find((each) => table[each] === undefined);
    return key === undefined ? null : `has no ${key}`;
  };
}

/** What a file of a kind may contain. */
interface KindFile {
  readonly replace?: boolean;
  readonly name?: string;
  readonly checked_with?: readonly string[];
  readonly executables?: readonly string[];
  readonly packages?: readonly string[];
  readonly directory?: string;
  readonly directory_variable?: string;
  readonly start?: Partial<AgentStart>;
  readonly prompt?: { readonly interrupt?: readonly string[]; readonly in_pieces?: boolean };
  readonly resume?: AgentResume;
  readonly hooks?: AgentHooks;
  readonly rule?: readonly (Omit<AgentRule, 'strength' | 'file'> &
    Partial<Pick<AgentRule, 'strength'>> & { readonly off?: boolean })[];
  readonly background?: readonly BackgroundRule[];
}

/** The kinds of agents that vtr and its user describe, and what is wrong with files. */
interface AgentKinds {
  readonly kinds: readonly AgentKind[];
  /** Each begins with the path of a file, which is left out. */
  readonly problems: readonly string[];
}

/** Where the user's files of kinds are: each adds a kind, or rules to one that vtr knows, or replaces its rules by id. */
const agentKindsDirectory = (user: UserEnvironment): string =>
  join(configDirectory(user), 'agents');

/** Where `vtr agents update` keeps files of kinds. Each replaces the one of vtr. */
export const updatesDirectory = (user: UserEnvironment): string => join(stateHome(user), 'agents');

/**
 * Reads the files of all kinds. A wrong file disturbs no other one.
 *
 * @param version of vtr
 * @param before as they were read before: a kind whose file is wrong now stays as it was
 * @throws Error if vtr's own cannot be read
 */
export async function readAgentKinds(
  user: UserEnvironment,
  version: string,
  before: readonly AgentKind[] = [],
): Promise<AgentKinds> {
  const own = await Promise.all(
    filesIn(ownDirectory()).map(async (file) =>
      newKind(idOf(file), await parsed(file, readOwnFile(file)), `vtr ${version}`),
    ),
  );
  const kinds = new Map(own.map((kind) => [kind.kind, kind]));
  const problems: string[] = [];
  const updates = filesIn(updatesDirectory(user));
  for (const file of [...updates, ...filesIn(agentKindsDirectory(user))]) {
    try {
      const written = await parsed(file, readConfigFile(file) ?? '');
      const isWhole = written.replace === true || updates.includes(file);
      const before = isWhole ? undefined : kinds.get(idOf(file));
      kinds.set(idOf(file), withFile(before, written, file));
    } catch (error) {
      if (!isVtrError(error)) throw error;
      problems.push(error.message);
      const last = before.find(({ kind }) => kind === idOf(file));
      if (last !== undefined) kinds.set(last.kind, last);
    }
  }
  return { kinds: [...kinds.values()], problems };
}

/** An editor writes a file in several steps: its directory is read this much later, in ms. */
const settleMs = 100;

export interface AgentKindFilesOptions {
  readonly user: UserEnvironment;
  readonly version: string;
  /** Called with what is wrong with a file, once for each change. */
  readonly log: (line: string) => void;
  /** Called when a file of the user has changed. */
  readonly onChange: () => void;
}

/** The files of kinds, read when they are needed, and again when the user has changed one. */
export class AgentKindFiles {
  readonly #options: AgentKindFilesOptions;
  readonly #directories: readonly string[];
  #reading: Promise<readonly AgentKind[]> | null = null;
  /** The files of the user as they were read. */
  #lastText = '';
  #watchers: FSWatcher[] = [];
  #settling = false;

  constructor(options: AgentKindFilesOptions) {
    this.#options = options;
    this.#directories = [agentKindsDirectory(options.user), updatesDirectory(options.user)];
  }

  /** @throws Error if vtr's own files cannot be read */
  kinds(): Promise<readonly AgentKind[]> {
    const last = this.#reading;
    if (last !== null && this.#stateNow() === this.#lastText) return last;
    // The watch reports later changes.
    this.#watch();
    this.#lastText = this.#stateNow();
    const reading = this.#read(last);
    this.#reading = reading;
    // The watch finds nothing new after this, so this change is told here.
    if (last !== null) this.#options.onChange();
    return reading;
  }

  async #read(last: Promise<readonly AgentKind[]> | null): Promise<readonly AgentKind[]> {
    const { user, version, log } = this.#options;
    const { kinds, problems } = await readAgentKinds(user, version, (await last) ?? []);
    for (const problem of problems) log(problem);
    return kinds;
  }

  /** Watches each directory, or until it exists the one around it. Where neither can be watched, changes are seen late. */
  #watch(): void {
    for (const each of this.#watchers) each.close();
    this.#watchers = this.#directories.flatMap((directory) => {
      const watcher = this.#watcherOf(directory) ?? this.#watcherOf(dirname(directory));
      return watcher === null ? [] : [watcher];
    });
  }

  #watcherOf(directory: string): FSWatcher | null {
    try {
      const watcher = watch(directory, { persistent: false }, () => this.#settle());
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      // It does not exist, or the system has no watch left.
      return null;
    }
  }

  /** What changes when a file does. */
  #stateNow(): string {
    return this.#directories.map(stateOf).join('\n');
  }

  #settle(): void {
    if (this.#settling) return;
    this.#settling = true;
    setTimeout(() => {
      this.#settling = false;
      // The directory may exist now.
      this.#watch();
      if (this.#stateNow() !== this.#lastText) ignored(this.kinds(), 'callers get the error');
    }, settleMs).unref();
  }
}

/** What changes when a file of a directory does. */
const stateOf = (directory: string): string =>
  filesIn(directory)
    .map((file) => {
      const stat = statSync(file, { throwIfNoEntry: false });
      return `${file} ${stat?.mtimeMs} ${stat?.size} ${stat?.ino}`;
    })
    .join('\n');

/** Next to this file, or in the directory of a bundle. */
const directories = ['../../agents/kinds/', './agents/kinds/'];

function ownDirectory(): string {
  const paths = directories.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const directory = paths.find((path) => filesIn(path).length > 0);
  if (directory !== undefined) return directory;
  throw new VtrError(
    'INTERNAL_ERROR',
    `no files of agents in ${paths.join(' or ')}; install vtr again`,
  );
}

/** Sorted by name; none if there is no such directory. @throws VtrError IO_ERROR */
export function filesIn(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith('.toml'));
    return names.sort().map((name) => join(directory, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw ioError(directory, 'read', error);
  }
}

export const idOf = (file: string): string => basename(file, '.toml');

/** @throws VtrError INVALID_ARGUMENT whose message begins with the file, line and column */
export const parsed = (file: string, written: string): Promise<KindFile> =>
  parseToml(written, kindTable, file);

/** Returns a kind that has only what one file says. @param source where it is from, for people */
export function newKind(kind: string, written: KindFile, source: string): AgentKind {
  const { start, resume, hooks, directory, directory_variable, rule = [] } = written;
  const { executables = [kind], packages = [], background = [] } = written;
  return {
    kind,
    source,
    name: written.name ?? kind,
    checkedWith: written.checked_with ?? [],
    executables,
    packages,
    start: { command: executables.slice(0, 1), ...start },
    interrupt: written.prompt?.interrupt ?? [],
    rules: rule.flatMap(({ off, ...each }) => (off ? [] : [{ strength: 'strong', ...each }])),
    background,
    ...defined({ directory, directoryVariable: directory_variable, resume, hooks }),
    ...defined({ takesPieces: written.prompt?.in_pieces }),
  };
}

/** Returns the path of a file of an agent: what is below its directory moves with that. */
export function pathOf(
  { directory, directoryVariable }: AgentKind,
  path: string,
  user: UserEnvironment,
): string {
  const { env } = user;
  const moved = directoryVariable === undefined ? '' : (env[directoryVariable] ?? '');
  if (moved !== '' && directory !== undefined && path.startsWith(`${directory}/`)) {
    return join(moved, path.slice(directory.length));
  }
  const configured = env['XDG_CONFIG_HOME'] ?? '';
  const inConfig = '~/.config/';
  return configured !== '' && path.startsWith(inConfig)
    ? join(configured, path.slice(inConfig.length))
    : expandHome(path, user);
}

/** Adds what a user's file says to a kind that vtr knows. */
function withFile(before: AgentKind | undefined, written: KindFile, file: string): AgentKind {
  const own = newKind(idOf(file), written, file);
  const rules = own.rules.map((rule) => ({ ...rule, file }));
  if (before === undefined) return { ...own, rules };
  const ids = new Set(written.rule?.map(({ id }) => id));
  const { directory, directoryVariable, resume, hooks } = own;
  return {
    ...before,
    ...defined({ directory, directoryVariable, resume, hooks }),
    ...defined({ takesPieces: written.prompt?.in_pieces }),
    source: file,
    name: written.name ?? before.name,
    checkedWith: written.checked_with ?? before.checkedWith,
    executables: [...new Set([...before.executables, ...(written.executables ?? [])])],
    packages: [...new Set([...before.packages, ...own.packages])],
    start: { ...before.start, ...written.start },
    interrupt: written.prompt?.interrupt ?? before.interrupt,
    rules: [...before.rules.filter(({ id }) => !ids.has(id)), ...rules],
    background: written.background ?? before.background,
  };
}
