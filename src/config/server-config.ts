import { join } from 'node:path';
import { logLevels } from '#base';
import {
  defaultLimits,
  defaultScrollbackLines,
  defaultSize,
  maxScrollbackLines,
  maxSide,
  VtrError,
} from '#model';
import { readConfigFile } from './config-file.ts';
import {
  absolutePath,
  bytesPerMiB,
  duration,
  forwardTo,
  mebibytes,
  mode,
  type Option,
  type OptionValues,
  oneOf,
  optionValues,
  origins,
  pattern,
  patterns,
  socketPath,
  text,
  valuesOfKeys,
  wholeNumber,
  yesOrNo,
} from './options.ts';
import { parseToml, type Value } from './parse-toml.ts';
import { configDirectory, type UserEnvironment } from './user-environment.ts';

/** How MCP servers read a key: from a flag and an environment variable, too. */
export interface McpOption<F extends string, W> {
  /** The flag of `vtr mcp`, without `--`. */
  readonly flag: F;
  /** The placeholder of its value in help. */
  readonly placeholder: string;
  /** Its text in help, in the docs and in the manifest of the bundle. */
  readonly about: string;
  /** The text of the default, if it is not a value. */
  readonly byDefault?: string;
  /** Its name where hosts offer it to users of the bundle. Default: they do not. */
  readonly title?: string;
  /** The coordinator reads the key, too. */
  readonly isShared?: true;
  /** Where it is not that of the coordinator; null: the server sets nothing. */
  readonly default?: W | null;
  /** What the flag and the variable accept, if not what the file accepts. */
  readonly value?: Value<W>;
}

/** A key that only the coordinator reads. */
const coordinator = <W, V, const D extends W | null>(
  key: string,
  value: Value<W, V>,
  byDefault: D,
): Option<W, V, D> & { readonly mcp: null } => ({ key, value, default: byDefault, mcp: null });

/** A key that MCP servers read. */
const mcp = <W, V, const D extends W | null, const M extends McpOption<string, W>>(
  key: string,
  value: Value<W, V>,
  byDefault: D,
  option: M,
): Option<W, V, D> & { readonly mcp: M } => ({ key, value, default: byDefault, mcp: option });

/**
 * The keys of `server.toml`, in the order of the docs. From a row follow the type, the check and the default of a
 * key, its row in docs/configuration.md and, where MCP servers read it, the flag of `vtr mcp`, the environment
 * variable (VTR_ and the key in upper case) and the option in manifest.json. The comment of a key that the
 * coordinator reads is its text in the docs.
 */
