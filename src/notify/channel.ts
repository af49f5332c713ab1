import type { Notice } from './notices.ts';

/** A way to tell a person, or a program of theirs. */
export interface Channel {
  /** For `--status` and messages: without secrets. */
  readonly name: string;
  /** Whether it reports that a notification has arrived. A terminal does not. */
  readonly isConfirmed: boolean;
  /** Whether it gets each event at once, by itself: a program reads it, and no person is disturbed. */
  readonly isForPrograms?: true;
  /** Whether a notification that was not delivered is worth another attempt. */
  readonly isRepeated?: true;
  /**
   * Resolves when the notification was delivered: to why it was delivered in another way, else to null.
   *
   * @param atMs when the event is told, in ms since 1970: its mark
   * @throws Error if it was not delivered; {@link Refused} if another attempt would fail, too
   */
  tell(notice: Notice, atMs: number): Promise<string | null>;
}

/** A notification that the receiver will not accept. */
export class Refused extends Error {}
