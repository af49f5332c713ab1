import { errorTable, type WaitOutcome } from '#model';

/**
 * The exit status for each outcome of a wait. An unexpected outcome is not an error, but scripts
 * branch on it. Each number has one meaning for all verbs.
 */
export const waitExit: Readonly<Record<WaitOutcome, number>> = {
  matched: 0,
  stopped: 11,
  finished: 0,
  prompt: 0,
  awaiting_input: 0,
  password: 0,
  idle: 0,
  title: 0,
  bell: 0,
  driver: 0,
  agent: 0,
  exited: errorTable.SESSION_NOT_RUNNING.exit,
  timed_out: errorTable.INPUT_TIMEOUT.exit,
};

/** `run`: the command ended and its status is unknown. A REPL has none: that is 0. */
export const unknownExit = 12;

/** `run`: the program waits for input. No error has this status. */
export const asksExit = 13;

/** `send --submit`: the program did not take the text. No error has this status. */
export const notSubmittedExit = 15;

/** The answer is no, as for grep. No error has this status. */
export const noExit = 1;

/** `grep`: no line matches, but a part of the output is no longer kept. No error has this status. */
export const lostExit = 16;

/** `serve`: a supervisor must start the daemon again; EX_TEMPFAIL of sysexits.h. No error has this status. */
export const restartExit = 75;
