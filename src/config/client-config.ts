import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defined, globPattern, isGlob } from '#base';
import { isAddress, isSelector, maxSide } from '#model';
import { isOwn } from '#trust';
import { readConfigFile } from './config-file.ts';
import {
  address,
  coordinatorName,
  duration,
  hours,
  keyOrNone,
  type Option,
  type OptionValues,
  oneOf,
  optionValues,
  socketPattern,
  text,
  valuesOfKeys,
  variableNames,
  wholeNumber,
} from './options.ts';
import { parseToml, type Table, type Value } from './parse-toml.ts';
import { nameOfPlace, resolvePlace } from './socket-paths.ts';
import { configDirectory, expandHome, type UserEnvironment } from './user-environment.ts';

const maxContextLines = 1000;

const option = <W, V, const D extends W | null>(
  key: string,
  value: Value<W, V>,
  byDefault: D,
): Option<W, V, D> => ({ key, value, default: byDefault });

/**
 * The keys of `config.toml` by their tables, in the order of the docs. From a row follow the type, the check and
 * the default of a key, and its row in docs/configuration.md.
 */
export const clientOptions = {
  coordinators: {
    /**
     * Socket, or glob of sockets, that `vtr ls` and the other verbs search; `vtr config add` edits it.
     *
     * @default your own socket
     */
    path: option('path', socketPattern, null),
    /**
     * Instead of `path`: another machine or a container, such as `"ssh://gpu1"`, or all containers of a glob or of
     * labels, such as `"docker://web-*"` ([addresses](fleet.md)).
     */
    address: option('address', address, null),
    /**
     * Its name in `COORDINATOR:NAME`.
     *
     * @default that of the socket, host or container
     */
    name: option('name', coordinatorName, null),
  },
  defaults: {
    /** Timeout of `vtr idle`. */
    waitForIdleTimeoutMs: option('wait_for_idle_timeout', duration, '5s'),
    /** Lines before each match of `vtr grep`. */
    grepContextBefore: option('grep_context_before', wholeNumber(0, maxContextLines), 0),
    /** Lines after each match. */
    grepContextAfter: option('grep_context_after', wholeNumber(0, maxContextLines), 0),
    /** What verbs that return data print. */
    outputFormat: option('output_format', oneOf('human', 'json'), 'human'),
    /** Columns of the terminals of `vtr exec`. */
    execCols: option('exec_cols', wholeNumber(1, maxSide), 120),
  },
  environment: {
    /**
     * Variables that your sessions get although they look like secrets, such as `["GITHUB_TOKEN"]`; for `vtr`,
     * `vtr mcp` and `vtr acp`.
     */
    passedVariables: option('pass', variableNames, []),
  },
  attach: {
    /** Key with which the commands of `vtr attach` begin, such as `"ctrl+a"`, or `"none"`. */
    leader: option('leader', keyOrNone, 'ctrl+b'),
    /**
     * Status line of `vtr attach`, for which the session gets a row less; `"auto"`: only where the terminal has more
     * rows than the session.
     */
    status: option('status', oneOf('on', 'off', 'auto'), 'on'),
    /** Which bells ring in your terminal: of all sessions, of the one that you see, or none. */
    bell: option('bell', oneOf('all', 'attached', 'none'), 'attached'),
    /**
     * What becomes of the notifications of the session that you see (OSC 9, 99, 777): your terminal shows them
     * (`"pass"`, at most 5 in 10 seconds), the status line does, or nothing does.
     */
    notifications: option('notifications', oneOf('pass', 'status', 'off'), 'pass'),
    /**
     * What becomes of what the program in the session that you see says that it does (OSC 7501): your terminal is told
     * (`"pass"`), or nothing is. A program can say anything there.
     */
    programStatus: option('program_status', oneOf('pass', 'off'), 'off'),
    /**
     * Whether `vtr attach` and `vtr ui` use the mouse: `"off"` leaves it to your terminal, except where a program asks
     * for it.
     */
    mouse: option('mouse', oneOf('on', 'off'), 'on'),
    /**
     * Whether a session in which you have typed stays when its program ends while you see it: `"on"`; `"off"` removes it
     * and closes its pane, as tmux does by default; `"failed"` does that only after the exit status 0.
     */
    remainOnExit: option('remain_on_exit', oneOf('on', 'failed', 'off'), 'on'),
    /**
     * When `vtr attach` shows what you type before the program has echoed it, underlined until it has: where that takes
     * more than 20 ms, always or never. A password is never shown.
     */
    predict: option('predict', oneOf('auto', 'always', 'never'), 'auto'),
    /**
     * Command of the shell that gets what you copy, such as `"xclip -selection clipboard"`.
     *
     * @default the clipboards of your terminal (OSC 52) and of this system
     */
    copyCommand: option('copy_command', text, null),
    /**
     * Left side of the status line, as a format of tmux, such as `" #{session_name} #{session_state}"`
     * ([variables](attach.md#the-status-line)).
     *
     * @default the usual one
     */
    statusLeft: option('status_left', text, null),
    /** Right side of the status line, such as `"%H:%M"`. @default the usual one */
    statusRight: option('status_right', text, null),
    /** Whether programs may set the clipboard of your terminal (OSC 52): `"write"`. */
    clipboard: option('clipboard', oneOf('off', 'write'), 'off'),
  },
  acp: {
    /**
     * Whether `vtr acp` runs the commands of an agent's own shell in sessions, as with `--shell`; `"input"`: as with
     * `--shell-input`. Linux only.
     */
    shell: option('shell', oneOf('off', 'on', 'input'), 'off'),
  },
  notify: {
    /**
     * The hours of each day in which `vtr notify` tells nothing, by the local time, such as `"22:00-07:00"`. What still
     * needs you at their end is told then.
     *
     * @default none
     */
    quiet: option('quiet', hours, null),
    /** The most notifications of `vtr notify` in a minute. Others wait, and are told together. */
    perMinute: option('per_minute', wholeNumber(1, 60), 6),
    /**
     * As `vtr notify --webhook`: the URL of a server that gets each notification. It is often a secret: other users of
     * the machine can read the arguments of `vtr notify`, and not this file if its mode is 600.
     *
     * @default none
     */
    webhook: option('webhook', text, null),
    /**
     * What the server gets: JSON of vtr, a message of ntfy, or one of Slack.
     *
     * @default by the server: `"slack"` for hooks.slack.com, `"ntfy"` for ntfy.sh, else `"json"`
     */
    webhookFormat: option('webhook_format', oneOf('json', 'ntfy', 'slack'), null),
  },
};

