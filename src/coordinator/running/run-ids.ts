import {
  asVtrError,
  checkInputId,
  type ErrorCode,
  type ForgottenCalls,
  InputIds,
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
  /** The end of the output when the line was typed, or when the call came. */
  offset: number;
  /** Whether the line has not been typed: the call waits for the prompt. */
  waits: boolean;
  /** Whether the call goes on in this process. */
  isOpen: boolean;
  /** See {@link contentHash}; null if another coordinator did not save it. */
  readonly content: string | null;
  /** Null if another coordinator typed it. */
  readonly result: Promise<RunResult> | null;
}

/** A run as it is saved. */
export type SavedRun = readonly [
  id: string,
  offset: number,
  content: string | null,
  waits: boolean,
];

/** The most runs of a session that are remembered after their calls have ended. */
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
  readonly #runs = new WeakMap<Session, InputIds<Run>>();

  /**
   * Runs a line, or continues to wait for it. See `Coordinator.run`; INPUT_ID_USED if its id has another
   * line.
   *
   * @param onBegin called before the line is typed, to save that it is. While a run waits for the prompt, its repeat in
   *   another coordinator is as good as a first call, so nothing is saved.
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
    const content = contentHash('run', request.line, request.detach ?? false);
    const before = runs.find(checkInputId(inputId), () => content);
    if (before !== undefined) {
      const again = () => {
        // If the call is repeated several times, the first repeat types.
        runs.delete(inputId, before);
        return this.run(session, request, { ...parts, onBegin });
      };
      return repeated(session, request, parts, before, again);
    }
    const { outputEnd: offset } = session.view;
    const onTyping = () => {
      run.offset = session.view.outputEnd;
      run.waits = false;
      onBegin();
    };
    const result = runLine(session, request, { ...parts, onTyping });
    const run: Run = { offset, waits: true, isOpen: true, content, result };
    runs.add(inputId, run);
    const onOver = () => {
      run.isOpen = false;
    };
    result.then(onOver, onOver);
    result.catch((error) => {
      if (beforeTyping.includes(asVtrError(error).code)) runs.delete(inputId, run);
    });
    return result;
  }

  /** Returns the runs of a session, to be saved. */
  saved(session: Session): readonly SavedRun[] {
    const runs = this.#runs.get(session)?.entries() ?? [];
    return runs.map(([id, { offset, content, waits }]) => [id, offset, content, waits]);
  }

  /** Returns the ids of the runs that wait for a prompt. */
  waiting(session: Session): string[] {
    const runs = this.#runs.get(session)?.entries() ?? [];
    return runs.flatMap(([id, { waits, isOpen }]) => (waits && isOpen ? [id] : []));
  }

  /** @param saved not checked */
  restore(session: Session, saved: unknown): void {
    const runs = this.#of(session);
    for (const [id, offset, hash, waits] of Array.isArray(saved) ? saved : []) {
      const isRun = typeof id === 'string' && typeof offset === 'number';
      const content = typeof hash === 'string' ? hash : null;
      const state = { waits: waits === true, isOpen: false, result: null };
      if (isRun) runs.add(id, { offset, content, ...state });
    }
  }

  #of(session: Session): InputIds<Run> {
    const runs = this.#runs.get(session) ?? new InputIds<Run>(maxRuns, forgotten);
    this.#runs.set(session, runs);
    return runs;
  }
}

/** The runs that have ended; first those of which nothing was typed: a repeat types it. */
const forgotten: ForgottenCalls<Run> = {
  mayForget: ({ isOpen }) => !isOpen,
  goesFirst: ({ waits }) => waits,
};

/**
 * The first call may have been cancelled, because its connection was lost.
 *
 * @param again runs the line for the first time
 */
async function repeated(
  session: Session,
  request: RunRequest,
  parts: LineParts,
  run: Run,
  again: () => Promise<RunResult>,
): Promise<RunResult> {
  // A command since it came is that of another run, which came before it.
  if (run.result === null && run.waits) return again();
  if (run.result === null) return resumeLine(session, request, parts, run.offset);
  try {
    return await run.result;
  } catch (error) {
    if (asVtrError(error).code !== 'CANCELLED') throw error;
    if (!session.knowsInput(partId(request.inputId, 0))) return again();
    return resumeLine(session, request, parts, run.offset);
  }
}
