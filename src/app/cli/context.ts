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
  /** Writes text to stderr, without control characters other than line feeds and tabs. */
  readonly err: (text: string) => void;
  /** Reads stdin to its end. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Reads `config.toml` once. @throws VtrError INVALID_ARGUMENT */
  readonly config: () => Promise<ClientConfig>;
}