/** The values of `config.toml`, with the defaults of the keys that it does not set. */
export type ClientConfig = OptionValues<typeof clientOptions.defaults> &
  OptionValues<typeof clientOptions.environment> & {
    readonly coordinators: readonly ConfiguredCoordinator[];
    readonly attach: OptionValues<typeof clientOptions.attach>;
    readonly acp: OptionValues<typeof clientOptions.acp>;
    readonly notify: OptionValues<typeof clientOptions.notify>;
    /** The keys of `vtr attach`, `vtr ui` and `vtr play` that differ from the usual ones, as written. */
    readonly keys: Keys;
  };

/** A table of `coordinators`. */
export interface ConfiguredCoordinator {
  /** The path or glob, or the address, as written. */
  readonly place: string;
  readonly name?: string;
}

type Keys = Readonly<Record<string, unknown>>;

const schema: Table = {
  coordinators: {
    tables: valuesOfKeys(clientOptions.coordinators),
    check({ path, address: other, name }: { path?: unknown; address?: unknown; name?: unknown }) {
      if ((path === undefined) === (other === undefined)) return 'must set either path or address';
      const isSeveral = isGlob(String(path ?? '')) || isSelector(String(other ?? ''));
      return name !== undefined && isSeveral
        ? 'cannot set the name of a glob or of labels, which stand for several coordinators'
        : null;
    },
  },
  defaults: { table: valuesOfKeys(clientOptions.defaults) },
  environment: { table: valuesOfKeys(clientOptions.environment) },
  attach: { table: valuesOfKeys(clientOptions.attach) },
  acp: { table: valuesOfKeys(clientOptions.acp) },
  notify: { table: valuesOfKeys(clientOptions.notify) },
  keys: {
    async problems(table, { attach }) {
      // Loaded on demand: most configurations have no keys.
      const { keyProblems } = await import('#keys');
      const { leader = clientOptions.attach.leader.default } = (attach ?? {}) as {
        leader?: string;
      };
      return keyProblems(table, leader === 'none' ? null : leader);
    },
  },
};

