import type { TextDecoder } from 'node:util';
import type { ReadMark } from '#model';
import { Recent } from '../recent.ts';

/** Where one client is in the output of one session. */
export interface ReadMarks {
  /** Up to where the view `new` has been read; the beginning when null. */
  readMark: ReadMark | null;
  /** Of the output with its ANSI codes, where that was read up to there. */
  decoder: TextDecoder | null;
  /** Settles when the reads of the view `new` have ended. */
  reads: Promise<unknown>;
  /** From where a wait for text counts: the last input, or the end of the last wait. */
  waitMark: ReadMark | null;
  /** The newest screen that was read in any view; -1 before the first. */
  seenRevision: number;
}

const maxSessions = 1000;

/** The places of one client, by the ids of sessions: they are its own, reading takes from nobody. */
export class SessionReadMarks {
  readonly #marks = new Recent<ReadMarks>(maxSessions);

  of(sessionId: string): ReadMarks {
    return this.#marks.touch(sessionId, this.#marks.get(sessionId) ?? noMarks());
  }

  forget(sessionId: string): void {
    this.#marks.forget(sessionId);
  }
}

const noMarks = (): ReadMarks => ({
  readMark: null,
  decoder: null,
  reads: Promise.resolve(),
  waitMark: null,
  seenRevision: -1,
});
