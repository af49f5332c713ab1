import type { TextDecoder } from 'node:util';
import type { ReadMark } from '#model';
import { Recent } from '../recent.ts';

/** The positions of one client in the output of one session. */
export interface ReadMarks {
  /** End of the last read of the view `new`; null: the beginning. */
  readMark: ReadMark | null;
  /** Decodes raw output, if the last read of the view `new` was raw. */
  decoder: TextDecoder | null;
  /** Settles when all reads of the view `new` have ended. */
  reads: Promise<unknown>;
  /** Start of a wait for text: the last input, or the end of the last wait. */
  waitMark: ReadMark | null;
  /** Newest revision that was read in any view; -1 before the first read. */
  seenRevision: number;
}

const maxSessions = 1000;

/** The marks of one client, by session id. Each client has its own: reading consumes nothing. */
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