export function clientConfigFile(user: UserEnvironment): string {
  return join(configDirectory(user), 'config.toml');
}

/**
 * Reads `config.toml`. A missing file is the same as an empty one.
 *
 * @throws VtrError INVALID_ARGUMENT with file, line and column
 */
export async function readClientConfig(user: UserEnvironment): Promise<ClientConfig> {
  const file = clientConfigFile(user);
  return parseClientConfig(readConfigFile(file) ?? '', file);
}

/**
 * Returns the sockets and addresses of the coordinators that are configured, as they are configured. Selectors
 * are returned as they are.
 */
export const configuredSockets = (
  { coordinators }: Pick<ClientConfig, 'coordinators'>,
  user: UserEnvironment,
): { readonly socket: string; readonly name: string; readonly pattern: string }[] =>
  coordinators.flatMap(({ place: pattern, name }) => {
    const places = isAddress(pattern)
      ? [resolvePlace(pattern)]
      : expandPath(expandHome(pattern, user)).map((path) => resolve(path));
    return places.map((socket) => ({ socket, name: name ?? nameOfPlace(socket), pattern }));
  });

export async function parseClientConfig(source: string, file: string): Promise<ClientConfig> {
  // The parser is loaded for a file with text only.
  const written = source === '' ? {} : await parseToml(source, schema, file);
  const { coordinators = [] } = written as { coordinators?: readonly Keys[] };
  const {
    defaults = {},
    environment = {},
    attach = {},
    acp = {},
    notify = {},
    keys = {},
  } = written as Record<string, Keys>;
  return {
    coordinators: coordinators.map((each) => {
      const { path, address, name } = optionValues(clientOptions.coordinators, each);
      // The schema has exactly one of them.
      return { place: path ?? address ?? '', ...defined({ name }) };
    }),
    ...optionValues(clientOptions.defaults, defaults),
    ...optionValues(clientOptions.environment, environment),
    attach: optionValues(clientOptions.attach, attach),
    acp: optionValues(clientOptions.acp, acp),
    notify: optionValues(clientOptions.notify, notify),
    keys,
  };
}

/**
 * Returns the sockets that match a path or glob, sorted. `*`, `?` and `[...]` match within one file
 * name, but never its leading dot. A path without them is returned unchanged, whether or not it exists.
 *
 * A glob only searches directories of the user and of root: in another user's directory, that user
 * decides who answers on a socket.
 */
export function expandPath(pattern: string): string[] {
  if (!isGlob(pattern)) return [pattern];
  let paths = [pattern.startsWith('/') ? '/' : '.'];
  const names = pattern.split('/').filter((name) => name !== '');
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    paths = paths.flatMap((directory) => step(directory, name, isLast));
  }
  return paths.sort();
}

function step(directory: string, name: string, isLast: boolean): string[] {
  if (!isGlob(name)) {
    const path = join(directory, name);
    return isLast && !isSocket(path) ? [] : [path];
  }
  if (!isTrusted(directory)) return [];
  const matches = globPattern(name);
  return entriesOf(directory)
    .filter((entry) => !entry.name.startsWith('.') || name.startsWith('.'))
    .filter((entry) => matches?.test(entry.name))
    .filter((entry) => (isLast ? entry.isSocket() : entry.isDirectory() || entry.isSymbolicLink()))
    .map((entry) => join(directory, entry.name));
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isTrusted(directory: string): boolean {
  const stat = lstatOrNull(directory);
  return stat !== null && (isOwn(stat) || stat.uid === 0);
}

const isSocket = (path: string): boolean => lstatOrNull(path)?.isSocket() ?? false;

function lstatOrNull(path: string) {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
