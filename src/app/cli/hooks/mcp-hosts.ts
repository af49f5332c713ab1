import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { defined, quoted } from '#base';
import { tomlLibrary } from '#config';
import { VtrError } from '#model';
import type { Context } from '../context.ts';
import {
  type JsonPlace,
  leftOf,
  memberOf,
  readJsonPlaces,
  valueAt,
  withEntry,
  withoutEntry,
  withValue,
} from './edit-json.ts';
import { contentOf, edited, type FileChange } from './install-hooks.ts';

type Place = Pick<Context, 'env' | 'program' | 'cwd'>;

/** The words that start the server, and the variables that it needs. */
interface Server {
  readonly command: string;
  readonly args: readonly string[];
  /** Absent if there is none. */
  readonly env?: Readonly<Record<string, string>>;
}

type Entry = Readonly<Record<string, unknown>>;

/** How a host keeps its MCP servers. */
interface Host {
  /** The file for all projects. */
  readonly user: (place: Place) => string;
  /** The file for one project, from its directory; absent if the host has none. */
  readonly project?: string;
  /** The members that lead to the servers by name. */
  readonly path: readonly string[];
  readonly isToml?: true;
  readonly entry: (server: Server) => Entry;
  /** What lets the host call the tools without asking; absent if an entry cannot say it. */
  readonly approval?: Entry;
  /** Hints for a person: when the entry is written, where tools are not approved, and where it is the project's. */
  readonly afterwards?: string;
  readonly unapproved?: string;
  readonly inProject?: string;
}

const homeOf = ({ env }: Place): string => env['HOME'] ?? '';
const configOf = ({ env, ...place }: Place): string =>
  env['XDG_CONFIG_HOME'] || join(homeOf({ env, ...place }), '.config');
const preferencesOf = (place: Place): string =>
  process.platform === 'darwin' ? join(homeOf(place), 'Library/Preferences') : configOf(place);
const inHome =
  (...path: readonly string[]) =>
  (place: Place): string =>
    join(homeOf(place), ...path);

const usual = (server: Server): Entry => ({ ...server });
const typed = (server: Server): Entry => ({ type: 'stdio', ...server });
const openCodeEntry = ({ command, args, env }: Server): Entry => ({
  type: 'local',
  command: [command, ...args],
  enabled: true,
  ...defined({ environment: env }),
});

