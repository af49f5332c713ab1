import type { Menu } from './menu.ts';

/**
 * Why a session wants somebody:
 *
 * - `input`: a program asks a question or waits for a key.
 * - `password`: as `input`, and the terminal does not echo.
 * - `prompt`: a shell shows its prompt after a command that ran for long.
 * - `failed`: a command or the program of the session failed.
 * - `bell`, `notification`: the program rang the bell, or sent OSC 9, 99 or 777.
 * - `done`: the program's progress (OSC 9;4) is complete, or the program of the session ended with 0.
 * - `quiet`: a program that had printed has printed nothing for long.
 */
export type AttentionKind =
  | 'input'
  | 'password'
  | 'prompt'
  | 'failed'
  | 'bell'
  | 'notification'
  | 'done'
  | 'quiet';

/** A session wants somebody. It lasts until input is sent, or the reason has gone. */
export interface Attention {
  readonly kind: AttentionKind;
  /** In ms since 1970. */
  readonly sinceMs: number;
  /** The question, the command with its status, the notification: one line, sanitized, at most 200 characters. */
  readonly evidence: string;
  /** Set for `input` if the program shows choices. */
  readonly menu?: Menu;
  /**
   * Whether `input` or `password` is a guess: only the text shows it, because the system does not report that the
   * program reads, or reports a program that relays another terminal. Absent: false.
   */
  readonly guess?: boolean;
}
