import { VtrError } from './errors.ts';
import type { ExitStatus } from './exit-status.ts';
import type { SessionLifetime } from './lifetime.ts';
import type { SessionInfo } from './session.ts';
import type { Size } from './size.ts';

/** What another process's program writes, to be shown as a session. All of it is the caller's word. */
export interface PublishRequest {
  /** 1 to 64 of A-Z a-z 0-9 . _ -; made up when absent. */
  readonly name?: string;
  /** Who feeds it, for people; 1 to 256 characters. */
  readonly by: string;
  /** What writes: a program, or a whole command line. Empty when absent. */
  readonly program?: string;
  readonly args?: readonly string[];
  /** Where it runs; empty when absent. */
  readonly cwd?: string;
  /** 80x24 when absent. */
  readonly size?: Size;
  /**
   * The output was written into a pipe: a line feed begins a line then, as if a terminal had got it
   * (ONLCR). False when absent.
   */
  readonly fromPipe?: boolean;
  /** It lasts until it is removed, when absent. To end it is to hang it up. */
  readonly lifetime?: SessionLifetime;
}

/**
 * A session without a program of ours: its output comes from whoever holds this, and it takes no
 * input. Steps are taken in the order of the calls. Each fails with SESSION_NOT_RUNNING after the
 * exit, and when the session was ended or removed by somebody else.
 */
export interface Publication {
  /** As it was published. */
  readonly session: SessionInfo;
  /** Resolves when the session shows it. The array may be used again after the call. */
  write(bytes: Uint8Array): Promise<void>;
  /** The size of the terminal that the output is made for. @throws VtrError INVALID_SIZE */
  resize(size: Size): Promise<void>;
  /** The session has ended, and stays readable. @throws VtrError INVALID_ARGUMENT */
  exit(status: ExitStatus): Promise<void>;
  /**
   * No more will come. A session whose exit was not told ends as if its terminal had been hung up
   * (SIGHUP), and so it does when the one who feeds it is gone.
   */
  close(): Promise<void>;
}

/** How a session ends whose feeder has left without telling. */
export const hungUp: ExitStatus = { code: null, signal: 'SIGHUP' };

const maxByLength = 256;

/** @throws VtrError INVALID_ARGUMENT */
export function checkFeeder(by: string): string {
  if (by.length > 0 && by.length <= maxByLength) return by;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `who feeds the session is said in 1 to ${maxByLength} characters, and not in ${by.length}`,
  );
}

/** @throws VtrError INVALID_ARGUMENT */
export function checkExitStatus({ code, signal }: ExitStatus): ExitStatus {
  const isCode = code !== null && Number.isInteger(code) && code >= 0 && code <= 255;
  const isSignal = signal !== null && /^SIG[A-Z0-9+]{1,12}$/.test(signal);
  if (isCode ? signal === null : isSignal && code === null) return { code, signal };
  throw new VtrError(
    'INVALID_ARGUMENT',
    `an exit status is a code from 0 to 255 or a signal such as SIGTERM, and not ${JSON.stringify({ code, signal })}`,
  );
}
