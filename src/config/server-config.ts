import { join } from 'node:path';
import { type LogLevel, logLevels } from '#base';
import { maxScrollbackLines, maxSide, VtrError } from '#model';
import { readConfigFile } from './config-file.ts';
import { parseToml, type Table } from './parse-toml.ts';
import { configFolder, expandHome, type Place } from './places.ts';
import { absolutePath, duration, oneOf, text, wholeNumber, yesOrNo } from './values.ts';

/** What `server.toml` says; what it leaves out is undefined here. */
export interface ServerConfig {
  readonly socketPath?: string;
  /** Lines of scrollback that a session keeps. */
  readonly scrollbackLimit?: number;
  readonly defaultShell?: string;
  readonly maxSessions?: number;
  /** Exited sessions that are kept for a while, at most. */
  readonly maxKeptExited?: number;
  /** Screens that wait for a slow subscriber. */
  readonly snapshotBuffer?: number;
  /** Permission bits; 0o600 where absent. With 0o660 the socket's group may do all that the user may. */
  readonly socketMode?: number;
  /** What sessions of an MCP server have where neither they nor the server say. */
  readonly defaultRows?: number;
  readonly defaultCols?: number;
  readonly term?: string;
  /** RE2, by which a prompt is known. */
  readonly promptPattern?: string;
  /** When such a session is ended that nobody uses; a duration such as `20m`, `0s` for never. */
  readonly idleTimeout?: string;
  /** How long a call of such a server waits at most; a duration such as `50s`. */
  readonly maxWait?: string;
  /** What such a server says on stderr. */
  readonly logLevel?: LogLevel;
  /** Whether interactive shells are made to mark their commands; they are where absent. */
  readonly shellIntegration?: boolean;
  /** Whether sessions start with grapheme clusters (mode 2027) on; true when absent. */
  readonly graphemeClusters?: boolean;
}

const schema: Table = {
  socket_path: absolutePath,
  scrollback_limit: wholeNumber(0, maxScrollbackLines),
  default_shell: absolutePath,
  max_sessions: wholeNumber(1, 100_000),
  max_kept_exited: wholeNumber(0, 100_000),
  snapshot_buffer: wholeNumber(1, 1000),
  socket_mode: oneOf('0600', '0660'),
  default_rows: wholeNumber(1, maxSide),
  default_cols: wholeNumber(1, maxSide),
  term: text,
  prompt_pattern: text,
  idle_timeout: duration,
  max_wait: duration,
  log_level: oneOf(...logLevels),
  shell_integration: yesOrNo,
  grapheme_clusters: yesOrNo,
};

/** The shape that {@link schema} admits. */
interface Checked {
  readonly socket_path?: string;
  readonly scrollback_limit?: number;
  readonly default_shell?: string;
  readonly max_sessions?: number;
  readonly max_kept_exited?: number;
  readonly snapshot_buffer?: number;
  readonly socket_mode?: string;
  readonly default_rows?: number;
  readonly default_cols?: number;
  readonly term?: string;
  readonly prompt_pattern?: string;
  readonly idle_timeout?: string;
  readonly max_wait?: string;
  readonly log_level?: LogLevel;
  readonly shell_integration?: boolean;
  readonly grapheme_clusters?: boolean;
}

function serverConfigFile(place: Place): string {
  return join(configFolder(place), 'server.toml');
}

/**
 * @param file that must exist; the user's own, which need not, when absent
 * @throws VtrError INVALID_ARGUMENT that names file, line and column
 */
export async function readServerConfig(place: Place, file?: string): Promise<ServerConfig> {
  const chosen = file ?? serverConfigFile(place);
  const source = readConfigFile(chosen);
  if (source !== null) return parseServerConfig(source, chosen, place);
  if (file === undefined) return {};
  throw new VtrError('INVALID_ARGUMENT', `there is no ${file}; give --config a file that exists`);
}

export async function parseServerConfig(
  source: string,
  file: string,
  place: Place,
): Promise<ServerConfig> {
  const given = (await parseToml(source, schema, file)) as Checked;
  const { socket_path: socket, default_shell: shell, socket_mode: mode } = given;
  const { scrollback_limit: lines, max_sessions: sessions, snapshot_buffer: buffer } = given;
  const {
    shell_integration: marked,
    grapheme_clusters: clusters,
    term,
    prompt_pattern: promptPattern,
  } = given;
  const { default_rows: rows, default_cols: cols, max_kept_exited: kept } = given;
  const { idle_timeout: idle, max_wait: wait, log_level: level } = given;
  return {
    ...(socket === undefined ? {} : { socketPath: expandHome(socket, place) }),
    ...(lines === undefined ? {} : { scrollbackLimit: lines }),
    ...(shell === undefined ? {} : { defaultShell: expandHome(shell, place) }),
    ...(sessions === undefined ? {} : { maxSessions: sessions }),
    ...(kept === undefined ? {} : { maxKeptExited: kept }),
    ...(buffer === undefined ? {} : { snapshotBuffer: buffer }),
    ...(mode === undefined ? {} : { socketMode: Number.parseInt(mode, 8) }),
    ...(rows === undefined ? {} : { defaultRows: rows }),
    ...(cols === undefined ? {} : { defaultCols: cols }),
    ...(term === undefined ? {} : { term }),
    ...(promptPattern === undefined ? {} : { promptPattern }),
    ...(idle === undefined ? {} : { idleTimeout: idle }),
    ...(wait === undefined ? {} : { maxWait: wait }),
    ...(level === undefined ? {} : { logLevel: level }),
    ...(marked === undefined ? {} : { shellIntegration: marked }),
    ...(clusters === undefined ? {} : { graphemeClusters: clusters }),
  };
}
