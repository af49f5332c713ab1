import { errorTable, type WaitOutcome } from '#model';

/**
 * The exit status of a wait. What was not waited for is no error, and yet a script wants to branch
 * on it. A number means one thing, whichever verb says it: the program has ended, or time is up.
 */
export const waitExit: Readonly<Record<WaitOutcome, number>> = {
  matched: 0,
  stopped: 11,
  finished: 0,
  prompt: 0,
  idle: 0,
  title: 0,
  bell: 0,
  exited: errorTable.SESSION_NOT_RUNNING.exit,
  timed_out: errorTable.INPUT_TIMEOUT.exit,
};

/** `run`: the command ended, and nobody knows how. */
export const unknownExit = 12;

/** As grep has it: the answer is no. No error has this status. */
export const noExit = 1;
