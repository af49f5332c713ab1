import { join } from 'node:path';
import { type LogLevel, logLevels } from '#base';
import { maxScrollbackLines, maxSide, VtrError } from '#model';
import { readConfigFile } from './config-file.ts';
import { parseToml, type Table } from './parse-toml.ts';
import { configDirectory, expandHome, type UserEnvironment } from './user-environment.ts';
import {
  absolutePath,
  duration,
  oneOf,
  pattern,
  patterns,
  socketPath,
  text,
  wholeNumber,
  yesOrNo,
} from './values.ts';

/** The styles of the answers of an MCP server. */
export const answerStyles = ['lean', 'full'] as const;

export type AnswerStyle = (typeof answerStyles)[number];

/** The contents of `server.toml`. Keys that it does not set are undefined. */
export interface ServerConfig {
  readonly socketPath?: string;
  /** Lines of scrollback that a session keeps. */
  readonly scrollbackLimit?: number;
  readonly defaultShell?: string;
  readonly maxSessions?: number;
  /** How many exited sessions are kept at most. */
  readonly maxKeptExited?: number;
  /** How many screens are buffered for a slow subscriber. */
  readonly snapshotBuffer?: number;
  /** Permissions of the socket; 0o600 by default. With 0o660, the socket's group has full access. */
  readonly socketMode?: number;
  /** Size of the sessions of an MCP server, unless the call or the environment sets it. */
  readonly defaultRows?: number;
  readonly defaultCols?: number;
  readonly term?: string;
  /** RE2 that recognises a prompt. */
  readonly promptPattern?: string;
  /** When an unused session of an MCP server is ended: a duration such as `20m`; `0s` for never. */
  readonly idleTimeout?: string;
  /** The longest wait of one call of an MCP server: a duration such as `50s`. */
  readonly maxWait?: string;
  /** The log level of an MCP server. */
  readonly logLevel?: LogLevel;
  /** Whether answers of an MCP server have all documented fields, or only those with news. */
  readonly answers?: AnswerStyle;
  /** Whether interactive shells mark their commands; true by default. */
  readonly shellIntegration?: boolean;
  /** Whether sessions start with grapheme clusters (mode 2027) on; true by default. */
  readonly graphemeClusters?: boolean;
  /** Whether terminals are in a process of their own, the default, or in the daemon's. */
  readonly ptyHost?: 'process' | 'in_process';
  /** Whether sessions are saved on disk, the default, or in the memory of the PTY host only. */
  readonly persist?: 'disk' | 'memory';
  /** How much of a session is recorded in memory, in MiB; 0: nothing. */
  readonly recordingMemory?: number;
  /** The same of all sessions. */
  readonly recordingMemoryTotal?: number;
  /** Whether each session is recorded to a file; `off` by default. */
  readonly record?: 'off' | 'files';
  /** The limit of the file of a recording, in MiB. */
  readonly recordingMax?: number;
  /** Finished recordings that are kept in vtr's own directory: at most so many, so large, so long. */
  readonly recordingsKeep?: number;
  readonly recordingsTotal?: number;
  readonly recordingsMaxAge?: string;
  /** The limit of the files with lines that scrollbacks dropped, in MiB; 0: there are none. */
  readonly archiveMax?: number;
  /** Whether secrets are replaced in recordings; true by default. */
  readonly redact?: boolean;
  /** Whether they are replaced in what readers get, unless a call requests otherwise; false by default. */
  readonly redactReads?: boolean;
  /** RE2; what these match is a secret, too. */
  readonly redactPatterns?: readonly string[];
  /** Whether there is an audit trail; true by default. */
  readonly audit?: boolean;
  /** Whether it has the texts of input; false by default. */
  readonly auditText?: boolean;
  /** The limit of all its files, in MiB. */
  readonly auditMax?: number;
  /** Whether SIGTERM ends the sessions, the default, or leaves them to the next daemon. */
  readonly onSigterm?: 'end' | 'keep';
}

const schema: Table = {
  socket_path: socketPath,
  scrollback_limit: wholeNumber(0, maxScrollbackLines),
  default_shell: absolutePath,
  max_sessions: wholeNumber(1, 100_000),
  max_kept_exited: wholeNumber(0, 100_000),
  snapshot_buffer: wholeNumber(1, 1000),
  socket_mode: oneOf('0600', '0660'),
  default_rows: wholeNumber(1, maxSide),
  default_cols: wholeNumber(1, maxSide),
  term: text,
  prompt_pattern: pattern,
  idle_timeout: duration,
  max_wait: duration,
  log_level: oneOf(...logLevels),
  answers: oneOf(...answerStyles),
  shell_integration: yesOrNo,
  grapheme_clusters: yesOrNo,
  pty_host: oneOf('process', 'in_process'),
  persist: oneOf('disk', 'memory'),
  recording_memory: wholeNumber(0, 1024),
  recording_memory_total: wholeNumber(0, 65_536),
  record: oneOf('off', 'files'),
  recording_max: wholeNumber(1, 65_536),
  recordings_keep: wholeNumber(0, 100_000),
  recordings_total: wholeNumber(1, 1_048_576),
  recordings_max_age: duration,
  archive_max: wholeNumber(0, 1_048_576),
  redact: yesOrNo,
  redact_reads: yesOrNo,
  redact_patterns: patterns,
  audit: yesOrNo,
  audit_text: yesOrNo,
  audit_max: wholeNumber(1, 65_536),
  on_sigterm: oneOf('end', 'keep'),
};

