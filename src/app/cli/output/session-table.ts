import { basename } from 'node:path';
import { durationText, sanitize, shellQuoted } from '#base';
import type { SessionInfo } from '#model';
import { labelsText } from '../arguments/label-flags.ts';
import { fittedTable, type ShrinkableColumn, table } from './table.ts';

export interface ListedSession {
  readonly coordinator: string;
  readonly info: SessionInfo;
}

export interface TableOptions {
  /** The width of the terminal; null for whole lines. */
  readonly columns: number | null;
  readonly nowMs: number;
  /** Shown as `~` in a terminal. */
  readonly home: string | undefined;
}

/** One column of the table. */
interface Column {
  readonly head: string;
  readonly cell: (session: ListedSession) => string;
  /** Absent if it is never truncated. */
  readonly shrink?: Omit<ShrinkableColumn, 'column'>;
}

/**
 * Lays sessions out in a table. COORDINATOR is left out if all have the same one, LABELS if none has
 * any. In a terminal, no line is longer than a row.
 */
export function sessionTable(sessions: readonly ListedSession[], options: TableOptions): string {
  const columns = columnsFor(sessions, options);
  const heads = columns.map(({ head }) => head);
  const rows = sessions.map((each) => columns.map(({ cell }) => oneLine(cell(each))));
  if (options.columns === null) return table(heads, rows);
  const shrinkable = columns.flatMap(({ shrink }, column) =>
    shrink === undefined ? [] : [{ column, ...shrink }],
  );
  return fittedTable(heads, rows, options.columns, shrinkable);
}

function columnsFor(
  sessions: readonly ListedSession[],
  { columns, nowMs, home }: TableOptions,
): Column[] {
  const coordinators = new Set(sessions.map(({ coordinator }) => coordinator));
  const hasLabels = sessions.some(({ info }) => info.labels !== undefined);
  const text = { minWidth: 10, keep: 'start' } as const;
  const all: (Column | null)[] = [
    coordinators.size > 1 ? { head: 'COORDINATOR', cell: ({ coordinator }) => coordinator } : null,
    {
      head: 'SESSION',
      cell: ({ info }) => info.name,
      shrink: { minWidth: 16, keep: 'start', isLast: true },
    },
    { head: 'STATE', cell: ({ info }) => stateText(info) },
    { head: 'FOR', cell: ({ info }) => durationText(nowMs - sinceMs(info)) },
    { head: 'COMMAND', cell: ({ info }) => commandText(info), shrink: text },
    {
      head: 'DIRECTORY',
      cell: ({ info }) => shortened(directoryOf(info), columns === null ? undefined : home),
      shrink: { minWidth: 10, keep: 'end' },
    },
    hasLabels
      ? { head: 'LABELS', cell: ({ info }) => labelsText(info.labels ?? {}), shrink: text }
      : null,
  ];
  return all.filter((column) => column !== null);
}

/** Returns `running`, `at prompt`, `exited 3`, `killed SIGSEGV`. */
function stateText({ state, exitStatus, activity }: SessionInfo): string {
  if (exitStatus !== null) {
    const { code, signal } = exitStatus;
    return signal === null ? `exited ${code}` : `killed ${signal}`;
  }
  return (activity?.state ?? state).replaceAll('_', ' ');
}

const sinceMs = ({ exitedAtMs, activity, createdAtMs }: SessionInfo): number =>
  exitedAtMs ?? activity?.sinceMs ?? createdAtMs;

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

const commandText = (info: SessionInfo): string => currentCommand(info) ?? programText(info);

/** Returns the session's own program with its arguments, or the shell line that it runs. */
function programText({ program, args, fedBy }: SessionInfo): string {
  const [flag, line, ...more] = args;
  const isShellLine = /sh$/.test(program) && flag === '-c' && more.length === 0;
  if (isShellLine && line !== undefined) return line;
  // The program of a published session may be a whole command line.
  if (fedBy !== undefined) return [program, ...args].join(' ').trim() || fedBy;
  return [basename(program), ...args.map(shellQuoted)].join(' ');
}

const directoryOf = ({ activity, cwd }: SessionInfo): string => activity?.directory ?? cwd;

/** Replaces the home directory by `~`. */
function shortened(path: string, home: string | undefined): string {
  if (!home || home === '/' || !home.startsWith('/')) return path;
  if (path === home) return '~';
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

const oneLine = (cell: string): string =>
  sanitize(cell.replaceAll('\n', '⏎').replaceAll('\t', ' ')).text;
