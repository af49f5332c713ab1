import type { ClientConfig, UserEnvironment } from '#config';

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
  /** Writes data to stdout. */
  readonly out: (data: string | Uint8Array) => void;
  /** Resolves when the reader of stdout has taken what was written, or has gone. */
  readonly flushed: () => Promise<void>;
  /** Calls `act` when the reader of stdout has gone, as in `| head`, in place of the exit of this process. */
  readonly onReaderGone: (act: () => void) => void;
  /** Writes one message, without its line end, to stderr. */
  readonly say: (message: string) => void;
  /** Writes text to stderr, as it is. */
  readonly err: (text: string) => void;
  /** Reads stdin to its end. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Reads `config.toml` once. @throws VtrError INVALID_ARGUMENT */
  readonly config: () => Promise<ClientConfig>;
}
