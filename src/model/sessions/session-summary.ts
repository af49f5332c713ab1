import { shellQuoted } from '#base';
import type { AttentionKind } from './attention.ts';
import type { SessionInfo } from './session.ts';

/** Returns when the state of `stateText` began, in ms since 1970. */
export const stateSinceMs = ({ exitedAtMs, agent, activity, createdAtMs }: SessionInfo): number =>
  exitedAtMs ?? agent?.sinceMs ?? activity?.sinceMs ?? createdAtMs;

/**
 * Returns the line that the shell runs, else the name of the program in the foreground if it is not
 * the session's own; null if neither is known.
 */
export function currentCommand({ activity }: SessionInfo): string | null {
  if (activity === undefined || activity.state === 'exited') return null;
  const { foreground, leaderInForeground } = activity.evidence;
  if (activity.command !== null) return activity.command;
  return leaderInForeground === false && foreground !== null ? foreground.name : null;
}

/** Returns {@link currentCommand}, else the session's own program with its arguments. */
export const commandText = (info: SessionInfo): string => currentCommand(info) ?? programText(info);

/** Returns the session's own program with its arguments, or the shell line that it runs. */
function programText({ program, args, fedBy }: SessionInfo): string {
  const [flag, line, ...more] = args;
  const isShellLine = /sh$/.test(program) && flag === '-c' && more.length === 0;
  if (isShellLine && line !== undefined) return line;
  // The program of a published session may be a whole command line.
  if (fedBy !== undefined) return [program, ...args].join(' ').trim() || fedBy;
  return [fileName(program), ...args.map(shellQuoted)].join(' ');
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1) || path;

/** Returns the current directory, or the one in which the program was started. */
export const directoryOf = ({ activity, cwd }: SessionInfo): string => activity?.directory ?? cwd;

/** Replaces the home directory by `~`. */
export function withTilde(path: string, home: string | undefined): string {
  if (!home || home === '/' || !home.startsWith('/')) return path;
  if (path === home) return '~';
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

const attentionRanks: Readonly<Record<AttentionKind, number>> = {
  input: 0,
  password: 0,
  failed: 1,
  notification: 2,
  bell: 3,
  done: 4,
  prompt: 5,
  quiet: 6,
};

/** Whether a person drives the session. */
export const isDriven = ({ driver }: SessionInfo): boolean => driver?.kind === 'person';

/**
 * Returns the rank of a session in lists for people; a smaller one comes first: sessions that want
 * somebody, those that a person drives, those that work, those at a prompt, those that ended.
 */
export function urgencyRank(info: SessionInfo): number {
  if (info.attention !== undefined) return attentionRanks[info.attention.kind];
  if (isDriven(info)) return 10;
  if (info.state === 'exited') return 30;
  return info.activity?.state === 'at_prompt' ? 21 : 20;
}
