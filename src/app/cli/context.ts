import type { ClientConfig, UserEnvironment } from '#config';
import type { JsonConnection } from '#model';

/** What a command needs that runs in the daemon for its caller. */
export interface InDaemon {
  /** The socket of the daemon. */
  readonly socket: string;
  /** The service of the daemon, for the caller. */
  readonly service: JsonConnection;
  /** The process of the caller, and the one that started it. */
  readonly pid: number;
  readonly ppid: number;
  /** Resolves when the caller receives SIGINT. */
  readonly interrupted: Promise<void>;
  /** For what only a process of its own can do: the caller starts one. @throws VtrError INTERNAL_ERROR */
  readonly decline: () => never;
}

/** The surroundings of a verb: environment, directory, input and output. */
export interface Context extends UserEnvironment {
  readonly cwd: string;
  readonly version: string;
  /** The file that Node runs; a daemon is started from it. */
  readonly program: string;
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
  /** The width of that terminal; null if stdout is not one. */
  readonly columns: number | null;
  /**
   * Writes to stdout: text without control characters other than line feeds and tabs, whatever a coordinator put in
   * it; bytes as they are.
   */
  readonly out: (data: string | Uint8Array) => void;
  /** Writes text with vtr's own control sequences to stdout. All else in it must be clean. */
  readonly draw: (text: string) => void;
  /** Resolves when the reader of stdout has taken what was written, or has gone. */
  readonly flushed: () => Promise<void>;
  /** Calls `act` when the reader of stdout has gone, as in `| head`, in place of the exit of this process. */
  readonly onReaderGone: (act: () => void) => void;
  /** Writes one message, without its line end, to stderr. */
  readonly say: (message: string) => void;
  /** Messages are JSON; see `withJsonMessages`. */
  readonly saysJson?: true;
  /** Writes text to stderr, without control characters other than line feeds and tabs. */
  readonly err: (text: string) => void;
  /** Reads stdin to its end. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Reads `config.toml` once. @throws VtrError INVALID_ARGUMENT */
  readonly config: () => Promise<ClientConfig>;
  /** Absent: the command has a process of its own. */
  readonly inDaemon?: InDaemon;
}