/** Tried with the versions that docs/mcp.md names. */
const hosts: Readonly<Record<string, Host>> = {
  claude: {
    user: ({ env, ...place }) =>
      join(env['CLAUDE_CONFIG_DIR'] || homeOf({ env, ...place }), '.claude.json'),
    project: '.mcp.json',
    path: ['mcpServers'],
    entry: typed,
    afterwards:
      'Claude Code asks before it calls a tool; "mcp__terminal" in permissions.allow of its settings.json allows all of them.',
    inProject: 'It starts the server after you have allowed that: run claude in this project.',
  },
  codex: {
    user: ({ env, ...place }) =>
      join(env['CODEX_HOME'] || join(homeOf({ env, ...place }), '.codex'), 'config.toml'),
    project: '.codex/config.toml',
    path: ['mcp_servers'],
    isToml: true,
    entry: usual,
    approval: { default_tools_approval_mode: 'approve' },
    afterwards: 'Sessions run outside of the sandbox of Codex.',
    inProject: 'Codex reads the file in a project that it trusts.',
    unapproved: 'codex exec calls only tools that read; --approve lets it call all.',
  },
  gemini: {
    user: ({ env, ...place }) =>
      join(env['GEMINI_CLI_HOME'] || homeOf({ env, ...place }), '.gemini/settings.json'),
    project: '.gemini/settings.json',
    path: ['mcpServers'],
    entry: usual,
    approval: { trust: true },
    afterwards:
      'Gemini CLI disables MCP servers in a folder that it does not trust: /permissions in it.',
  },
  opencode: {
    user: (place) =>
      firstOf(join(configOf(place), 'opencode'), ['opencode.jsonc', 'opencode.json']),
    project: 'opencode.json',
    path: ['mcp'],
    entry: openCodeEntry,
  },
  cline: {
    user: ({ env, ...place }) => {
      const directory = env['CLINE_DIR'] || join(homeOf({ env, ...place }), '.cline');
      const data = env['CLINE_DATA_DIR'] || join(directory, 'data');
      return env['CLINE_MCP_SETTINGS_PATH'] || join(data, 'settings/cline_mcp_settings.json');
    },
    path: ['mcpServers'],
    // Cline shows its model the text and the structured content of each answer: it would pay for both.
    entry: (server) => ({
      transport: typed({ ...server, args: [...server.args, '--answers', 'text'] }),
    }),
    afterwards: 'Cline gets answers as text, because it would show its model each answer twice.',
  },
  qwen: {
    user: ({ env, ...place }) =>
      join(env['QWEN_HOME'] || join(homeOf({ env, ...place }), '.qwen'), 'settings.json'),
    project: '.qwen/settings.json',
    path: ['mcpServers'],
    entry: usual,
    approval: { trust: true },
    inProject:
      'Qwen Code starts the server after you have allowed that: run qwen mcp approve terminal in this project.',
  },
  kilo: {
    user: (place) => firstOf(join(configOf(place), 'kilo'), ['kilo.jsonc', 'kilo.json']),
    path: ['mcp'],
    entry: openCodeEntry,
  },
  kimi: {
    user: ({ env, ...place }) =>
      join(env['KIMI_CODE_HOME'] || join(homeOf({ env, ...place }), '.kimi-code'), 'mcp.json'),
    path: ['mcpServers'],
    entry: usual,
  },
  copilot: {
    user: ({ env, ...place }) =>
      join(env['COPILOT_HOME'] || join(homeOf({ env, ...place }), '.copilot'), 'mcp-config.json'),
    path: ['mcpServers'],
    entry: (server) => ({ type: 'local', ...server, tools: ['*'] }),
    afterwards: 'copilot --allow-all-tools calls tools without asking.',
  },
  amp: {
    user: (place) => join(configOf(place), 'amp/settings.json'),
    project: '.amp/settings.json',
    path: ['amp.mcpServers'],
    entry: usual,
  },
  droid: {
    user: inHome('.factory', 'mcp.json'),
    project: '.factory/mcp.json',
    path: ['mcpServers'],
    entry: typed,
  },
  auggie: {
    user: inHome('.augment', 'settings.json'),
    project: '.augment/settings.json',
    path: ['mcpServers'],
    entry: usual,
  },
  qoder: {
    user: ({ env, ...place }) =>
      join(env['QODER_CONFIG_DIR'] || join(homeOf({ env, ...place }), '.qoder'), 'settings.json'),
    project: '.mcp.json',
    path: ['mcpServers'],
    entry: usual,
  },
  'command-code': {
    user: inHome('.commandcode', 'mcp.json'),
    project: '.mcp.json',
    path: ['mcpServers'],
    entry: (server) => ({ transport: 'stdio', enabled: true, ...server }),
  },
  nanocoder: {
    user: ({ env, ...place }) =>
      join(
        env['NANOCODER_CONFIG_DIR'] || join(preferencesOf({ env, ...place }), 'nanocoder'),
        '.mcp.json',
      ),
    project: '.mcp.json',
    path: ['mcpServers'],
    entry: (server) => ({ transport: 'stdio', ...server }),
  },
  cursor: {
    user: inHome('.cursor', 'mcp.json'),
    project: '.cursor/mcp.json',
    path: ['mcpServers'],
    entry: typed,
  },
  zed: {
    user: (place) => join(configOf(place), 'zed/settings.json'),
    project: '.zed/settings.json',
    path: ['context_servers'],
    entry: usual,
  },
  vscode: {
    user: (place) =>
      process.platform === 'darwin'
        ? join(homeOf(place), 'Library/Application Support/Code/User/mcp.json')
        : join(configOf(place), 'Code/User/mcp.json'),
    project: '.vscode/mcp.json',
    path: ['servers'],
    entry: typed,
  },
};

