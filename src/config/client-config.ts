import { join, resolve } from 'node:path';
import { isGlob, parseDurationMs } from '#base';
import { isAddress, isSelector, maxSide } from '#model';
import { readConfigFile } from './config-file.ts';
import { expandPath } from './expand-path.ts';
import { parseToml, type Table } from './parse-toml.ts';
import { nameOfPlace, resolvePlace } from './socket-address.ts';
import { configDirectory, expandHome, type UserEnvironment } from './user-environment.ts';
import {
  address,
  coordinatorName,
  duration,
  keyOrNone,
  oneOf,
  socketPattern,
  variableNames,
  wholeNumber,
} from './values.ts';

/** The contents of `config.toml`. Keys that it does not set are undefined; the command's defaults apply. */
export interface ClientConfig {
  readonly coordinators: readonly ConfiguredCoordinator[];
  readonly waitForIdleTimeoutMs?: number;
  readonly grepContextBefore?: number;
  readonly grepContextAfter?: number;
  readonly outputFormat?: 'human' | 'json';
  /** Columns of the terminals of `vtr exec`. */
  readonly execCols?: number;
  readonly attach?: AttachConfig;
  /** The names of variables that sessions get although they look like secrets. */
  readonly passedVariables?: readonly string[];
}

/** A table of `coordinators`. */
export interface ConfiguredCoordinator {
  /** The path or glob, or the address, as written. */
  readonly place: string;
  readonly name?: string;
}

/** The table `attach`. */
export interface AttachConfig {
  /** A key, or `none`. */
  readonly leader?: string;
  readonly status?: 'on' | 'off' | 'auto';
  /** `write`: programs may set the clipboard of the person's terminal (OSC 52). */
  readonly clipboard?: 'off' | 'write';
}

const maxContextLines = 1000;

const schema: Table = {
  coordinators: {
    tables: { path: socketPattern, address, name: coordinatorName },
    check(given: Readonly<Record<string, unknown>>) {
      const {
        path,
        address: other,
        name,
      }: { path?: unknown; address?: unknown; name?: unknown } = given;
      if ((path === undefined) === (other === undefined)) return 'must set either path or address';
      const isSeveral = isGlob(String(path ?? '')) || isSelector(String(other ?? ''));
      return name !== undefined && isSeveral
        ? 'cannot set the name of a glob or of labels, which stand for several coordinators'
        : null;
    },
  },
  defaults: {
    table: {
      wait_for_idle_timeout: duration,
      grep_context_before: wholeNumber(0, maxContextLines),
      grep_context_after: wholeNumber(0, maxContextLines),
      output_format: oneOf('human', 'json'),
      exec_cols: wholeNumber(1, maxSide),
    },
  },
  environment: { table: { pass: variableNames } },
  attach: {
    table: {
      leader: keyOrNone,
      status: oneOf('on', 'off', 'auto'),
      clipboard: oneOf('off', 'write'),
    },
  },
};

/** A file that {@link schema} accepts. */
interface Checked {
  readonly coordinators?: readonly {
    readonly path?: string;
    readonly address?: string;
    readonly name?: string;
  }[];
  readonly defaults?: {
    readonly wait_for_idle_timeout?: string;
    readonly grep_context_before?: number;
    readonly grep_context_after?: number;
    readonly output_format?: 'human' | 'json';
    readonly exec_cols?: number;
  };
  readonly environment?: { readonly pass?: readonly string[] };
  readonly attach?: AttachConfig;
}

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
  const source = readConfigFile(file);
  return source === null ? { coordinators: [] } : parseClientConfig(source, file);
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
  const {
    coordinators = [],
    defaults = {},
    environment = {},
    attach,
  } = (await parseToml(source, schema, file)) as Checked;
  const timeoutMs = parseDurationMs(defaults.wait_for_idle_timeout ?? '');
  const { grep_context_before: before, grep_context_after: after } = defaults;
  return {
    coordinators: coordinators.map(({ path, address: given, name }) => ({
      // The schema has exactly one of them.
      place: path ?? given ?? '',
      ...(name === undefined ? {} : { name }),
    })),
    ...(attach === undefined ? {} : { attach }),
    ...(environment.pass === undefined ? {} : { passedVariables: environment.pass }),
    ...(timeoutMs === null ? {} : { waitForIdleTimeoutMs: timeoutMs }),
    ...(before === undefined ? {} : { grepContextBefore: before }),
    ...(after === undefined ? {} : { grepContextAfter: after }),
    ...(defaults.output_format === undefined ? {} : { outputFormat: defaults.output_format }),
    ...(defaults.exec_cols === undefined ? {} : { execCols: defaults.exec_cols }),
  };
}
