import type { ClientConfig, UserEnvironment } from '#config';

/** What a verb finds around it. */
export interface Context extends UserEnvironment {
  readonly cwd: string;
  readonly version: string;
  /** The file that is being run: what a daemon is started from. */
  readonly program: string;
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
  /** Data. */
  readonly out: (data: string | Uint8Array) => void;
  /** Everything else; one message, without the line end. */
  readonly say: (message: string) => void;
  readonly readInput: () => Promise<Uint8Array>;
  /** Read once. @throws VtrError INVALID_ARGUMENT */
  readonly config: () => Promise<ClientConfig>;
}
