import type { Disposable, Listener } from '#base';
import type { ExitStatus, SessionEvent } from '#model';

/** A line that the last output printed on, and where in it. */
export interface Printed {
  /** Line number; null on the alternate screen. */
  readonly line: number | null;
  readonly text: string;
  /** Whether `text` lacks the beginning of the line. */
  readonly cut: boolean;
  /** The printed part of `text`: from this index up to and without `to`. */
  readonly from: number;
  readonly to: number;
}

/** What an observer sees of a session. While an event goes round, the state is the event's. */
export interface Watched {
  readonly revision: number;
  /** Null while the program runs. */
  readonly exitStatus: ExitStatus | null;
  /** What the last output printed. */
  printedText(): Iterable<Printed>;
  /** Another number when the screen looks different. */
  fingerprint(): number;
  onEvent(listener: Listener<SessionEvent>): Disposable;
}
