import {
  asVtrError,
  checkInputId,
  type ErrorCode,
  inputIdUsed,
  type ObservedInput,
  type RunRequest,
  type RunResult,
} from '#model';
import { contentHash, type Session } from '#session';
import { type LineParts, partId, resumeLine, runLine } from './run-line.ts';

export interface RunParts extends LineParts {
  readonly onBegin: () => void;
}

interface Run {
  /** The end of the output when the line was typed. */
  readonly offset: number;
  /** See {@link contentHash}; null if another coordinator did not save it. */
  readonly content: string | null;
  /** Null if another coordinator typed it. */
  readonly result: Promise<RunResult> | null;
}

/** A run as it is saved. */
export type SavedRun = readonly [id: string, offset: number, content: string | null];

/** The most runs of a session that are known. */
const maxRuns = 16;

/** The failures of a run before anything is typed. */
const beforeTyping: readonly ErrorCode[] = [
  'NO_INPUT',
  'NOT_AT_PROMPT',
  'INVALID_ARGUMENT',
  'INVALID_PATTERN',
  'SESSION_NOT_RUNNING',
  'SESSION_READ_ONLY',
  'NOT_DRIVER',
  'INPUT_TOO_LARGE',
];

/** The runs of sessions by their ids, so that a repeat types nothing. */
export class RunIds {
  readonly #runs = new WeakMap<Session, Map<string, Run>>();

  /**
   * Runs a line, or continues to wait for it. See `Coordinator.run`; INPUT_ID_USED if its id has another
   * line.
   *
   * @param onBegin called before the line is typed, to save that it is
   * @param shown the session as the result shows it
   */
  run(
    session: Session,
    request: RunRequest & ObservedInput,
    { clock, onBegin, shown }: RunParts,
  ): Promise<RunResult> {
    const { inputId } = request;
    const parts = { clock, shown };
    if (inputId === undefined) return runLine(session, request, parts);
    const runs = this.#of(session);
    const before = runs.get(checkInputId(inputId));
    const content = contentHash('run', request.line, request.detach ?? false);
    if (before !== undefined) {
      if ((before.content ?? content) !== content) throw inputIdUsed();
      const again = () => {
        // Of several repeats, the first one types.
        if (runs.get(inputId) === before) runs.delete(inputId);
        return this.run(session, request, { ...parts, onBegin });
      };
      return repeated(session, request, parts, before, again);
    }
    const { outputEnd: offset } = session.view;
    const result = runLine(session, request, parts);
    runs.set(inputId, { offset, content, result });
    const [oldest] = runs.keys();
    if (runs.size > maxRuns && oldest !== undefined) runs.delete(oldest);
    result.catch((error) => {
      if (beforeTyping.includes(asVtrError(error).code)) runs.delete(inputId);
    });
    onBegin();
    return result;
  }

  /** Returns the runs of a session, to be saved. */
  saved(session: Session): readonly SavedRun[] {
    return [...(this.#runs.get(session) ?? [])].map(([id, { offset, content }]) => [
      ...([id, offset, content] as const),
    ]);
  }

  /** @param saved not checked */
  restore(session: Session, saved: unknown): void {
    const runs = this.#of(session);
    for (const [id, offset, hash] of Array.isArray(saved) ? saved : []) {
      const isRun = typeof id === 'string' && typeof offset === 'number';
      const content = typeof hash === 'string' ? hash : null;
      if (isRun) runs.set(id, { offset, content, result: null });
    }
  }

  #of(session: Session): Map<string, Run> {
    const runs = this.#runs.get(session) ?? new Map<string, Run>();
    this.#runs.set(session, runs);
    return runs;
  }
}

/**
 * The first call may have been cancelled, because its connection was lost.
 *
 * @param again runs the line for the first time
 */
async function repeated(
  session: Session,
  request: RunRequest,
  parts: LineParts,
  { offset, result }: Run,
  again: () => Promise<RunResult>,
): Promise<RunResult> {
  if (result === null) return resumeLine(session, request, parts, offset);
  try {
    return await result;
  } catch (error) {
    if (asVtrError(error).code !== 'CANCELLED') throw error;
    if (!session.knowsInput(partId(request.inputId, 0))) return again();
    return resumeLine(session, request, parts, offset);
  }
}