const firstOf = (directory: string, names: readonly string[]): string =>
  join(directory, names.find((name) => existsSync(join(directory, name))) ?? names.at(-1) ?? '');

/** The hosts that {@link serverChange} knows. */
export const mcpHosts: readonly string[] = Object.keys(hosts);

/** The name of the server in all hosts. */
const serverName = 'terminal';

export interface ServerOptions {
  readonly isRemoval: boolean;
  /** Whether the file of the project in the current directory is meant. */
  readonly isProject: boolean;
  /** Whether the host should call the tools without asking. */
  readonly isApproved: boolean;
}

/**
 * Returns what would change in a file of a host to add this vtr as an MCP server, or to remove it. Fields that a person
 * has added to the entry stay.
 *
 * @throws VtrError INVALID_ARGUMENT for an unknown host, for what the host cannot say, and for a file that cannot be
 *   edited; IO_ERROR
 */
export async function serverChange(
  place: Place,
  name: string,
  { isRemoval, isProject, isApproved }: ServerOptions,
): Promise<FileChange> {
  const host = hostOf(name);
  if (isProject && host.project === undefined) throw wrong(`${name} has no file for a project`);
  if (isApproved && host.approval === undefined) {
    throw wrong(`an entry of ${name} cannot approve tools: approve them in ${name}`);
  }
  const path = isProject && host.project ? join(place.cwd, host.project) : host.user(place);
  const file = realPath(path);
  const before = contentOf(file);
  const target = isRemoval
    ? null
    : { ...host.entry(serverOf(place)), ...(isApproved ? host.approval : {}) };
  const edit = host.isToml ? editToml : editJson;
  const after = await edited(file, () => edit(before, host.path, target));
  const notes = [
    host.afterwards,
    isApproved ? undefined : host.unapproved,
    isProject ? host.inProject : undefined,
  ];
  const afterwards = notes.filter((note) => note !== undefined).join(' ');
  return { file, before, after, ...(isRemoval || afterwards === '' ? {} : { afterwards }) };
}

function hostOf(name: string): Host {
  const host = new Map(Object.entries(hosts)).get(name);
  if (host !== undefined) return host;
  const message = `vtr does not know the host ${quoted(name)}; it knows ${mcpHosts.join(', ')}`;
  throw wrong(message);
}

/** A link stays, and the file that it names is replaced. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** With full paths, because the PATH of a host may be another one. */
function serverOf({ env, program }: Place): Server {
  const { VTR_SOCKET: socket } = env;
  return {
    command: process.execPath,
    args: [program, 'mcp'],
    ...(socket ? { env: { VTR_SOCKET: socket } } : {}),
  };
}

/** Whether an entry starts vtr. */
function isOwn(entry: unknown): boolean {
  const own = (entry ?? {}) as Entry;
  const { transport } = own;
  const { command, args = [] } = typeof transport === 'object' ? { ...own, ...transport } : own;
  const words = [command, args].flat(2).map(String);
  return words.includes('mcp') && words.some((word) => /(?:^|[/\\])vtr(?:\.cjs)?$/.test(word));
}

/** Returns the entry with the fields of another one. @throws VtrError INVALID_ARGUMENT if it is not vtr's */
function entryWith(old: unknown, target: Entry): Entry {
  if (old === undefined) return target;
  checkOwn(old);
  return { ...(old as Entry), ...target };
}

function checkOwn(entry: unknown): void {
  if (isOwn(entry)) return;
  throw wrong(`its server ${quoted(serverName)} does not start vtr: rename or remove it`);
}

