import { errorTable, type WaitOutcome } from '#model';

/**
 * The exit status of a wait. What was not waited for is no error, and yet a script wants to branch
 * on it: the statuses are those of the errors that come nearest.
 */
export const waitExit: Readonly<Record<WaitOutcome, number>> = {
  matched: 0,
  idle: 0,
  exited: errorTable.SESSION_NOT_RUNNING.exit,
  timed_out: errorTable.INPUT_TIMEOUT.exit,
};

/** As grep has it. */
export const noMatchExit = 1;