/** A file that {@link schema} accepts. */
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
  readonly answers?: AnswerStyle;
  readonly shell_integration?: boolean;
  readonly grapheme_clusters?: boolean;
  readonly pty_host?: 'process' | 'in_process';
  readonly persist?: 'disk' | 'memory';
  readonly recording_memory?: number;
  readonly recording_memory_total?: number;
  readonly record?: 'off' | 'files';
  readonly recording_max?: number;
  readonly recordings_keep?: number;
  readonly recordings_total?: number;
  readonly recordings_max_age?: string;
  readonly archive_max?: number;
  readonly redact?: boolean;
  readonly redact_reads?: boolean;
  readonly redact_patterns?: readonly string[];
  readonly audit?: boolean;
  readonly audit_text?: boolean;
  readonly audit_max?: number;
  readonly on_sigterm?: 'end' | 'keep';
}

function serverConfigFile(user: UserEnvironment): string {
  return join(configDirectory(user), 'server.toml');
}

/**
 * Reads `server.toml`. A missing file is the same as an empty one.
 *
 * @param file another file, which must exist
 * @throws VtrError INVALID_ARGUMENT with file, line and column
 */
export async function readServerConfig(
  user: UserEnvironment,
  file?: string,
): Promise<ServerConfig> {
  const chosen = file ?? serverConfigFile(user);
  const source = readConfigFile(chosen);
  if (source !== null) return parseServerConfig(source, chosen, user);
  if (file === undefined) return {};
  throw new VtrError('INVALID_ARGUMENT', `${file} does not exist; give --config an existing file`);
}

export async function parseServerConfig(
  source: string,
  file: string,
  user: UserEnvironment,
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
  const { idle_timeout: idle, max_wait: wait, log_level: level, answers } = given;
  const { recording_memory: memory, recording_memory_total: totalMemory } = given;
  const { pty_host: ptyHost, persist, on_sigterm: onSigterm, archive_max: archiveMax } = given;
  return {
    ...(socket === undefined ? {} : { socketPath: expandHome(socket, user) }),
    ...(lines === undefined ? {} : { scrollbackLimit: lines }),
    ...(shell === undefined ? {} : { defaultShell: expandHome(shell, user) }),
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
    ...(answers === undefined ? {} : { answers }),
    ...(marked === undefined ? {} : { shellIntegration: marked }),
    ...(clusters === undefined ? {} : { graphemeClusters: clusters }),
    ...(ptyHost === undefined ? {} : { ptyHost }),
    ...(persist === undefined ? {} : { persist }),
    ...(memory === undefined ? {} : { recordingMemory: memory }),
    ...(totalMemory === undefined ? {} : { recordingMemoryTotal: totalMemory }),
    ...recordingKeys(given),
    ...auditKeys(given),
    ...(onSigterm === undefined ? {} : { onSigterm }),
    ...(archiveMax === undefined ? {} : { archiveMax }),
  };
}

function recordingKeys(given: Checked): Partial<ServerConfig> {
  const { record, recording_max: max, recordings_keep: keep, recordings_total: total } = given;
  const { recordings_max_age: age, redact, redact_reads: reads, redact_patterns: patterns } = given;
  return {
    ...(record === undefined ? {} : { record }),
    ...(max === undefined ? {} : { recordingMax: max }),
    ...(keep === undefined ? {} : { recordingsKeep: keep }),
    ...(total === undefined ? {} : { recordingsTotal: total }),
    ...(age === undefined ? {} : { recordingsMaxAge: age }),
    ...(redact === undefined ? {} : { redact }),
    ...(reads === undefined ? {} : { redactReads: reads }),
    ...(patterns === undefined ? {} : { redactPatterns: patterns }),
  };
}

const auditKeys = ({
  audit,
  audit_text: text,
  audit_max: max,
}: Checked): Partial<ServerConfig> => ({
  ...(audit === undefined ? {} : { audit }),
  ...(text === undefined ? {} : { auditText: text }),
  ...(max === undefined ? {} : { auditMax: max }),
});
