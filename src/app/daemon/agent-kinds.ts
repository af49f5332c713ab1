import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AgentKind, type AgentRule, type BackgroundRule, regions } from '#agents';
import {
  configDirectory,
  oneOf,
  parseToml,
  pattern,
  readConfigFile,
  readOwnFile,
  type Table,
  text,
  texts,
  type UserEnvironment,
} from '#config';
import { isVtrError, VtrError } from '#model';

/** The keys of the file of a kind; the file's name is the id of the kind. */
const kindTable = {
  name: text,
  checked_with: texts,
  executables: texts,
  packages: texts,
  rule: {
    tables: {
      id: text,
      claim: oneOf('idle', 'busy', 'asks'),
      strength: oneOf('strong', 'supports'),
      where: oneOf(...regions),
      match: pattern,
    },
    check: missing('id', 'claim', 'where', 'match'),
  },
  background: {
    tables: { where: oneOf(...regions), match: pattern },
    check: missing('where', 'match'),
  },
} satisfies Table;

function missing(...keys: readonly string[]) {
  return (given: Readonly<Record<string, unknown>>): string | null => {
    const key = keys.find((each) => given[each] === undefined);
    return key === undefined ? null : `has no ${key}`;
  };
}

/** What a file of a kind may contain. */
interface KindFile {
  readonly name?: string;
  readonly checked_with?: readonly string[];
  readonly executables?: readonly string[];
  readonly packages?: readonly string[];
  readonly rule?: readonly (Omit<AgentRule, 'strength'> & Partial<Pick<AgentRule, 'strength'>>)[];
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

/** Reads the files of all kinds. A wrong file disturbs no other one. @throws Error if vtr's own cannot be read */
export async function readAgentKinds(user: UserEnvironment): Promise<AgentKinds> {
  const own = await Promise.all(filesIn(ownDirectory()).map((file) => read(file, readOwnFile)));
  const kinds = new Map(own.map((kind) => [kind.kind, kind]));
  const problems: string[] = [];
  for (const file of filesIn(agentKindsDirectory(user))) {
    try {
      const kind = await read(file, (path) => readConfigFile(path) ?? '');
      kinds.set(kind.kind, joined(kinds.get(kind.kind), kind));
    } catch (error) {
      if (!isVtrError(error)) throw error;
      problems.push(error.message);
    }
  }
  return { kinds: [...kinds.values()], problems };
}

/** Next to this file, or in the directory of a bundle. */
const directories = ['../../agents/kinds/', './agents/kinds/'];

function ownDirectory(): string {
  const paths = directories.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = paths.find((path) => filesIn(path).length > 0);
  if (found !== undefined) return found;
  throw new VtrError(
    'INTERNAL_ERROR',
    `no files of agents in ${paths.join(' or ')}; install vtr again`,
  );
}

/** Sorted by name; none if there is no such directory. */
function filesIn(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith('.toml'));
    return names.sort().map((name) => join(directory, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function read(file: string, readFile: (file: string) => string): Promise<AgentKind> {
  const written: KindFile = await parseToml(readFile(file), kindTable, file);
  const kind = basename(file, '.toml');
  return {
    kind,
    name: written.name ?? kind,
    checkedWith: written.checked_with ?? [],
    executables: written.executables ?? [kind],
    packages: written.packages ?? [],
    rules: (written.rule ?? []).map((rule) => ({ strength: 'strong', ...rule })),
    background: written.background ?? [],
  };
}

/** Adds what a user's file says to a kind that vtr knows. */
function joined(kind: AgentKind | undefined, own: AgentKind): AgentKind {
  if (kind === undefined) return own;
  const ids = new Set(own.rules.map(({ id }) => id));
  return {
    ...kind,
    name: own.name === own.kind ? kind.name : own.name,
    executables: [...new Set([...kind.executables, ...own.executables])],
    packages: [...new Set([...kind.packages, ...own.packages])],
    rules: [...kind.rules.filter(({ id }) => !ids.has(id)), ...own.rules],
    background: own.background.length > 0 ? own.background : kind.background,
  };
}
