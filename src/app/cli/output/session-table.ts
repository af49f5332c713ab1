import { durationText } from '#base';
import {
  type Attention,
  agentQuestion,
  commandText,
  directoryOf,
  isShownLabel,
  needsText,
  oneLine,
  type SessionInfo,
  stateSinceMs,
  stateText,
  withBranch,
  withTilde,
} from '#model';
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
  /** Whether ATTENTION is shown outside a terminal, too. Default: false. */
  readonly tellsAttention?: boolean;
}

const personOf = ({ driver }: SessionInfo): string =>
  driver?.kind === 'person' ? driver.name : '';

/** One column of the table. */
interface Column {
  readonly head: string;
  readonly cell: (session: ListedSession) => string;
  /** Absent if it is never truncated. */
  readonly shrink?: Omit<ShrinkableColumn, 'column'>;
}

/**
 * Lays sessions out in a table. COORDINATOR is left out if all have the same one, LABELS if none has
 * any; so are DRIVER (a person) and ATTENTION, also outside a terminal. In a terminal, no line is longer
 * than a row.
 */
export async function sessionTable(
  sessions: readonly ListedSession[],
  options: TableOptions,
): Promise<string> {
  const columns = columnsFor(sessions, options);
  const heads = columns.map(({ head }) => head);
  const rows = sessions.map((each) => columns.map(({ cell }) => oneLine(cell(each))));
  if (options.columns === null) return table(heads, rows);
  const shrinkable = columns.flatMap(({ shrink }, column) =>
    shrink === undefined ? [] : [{ column, ...shrink }],
  );
  return fittedTable(heads, rows, options.columns, shrinkable);
}

/** Lays sessions with coding agents out in a table. */
export function agentTable(
  sessions: readonly ListedSession[],
  { columns, nowMs }: TableOptions,
): Promise<string> {
  const several = new Set(sessions.map(({ coordinator }) => coordinator)).size > 1;
  const heads = ['SESSION', 'AGENT', 'STATE', 'QUESTION', 'FOR'];
  const rows = sessions.map(({ coordinator, info }) =>
    [
      several ? `${coordinator}:${info.name}` : info.name,
      info.agent?.kind ?? '',
      agentStateText(info),
      info.agent === undefined ? '' : agentQuestion(info.agent),
      durationText(nowMs - stateSinceMs(info)),
    ].map(oneLine),
  );
  // Nothing is asked: an empty column would stand between state and time.
  const asks = rows.some(([, , , question]) => question !== '');
  const shown = (row: readonly string[]) => (asks ? row : row.toSpliced(3, 1));
  if (columns === null) return table(shown(heads), rows.map(shown));
  const shrinkable: ShrinkableColumn[] = [
    { column: 0, minWidth: 12, keep: 'start', isLast: true },
    ...(asks ? [{ column: 3, minWidth: 12, keep: 'start' } as const] : []),
  ];
  return fittedTable(heads, rows, columns, shrinkable);
}

/** `idle`, `idle +2`: with two tasks in the background. */
function agentStateText(info: SessionInfo): string {
  const { background = 0 } = info.agent ?? {};
  return background === 0 ? stateText(info) : `${stateText(info)} +${background}`;
}

/** Sessions that have a directory, or the value of a label, in common. */
export interface SessionGroup {
  /** Null for sessions without the label. */
  readonly value: string | null;
  readonly sessions: readonly ListedSession[];
}

/**
 * Returns sessions in groups, each where its first session is.
 *
 * @param by `dir`, `branch`, or the key of a label
 */
export function groupedSessions(sessions: readonly ListedSession[], by: string): SessionGroup[] {
  const groups = new Map<string | null, ListedSession[]>();
  for (const session of sessions) {
    const { info } = session;
    const label = info.labels?.[by] ?? null;
    const branch = by === 'branch' ? info.activity?.branch : undefined;
    const value = by === 'dir' ? directoryOf(info) : (branch ?? label);
    groups.set(value, [...(groups.get(value) ?? []), session]);
  }
  return [...groups].map(([value, of]) => ({ value, sessions: of }));
}

/** Lays groups of sessions out in a table, a line for each. */
export function groupTable(
  groups: readonly SessionGroup[],
  by: string,
  { columns, home }: TableOptions,
): Promise<string> {
  const heads = [by === 'dir' ? 'DIRECTORY' : by.toUpperCase(), 'SESSIONS', 'STATES'];
  const rows = groups.map(({ value, sessions }) =>
    [
      withTilde(value ?? '(none)', columns === null ? undefined : home),
      String(sessions.length),
      needsText(sessions.map(({ info }) => info)),
    ].map(oneLine),
  );
  if (columns === null) return table(heads, rows);
  return fittedTable(heads, rows, columns, [{ column: 0, minWidth: 12, keep: 'end' }]);
}

function columnsFor(
  sessions: readonly ListedSession[],
  { columns, nowMs, home, tellsAttention = false }: TableOptions,
): Column[] {
  const coordinators = new Set(sessions.map(({ coordinator }) => coordinator));
  const hasLabels = sessions.some(({ info }) => shownLabels(info) !== '');
  // Scripts read the columns before them to the end of the line.
  const isDriven = columns !== null && sessions.some(({ info }) => personOf(info) !== '');
  const isTold = columns !== null || tellsAttention;
  const wantSomebody = isTold && sessions.some(({ info }) => attentionText(info) !== '');
  const text = { minWidth: 10, keep: 'start' } as const;
  const all: (Column | null)[] = [
    coordinators.size > 1 ? { head: 'COORDINATOR', cell: ({ coordinator }) => coordinator } : null,
    {
      head: 'SESSION',
      cell: ({ info }) => info.name,
      shrink: { minWidth: 16, keep: 'start', isLast: true },
    },
    { head: 'STATE', cell: ({ info }) => stateText(info) },
    { head: 'FOR', cell: ({ info }) => durationText(nowMs - stateSinceMs(info)) },
    { head: 'COMMAND', cell: ({ info }) => commandText(info), shrink: text },
    {
      head: 'DIRECTORY',
      cell: ({ info }) => {
        const directory = directoryOf(info);
        // Scripts read the directory.
        return columns === null ? directory : withBranch(withTilde(directory, home), info);
      },
      shrink: { minWidth: 10, keep: 'end' },
    },
    isDriven ? { head: 'DRIVER', cell: ({ info }) => personOf(info) } : null,
    hasLabels ? { head: 'LABELS', cell: ({ info }) => shownLabels(info), shrink: text } : null,
    wantSomebody
      ? { head: 'ATTENTION', cell: ({ info }) => attentionText(info), shrink: text }
      : null,
  ];
  return all.filter((column) => column !== null);
}

/** Without those that only vtr uses: `vtr label` prints them. */
function shownLabels({ labels = {} }: SessionInfo): string {
  const shown = Object.entries(labels).filter(([key]) => isShownLabel(key));
  return labelsText(Object.fromEntries(shown));
}

/** Returns an attention as one line: `input: Overwrite?`. */
export const attentionLine = ({ kind, evidence, guess = false }: Attention): string =>
  `${kind}${guess ? ' (a guess)' : ''}: ${evidence}`;

/** Empty for an ended session, whose state tells the same. */
function attentionText({ attention, exitStatus }: SessionInfo): string {
  if (attention === undefined || exitStatus !== null) return '';
  return attentionLine(attention);
}