export const serverOptions = {
  /**
   * Path of the socket.
   *
   * @default see `vtr serve --help`
   */
  socketPath: coordinator('socket_path', socketPath, null),
  /** Permissions of the socket. `"0660"` gives its group full access; the mode of its directory may then be 750. */
  socketMode: coordinator('socket_mode', mode('0600', '0660'), '0600'),
  defaultRows: mcp('default_rows', wholeNumber(1, maxSide), defaultSize.rows, {
    flag: 'rows',
    placeholder: 'N',
    about: 'rows of new sessions',
    title: 'Rows',
  }),
  defaultCols: mcp('default_cols', wholeNumber(1, maxSide), defaultSize.cols, {
    flag: 'cols',
    placeholder: 'N',
    about: 'columns of new sessions',
    title: 'Columns',
  }),
  /**
   * Path of the program that `vtr spawn` runs without PROGRAM.
   *
   * @default `$SHELL`, else bash, else sh
   */
  defaultShell: mcp('default_shell', absolutePath, null, {
    flag: 'shell',
    placeholder: 'PROGRAM',
    about: 'program of a session for which none is given',
    byDefault: 'your shell',
    title: 'Shell',
    isShared: true,
    value: text,
  }),
  term: mcp('term', text, 'xterm-256color', {
    flag: 'term',
    placeholder: 'NAME',
    about: 'TERM of new sessions',
    title: 'TERM',
  }),
  /** Whether interactive shells mark their commands. */
  shellIntegration: coordinator('shell_integration', yesOrNo, true),
  /**
   * Whether sessions start with mode 2027 set: an emoji sequence such as ⚠️ or 👩‍👧 takes two columns. Set it to
   * `false` for programs that add up the widths of characters, as the C library does. A program can change the
   * mode itself.
   */
  graphemeClusters: coordinator('grapheme_clusters', yesOrNo, true),
  /** Lines of scrollback per session. */
  scrollbackLimit: mcp(
    'scrollback_limit',
    wholeNumber(0, maxScrollbackLines),
    defaultScrollbackLines,
    {
      flag: 'scrollback-limit',
      placeholder: 'N',
      about: 'lines of scrollback per session',
      title: 'Lines of history',
      isShared: true,
      default: null,
    },
  ),
  promptPattern: mcp('prompt_pattern', pattern, null, {
    flag: 'prompt-pattern',
    placeholder: 'REGEX',
    about: 'regular expression (RE2) for the end of a prompt that the shell does not mark',
    byDefault: '$, # or > at the end of the line',
    title: 'Prompt',
  }),
  /** Sessions that may run at once. */
  maxSessions: mcp('max_sessions', wholeNumber(1, 100_000), defaultLimits.sessions, {
    flag: 'max-sessions',
    placeholder: 'N',
    about: 'limit of running sessions',
    title: 'Terminals at once',
    isShared: true,
    default: 10,
  }),
  answers: mcp('answers', oneOf('lean', 'text', 'full'), 'lean', {
    flag: 'answers',
    placeholder: 'STYLE',
    about:
      'lean leaves out fields without news; text does too, and answers with text alone; full has every documented field',
    title: 'Answers',
  }),
  idleTimeoutMs: mcp('idle_timeout', duration, '20m', {
    flag: 'idle-timeout',
    placeholder: 'DURATION',
    about: 'end sessions that were not used for DURATION; 0s: never',
  }),
  maxWaitMs: mcp('max_wait', duration, '50s', {
    flag: 'max-wait',
    placeholder: 'DURATION',
    about: 'longest wait of one call',
  }),
  logLevel: mcp('log_level', oneOf(...logLevels), 'error', {
    flag: 'log-level',
    placeholder: 'LEVEL',
    about: `messages on stderr: ${logLevels.join(', ')}`,
  }),
  /** Exited sessions kept by `--keep-exited`; the oldest is removed first. */
  maxKeptExited: coordinator('max_kept_exited', wholeNumber(0, 100_000), defaultLimits.keptExited),
  /**
   * Where the terminals are: `"process"`, in a process of their own (`vtr-ptyd`), so that reading and parsing of
   * output use two processors; or `"in_process"`, in the daemon. A coordinator in an MCP or ACP server
   * (`--embedded`) always has them in its process.
   */
  ptyHost: coordinator('pty_host', oneOf('process', 'in_process'), 'process'),
  /**
   * Where sessions are saved: `"disk"`, in `$XDG_STATE_HOME/vtr` (else `~/.local/state/vtr`) as well, so that they
   * can be listed and revived after a reboot; or `"memory"`, in the PTY host only, so that they survive a restart of
   * the daemon, but not a reboot.
   */
  persist: coordinator('persist', oneOf('disk', 'memory'), 'disk'),
  /** How much of each session is recorded in memory, in MiB; 0: nothing. See [Recording](service.md#recording). */
  recordingMemoryBytes: coordinator(
    'recording_memory',
    mebibytes(0, 1024),
    defaultLimits.recordingBytes / bytesPerMiB,
  ),
  /** How much of all sessions together is recorded in memory, in MiB; above it, the oldest parts are dropped. */
  recordingMemoryTotalBytes: coordinator(
    'recording_memory_total',
    mebibytes(0, 65_536),
    defaultLimits.allRecordingsBytes / bytesPerMiB,
  ),
  /**
   * Which sessions are recorded to files: `"off"`, only those for which a recording is requested; or `"files"`,
   * all. See [Recordings](recordings.md).
   */
  record: coordinator('record', oneOf('off', 'files'), 'off'),
  /** The largest size of the file of a recording, in MiB. The recording stops there. */
  recordingMaxBytes: coordinator(
    'recording_max',
    mebibytes(1, 65_536),
    defaultLimits.recordingFileBytes / bytesPerMiB,
  ),
  /**
   * Total size, in MiB, of the encrypted files of all sessions that keep the lines which scrollbacks dropped. Above
   * it, the oldest lines of the session with the most lines are removed first. 0 turns the archive off.
   */
  archiveMaxBytes: coordinator('archive_max', mebibytes(0, 1_048_576), 256),
  /** Finished recordings that are kept in vtr's own directory; the oldest are removed when a recording begins. */
  recordingsKeep: coordinator('recordings_keep', wholeNumber(0, 100_000), 200),
  /** Total size of these recordings, in MiB; the oldest are removed when a recording begins. */
  recordingsTotalBytes: coordinator('recordings_total', mebibytes(1, 1_048_576), 1024),
  /** Age from which these recordings are removed, when a recording begins. */
  recordingsMaxAgeMs: coordinator('recordings_max_age', duration, '30d'),
  /** Whether secrets are replaced in recordings. */
  redact: coordinator('redact', yesOrNo, true),
  /**
   * Whether secrets are replaced in what the command, MCP servers and other clients read, unless a call requests
   * otherwise. See [Secrets](secrets.md).
   */
  redactReads: coordinator('redact_reads', yesOrNo, false),
  /** A list of RE2 patterns. Text that one of them matches within a line is a secret, too. */
  redactPatterns: coordinator('redact_patterns', patterns, []),
  /**
   * A colour scheme for the web page, where a person has chosen no theme: the file of a theme of Ghostty, or of Windows
   * Terminal as JSON. The page takes a change of the file when it is loaded again.
   */
  webTheme: coordinator('web_theme', absolutePath, null),
  /** Whether calls that change something are recorded in [the audit trail](audit.md). */
  audit: coordinator('audit', yesOrNo, true),
  /** Whether the audit trail also records the text of input, unless it may be secret. */
  auditText: coordinator('audit_text', yesOrNo, false),
  /** Total size of the files of the audit trail, in MiB; the oldest are removed first. */
  auditMaxBytes: coordinator('audit_max', mebibytes(1, 65_536), 64),
  /**
   * Where each entry of the audit trail is forwarded to. See [Forwarding](audit.md#forwarding).
   *
   * @default none
   */
  auditForward: coordinator('audit_forward', forwardTo, null),
  /**
   * What SIGTERM ends: `"end"`, the daemon and its sessions, which are listed as ended at the next start; or
   * `"keep"`, the daemon alone: its programs continue.
   */
  onSigterm: coordinator('on_sigterm', oneOf('end', 'keep'), 'end'),
  /**
   * What a daemon starts again of the programs that a reboot, a shutdown or the loss of the PTY host has ended:
   * `"agents"`, coding agents with their conversations; `"all"`, all programs; or `"off"`. `vtr revive --all` does it
   * at any time. They get the environment of a login.
   */
  reviveAtStart: coordinator('revive_at_start', oneOf('off', 'agents', 'all'), 'off'),
  /** For how long agents wait after a person has typed in a session. */
  waitForPersonMs: coordinator('wait_for_person', duration, '5s'),
  /**
   * Whose windows size a session: `latest`, the one in which a person typed last; `smallest`, the smallest in which a
   * person may type; `manual`, none, so that only `vtr resize` and a key of attach change the size. `vtr attach --size`
   * changes it for a session.
   */
  sizing: coordinator('sizing', oneOf('latest', 'smallest', 'manual'), 'latest'),
  /**
   * Whether browsers that are logged in to the web page may ask for notifications by Web Push, which arrive while no
   * page is open: the coordinator then connects to the push services of their vendors. As `vtr web --push`, for every
   * page. See [Notifications](web.md#notifications).
   */
  webPush: coordinator('web_push', yesOrNo, false),
  /** The origins of push services of your own, such as `["https://push.example"]`: their addresses may be private. */
  webPushServices: coordinator('web_push_services', origins, []),
  /** Screens buffered for a slow subscriber. */
  snapshotBuffer: coordinator('snapshot_buffer', wholeNumber(1, 1000), defaultLimits.snapshots),
};

/** The values of `server.toml`, with the defaults of the keys that it does not set. */
export type ServerConfig = OptionValues<typeof serverOptions>;

/** What a file sets, by its keys. */
export type WrittenServerConfig = Readonly<Record<string, unknown>>;

/**
 * Reads `server.toml`. A missing file is the same as an empty one.
 *
 * @param file another file, which must exist
 * @throws VtrError INVALID_ARGUMENT with file, line and column
 */
export const readServerConfig = async (
  user: UserEnvironment,
  file?: string,
): Promise<ServerConfig> => optionValues(serverOptions, await readServerFile(user, file), user);

/** As {@link readServerConfig}; returns only what is written. */
export async function readServerFile(
  user: UserEnvironment,
  file?: string,
): Promise<WrittenServerConfig> {
  const chosen = file ?? join(configDirectory(user), 'server.toml');
  const source = readConfigFile(chosen);
  if (source !== null) return parseToml(source, valuesOfKeys(serverOptions), chosen);
  if (file === undefined) return {};
  throw new VtrError('INVALID_ARGUMENT', `${file} does not exist; give --config an existing file`);
}
