import { quoted } from '#base';
import type { Size } from './cell.ts';
import { VtrError } from './errors.ts';
import type { ExitStatus, SessionLifetime } from './lifetime.ts';
import type { SessionInfo, SessionLabels } from './session.ts';

/**
 * A request to publish the output of another program as a read-only session. Nothing in it is
 * verified.
 */
export interface PublishRequest {
  /** 1 to 64 characters of A-Z a-z 0-9 . _ -. Default: generated. */
  readonly name?: string;
  /** The name of the publisher, for people; 1 to 256 characters. */
  readonly by: string;
  /** The source of the output: a program, or a whole command line. Default: empty. */
  readonly program?: string;
  readonly args?: readonly string[];
  /** The working directory of the program. Default: empty. */
  readonly cwd?: string;
  /** Default: 80 columns, 24 rows. */
  readonly size?: Size;
  /**
   * The output comes from a pipe: each line feed also returns the cursor to the first column, as in a
   * terminal with ONLCR. Default: false.
   */
  readonly fromPipe?: boolean;
  /** Default: the session lasts until it is removed. When it is over, the session is hung up. */
  readonly lifetime?: SessionLifetime;
  /** As `SpawnRequest.labels`. */
  readonly labels?: SessionLabels;
}

/**
 * The writing end of a published session. Calls take effect in the order in which they are made. Each
 * fails with SESSION_NOT_RUNNING after the exit, and if the session was ended or removed by another
 * client.
 */
export interface Publication {
  /** The session as published. */
  readonly session: SessionInfo;
  /**
   * Adds output. Resolves when the session shows it. The array is copied, and may be reused after
   * the call.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Sets the size of the terminal that the output is made for. @throws VtrError INVALID_SIZE */
  resize(size: Size): Promise<void>;
  /** Ends the session. It stays readable. @throws VtrError INVALID_ARGUMENT */
  exit(status: ExitStatus): Promise<void>;
  /**
   * Ends the publication. Without an exit before, the session ends with SIGHUP; so it does if the
   * publisher's connection is lost.
   */
  close(): Promise<void>;
}

/** The exit status of a published session that ends without an exit. */
export const hungUp: ExitStatus = { code: null, signal: 'SIGHUP' };

const maxByLength = 256;

/** @throws VtrError INVALID_ARGUMENT */
export function checkFeeder(by: string): string {
  if (by.length > 0 && by.length <= maxByLength) return by;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `the publisher has ${by.length} characters; use 1 to ${maxByLength}`,
  );
}

/** @throws VtrError INVALID_ARGUMENT */
export function checkExitStatus({ code, signal }: ExitStatus): ExitStatus {
  const isCode = code !== null && Number.isInteger(code) && code >= 0 && code <= 255;
  const isSignal = signal !== null && /^SIG[A-Z0-9+]{1,12}$/.test(signal);
  if (isCode ? signal === null : isSignal && code === null) return { code, signal };
  throw new VtrError(
    'INVALID_ARGUMENT',
    `exit status is ${quoted({ code, signal })}; use a code from 0 to 255, or a signal such as SIGTERM`,
  );
}