/** @param target null to remove the entry */
function editJson(text: string, path: readonly string[], target: Entry | null): string | null {
  if (text.trim() === '') {
    if (target === null) return text;
    return `${JSON.stringify(nested(path, { [serverName]: target }), null, 2)}\n`;
  }
  let place: JsonPlace = readJsonPlaces(text);
  for (const [at, key] of path.entries()) {
    if (place.type !== 'object')
      throw wrong(`${path.slice(0, at).join('.') || 'it'} is not an object`);
    const member = memberOf(place, key);
    if (member === null) {
      if (target === null) return text;
      return withEntry(text, place, key, nested(path.slice(at + 1), { [serverName]: target }));
    }
    place = member;
  }
  if (place.type !== 'object') throw wrong(`${path.join('.')} is not an object`);
  const old = memberOf(place, serverName);
  if (target === null) {
    if (old === null) return text;
    checkOwn(valueAt(old));
    const at = place.members.findLastIndex(({ key }) => key === serverName);
    return leftOf(text, withoutEntry(text, place, at), nested(path, {}));
  }
  if (old === null) return withEntry(text, place, serverName, target);
  const entry = entryWith(valueAt(old), target);
  return isEqual(valueAt(old), entry) ? text : withValue(text, old, entry);
}

const nested = (path: readonly string[], value: Entry): Entry =>
  path.reduceRight<Entry>((inner, key) => ({ [key]: inner }), value);

const anyHeader = /^\s*\[/;

/** Compares values of TOML or JSON. The library's tables have no prototype; the order of keys does not count. */
const isEqual = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(plain(one), plain(other));

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Edits the tables `[PATH.terminal]` and `[PATH.terminal.…]`; all other lines stay as they are. */
async function editToml(
  text: string,
  path: readonly string[],
  target: Entry | null,
): Promise<string | null> {
  const { parse, stringify } = await tomlLibrary();
  const root = parsedToml(text, parse);
  const old = memberAt(root, [...path, serverName]);
  if (old === undefined && target === null) return text;
  if (target === null) checkOwn(old);
  const entry = target === null ? null : entryWith(old, target);
  if (entry !== null && isEqual(old, entry)) return text;
  const { before, comments, after } = withoutTables(text, [...path, serverName]);
  const table = entry === null ? '' : stringify(nested([...path, serverName], entry));
  const parts = [before, [...comments, table].join('\n'), after].map((part) => part.trim());
  const joined = parts.filter((part) => part !== '').join('\n\n');
  const result = joined === '' ? '' : `${joined}\n`;
  const now = parsedToml(result, parse);
  const expected = entry === null ? undefined : entry;
  const others = (value: Entry) => withoutValue(value, [...path, serverName]);
  const isRight =
    isEqual(memberAt(now, [...path, serverName]), expected) && isEqual(others(now), others(root));
  if (!isRight) throw wrong('its servers are not tables of their own: edit it by hand');
  return result || null;
}

function parsedToml(text: string, parse: (text: string) => unknown): Entry {
  try {
    return parse(text) as Entry;
  } catch (error) {
    const [reason = ''] = String((error as Error).message).split('\n');
    throw wrong(reason);
  }
}

const memberAt = (root: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Entry | undefined)?.[key], root);

/** A value without the member at a path, and without objects that are empty then. */
function withoutValue(value: Entry, [key = '', ...rest]: readonly string[]): Entry {
  const { [key]: inner, ...others } = value;
  if (rest.length === 0 || inner === undefined) return others;
  const left = withoutValue(inner as Entry, rest);
  return Object.keys(left).length === 0 ? others : { ...value, [key]: left };
}

/** The lines around the tables of a path, and the comments in them. */
function withoutTables(text: string, path: readonly string[]) {
  const name = path.map((key) => `(?:${key}|"${key}"|'${key}')`).join('\\s*\\.\\s*');
  const header = new RegExp(`^\\s*\\[\\s*${name}\\s*[\\].]`);
  const [before, comments, after]: [string[], string[], string[]] = [[], [], []];
  let [isInside, isBehind] = [false, false];
  for (const line of text.split('\n')) {
    if (anyHeader.test(line)) isInside = header.test(line);
    isBehind ||= isInside;
    if (!isInside) (isBehind ? after : before).push(line);
    else if (/^\s*#/.test(line)) comments.push(line);
  }
  return { before: before.join('\n'), comments, after: after.join('\n') };
}

const wrong = (message: string) => new VtrError('INVALID_ARGUMENT', message);
