import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { shellQuoted } from '#base';
import { ownSocket } from '#config';
import {
  asVtrError,
  errorTable,
  isAddress,
  silentReason,
  type VtrError,
  type WaitOutcome,
} from '#model';
import type { Context } from './context.ts';
import { tellError } from './output/messages.ts';

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
  status: 0,
  // No error has this status.
  stalled: 19,
  exited: errorTable.SESSION_NOT_RUNNING.exit,
  timed_out: errorTable.INPUT_TIMEOUT.exit,
};

/** `run`: the command ended and its status is unknown. A REPL has none: that is 0. */
export const unknownExit = 12;

/** `run`, `prompt`, `answer`, `start`: the program waits for input. No error has this status. */
export const asksExit = 13;

/** `send --submit`, `prompt`: the program did not take the text; as MENU_SHOWN, ANSWER_NOT_TAKEN. */
export const notSubmittedExit = 15;

/** The answer is no, as for grep. No error has this status. */
export const noExit = 1;

/** `grep`: no line matches, but a part of the output is no longer kept. No error has this status. */
export const lostExit = 16;

/** `serve`: a supervisor must start the daemon again; EX_TEMPFAIL of sysexits.h. No error has this status. */
export const restartExit = 75;

/** Runs an action and returns its exit status. A failure is printed to stderr. */
export async function statusOf(
  context: Context,
  act: () => Promise<number | undefined>,
): Promise<number> {
  try {
    return (await act()) ?? 0;
  } catch (thrown) {
    const error = asVtrError(thrown);
    tellError(context, error, await hintsFor(error, context));
    return errorTable[error.code].exit;
  }
}

/** Hints that the coordinator's own message lacks: how to start one, and which one answered. */
async function hintsFor(
  { code, details: { socket, reason, name, driver, mark } }: VtrError,
  context: Context,
): Promise<string[]> {
  if (code === 'UNAVAILABLE' && ['ENOENT', 'ECONNREFUSED'].includes(String(reason))) {
    if (isAddress(String(socket)))
      return [`start one with vtr spawn --coordinator ${shellQuoted(String(socket))}`];
    return [
      (await claimedHint(String(socket))) ?? 'start one with vtr spawn or vtr serve --daemon',
    ];
  }
  if (code === 'UNAVAILABLE' && reason === 'ENOTSOCK')
    return ['choose another with --coordinator or VTR_SOCKET'];
  if (code === 'UNAVAILABLE' && reason === silentReason && socket !== undefined) {
    const { silentDaemonHint } = await import('./coordinators/silent-daemon.ts');
    return [await silentDaemonHint(String(socket))];
  }
  const isOwn = socket === undefined || socket === (await ownSocket(context).catch(() => null));
  if (code === 'NOT_DRIVER' && name !== undefined) {
    const where = isOwn ? '' : ` --coordinator ${shellQuoted(String(socket))}`;
    return notDriverHints(String(name), driver, mark).map((hint) => hint + where);
  }
  return isOwn || !code.startsWith('SESSION_') ? [] : [`coordinator: ${socket}`];
}

/** What to do about a daemon that has claimed a socket at which nothing listens; null if none has. */
async function claimedHint(socket: string): Promise<string | null> {
  const prefix = `${basename(socket)}.`;
  const isClaim = (name: string) => name.startsWith(prefix) && name.endsWith('.claim');
  try {
    if (!readdirSync(dirname(socket)).some(isClaim)) return null;
  } catch {
    return null;
  }
  // Loaded only for that: it takes longer than the rest of a short command.
  const { claimedDaemonHint } = await import('./coordinators/silent-daemon.ts');
  return claimedDaemonHint(socket);
}

type Fact = VtrError['details'][string] | undefined;

const notDriverHints = (session: string, driver: Fact, mark: Fact): string[] => [
  ...(driver === undefined ? [] : [`wait for the end: vtr wait ${session} --driver`]),
  ...(mark === undefined ? [] : [`see what was done: vtr read ${session} --since ${mark}`]),
];
