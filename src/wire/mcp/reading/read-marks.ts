import type { TextDecoder } from 'node:util';
import { ignored } from '#base';
import { type ReadMark, type SessionInfo, type Size, startMark, type WaitResult } from '#model';
import { Recent } from '../recent.ts';

/** The positions of one client in the output of one session. */
export interface ReadMarks {
  /** End of the last read of the view `new`; null: the beginning. */
  readMark: ReadMark | null;
  /** Decodes raw output, if the last read of the view `new` was raw. */
  decoder: TextDecoder | null;
  /** Settles when all reads that continue at `readMark` have ended. */
  reads: Promise<unknown>;
  /** Start of a wait for text: the last input, or the end of the last wait. */
  waitMark: ReadMark | null;
  /** Start of a wait for a command: the last input, or the last command whose end the client was told. */
  commandMark: ReadMark | null;
  /** Newest revision that was read in any view; -1 before the first read. */
  seenRevision: number;
  /** Rows of the alternate screen at the last read of the view `new`; null if it showed lines. */
  rows: readonly string[] | null;
  /** Whether the client can read on without a mark: it made the session, or has received one. */
  hasMark: boolean;
  /** Whether the client made the session. */
  isMade: boolean;
  /** Whether the last answer was about a full-screen program; null before the first answer. */
  wasFullScreen: boolean | null;
  /** The epoch of the session's driver that the client knows; null before its first input. */
  epoch: number | null;
  /** Facts that the client was told last; null if none. Lean answers do not repeat them. */
  size: Size | null;
  cwd: string | null;
  /** Whether the client was told that the program has ended. */
  knowsEnd: boolean;
  /** The turn of the last prompt of the client; null if it sent none. */
  turn: number | null;
  /** When the state of an agent began that the client was told last, in ms since 1970; null if it was told none. */
  agentMs: number | null;
  /** The question that the client was told last and has not answered; null if none. */
  question: string | null;
}

/** Notes what an answer tells the client about the program. */
export function noteTold(
  marks: ReadMarks,
  {
    exitStatus,
    question,
    agent,
    outcome,
  }: Pick<WaitResult, 'exitStatus' | 'question' | 'agent'> & {
    readonly outcome: string;
  },
): void {
  marks.knowsEnd ||= exitStatus !== null;
  marks.agentMs = agent?.sinceMs ?? marks.agentMs;
  if (asks(outcome)) marks.question = question ?? '';
}

/** Whether an outcome tells that the program waits for an answer. */
export const asks = (outcome: string): boolean =>
  outcome === 'awaiting_input' || outcome === 'password';

/** Simultaneous reads that continue at `readMark` run one after another, so that none repeats output of another. */
export function readInTurn<T>(marks: ReadMarks, read: () => Promise<T>): Promise<T> {
  const done = marks.reads.then(read);
  marks.reads = ignored(done, 'the caller gets the error');
  return done;
}

const maxSessions = 1000;

/** The marks of one client, by session id. Each client has its own: reading consumes nothing. */
export class SessionReadMarks {
  readonly #marks = new Recent<ReadMarks>(maxSessions);
  readonly #ids = new Recent<string>(maxSessions);

  of(sessionId: string): ReadMarks {
    return this.#marks.touch(sessionId, this.#marks.get(sessionId) ?? noMarks());
  }

  /** Remembers a session that the client made. Later waits for text also match earlier output. */
  onCreate(session: SessionInfo): void {
    const { id, size, cwd } = session;
    const marks = {
      waitMark: startMark,
      commandMark: startMark,
      hasMark: true,
      isMade: true,
      size,
      cwd,
    };
    Object.assign(this.of(id), marks, { epoch: knownEpoch(session) });
  }

  /** Notes the id of the session that has a name now. Returns it. */
  noteId(name: string, id: string): string {
    return this.#ids.touch(name, id);
  }

  /** Returns the id of the session that had a name last; null if the client has not sent to it. */
  idOf(name: string): string | null {
    return this.#ids.get(name) ?? null;
  }

  /** Returns whether the client made the session. */
  hasMade(sessionId: string): boolean {
    return this.#marks.get(sessionId)?.isMade ?? false;
  }

  forget(sessionId: string): void {
    this.#marks.forget(sessionId);
  }
}

/** Returns the epoch for what a client decides by what it sees: while a person drives, one that is old. */
export function knownEpoch({ driver, driverEpoch }: SessionInfo): number | null {
  if (driverEpoch === undefined) return null;
  return driver?.kind === 'person' ? driverEpoch - 1 : driverEpoch;
}

export const noMarks = (): ReadMarks => ({
  readMark: null,
  decoder: null,
  reads: Promise.resolve(),
  waitMark: null,
  commandMark: null,
  seenRevision: -1,
  rows: null,
  hasMark: false,
  isMade: false,
  wasFullScreen: null,
  epoch: null,
  size: null,
  cwd: null,
  knowsEnd: false,
  turn: null,
  agentMs: null,
  question: null,
});
