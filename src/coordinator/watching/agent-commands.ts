import { type Clock, defined } from '#base';
import {
  type AgentCommand,
  type AgentCommandCounts,
  type AgentInfo,
  type CommandOutcome,
  type CommandReport,
  commandOutcomes,
  type OutputPosition,
} from '#model';
import type { Session } from '#session';
import type { Registered, Registry } from '../registry.ts';

/** A command as it is kept and saved. */
interface KeptCommand {
  readonly number: number;
  readonly call: string | null;
  readonly agent: string | null;
  readonly line: string;
  readonly cwd: string | null;
  readonly startedAtMs: number | null;
  readonly from: OutputPosition | null;
  /** Whether the agent asked a person after the beginning: the time up to the end is not that of the command. */
  readonly hadQuestion: boolean;
  readonly end: CommandEnd | null;
  /** Whether the turn of the agent ended before the command did. */
  readonly turnIsOver: boolean;
}

interface CommandEnd {
  readonly atMs: number;
  readonly outcome: CommandOutcome;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
}

/** The most commands that are kept of a session, the newest. They are saved with its facts. */
const maxCommands = 200;
/** The most characters in their lines and directories, in UTF-16 code units. */
const maxCharacters = 64 * 1024;

export interface AgentCommandsOptions {
  readonly clock: Clock;
  readonly registry: Registry;
  /** Saves what {@link AgentCommands.saved} returns. */
  readonly save: (session: Session) => void;
  /** Called when the commands of a session have changed. */
  readonly onChange: (session: Session) => void;
}

/**
 * The commands that the coding agents of all sessions ran themselves, as they report. One whose end is not reported is
 * unknown after the turn of its agent: hooks miss an interruption, a refusal and a crash.
 */
export class AgentCommands {
  readonly #options: AgentCommandsOptions;
  readonly #logs = new WeakMap<Session, readonly KeptCommand[]>();

  constructor(options: AgentCommandsOptions) {
    this.#options = options;
    options.registry.onChange(({ type, session }) => {
      if (type === 'removed' || 'live' in session) return;
      // For as long as the session exists.
      session.view.onEvent(({ type: event }) => {
        const { prompt } = session.view.commands;
        if (event === 'exit' || (event === 'mark' && prompt !== null)) this.turnEnded(session);
      });
    });
  }

  /**
   * Takes a report that was checked.
   *
   * @param atMs when it was made, in ms since 1970
   */
  take(session: Session, agent: string | null, report: CommandReport, atMs: number): void {
    const all = this.#of(session);
    const { outcome } = report;
    if (outcome === undefined) {
      const from = positionNow(session.view);
      this.#keep(session, withBeginning(all, { agent, report, atMs, from }));
    } else this.#keep(session, withEnd(all, { agent, report, atMs, outcome }));
  }

  /** Must be called when the agent of a session has changed. @param agent null if there is none any more */
  agentChanged(session: Session, agent: Pick<AgentInfo, 'state'> | null): void {
    if (agent === null || agent.state === 'idle') this.turnEnded(session);
    else if (agent.state === 'asks') this.#change(session, isOpen, { hadQuestion: true });
  }

  /** Must be called when the turn of the agent has ended: its commands without an end are then unknown. */
  turnEnded(session: Session): void {
    this.#change(session, isOpen, { turnIsOver: true });
  }

  /**
   * Lists the commands of a session, the oldest first.
   *
   * @param last the number of the newest to list; absent: all that are kept
   * @param agent the agent that is in the foreground now
   */
  list(
    session: Session,
    last: number | undefined,
    agent: Pick<AgentInfo, 'state'> | null,
  ): readonly AgentCommand[] {
    const nowMs = this.#options.clock.wallMs();
    const all = this.#of(session).slice(last === undefined ? 0 : -last);
    return all.map((each) => commandOf(each, agent?.state === 'asks', nowMs));
  }

  /** Returns how many commands were reported in a session; null if none was. */
  counts(session: Registered): AgentCommandCounts | null {
    const all = 'live' in session ? [] : this.#of(session);
    const newest = all.at(-1);
    return newest === undefined
      ? null
      : { count: newest.number, running: all.filter(isOpen).length };
  }

  /** Returns the commands of a session to be saved; undefined if there are none. */
  saved(session: Session): readonly KeptCommand[] | undefined {
    const all = this.#of(session);
    return all.length === 0 ? undefined : all;
  }

  /** Continues with the commands that were saved. @param saved not checked */
  restore(session: Session, saved: unknown): void {
    if (Array.isArray(saved)) this.#logs.set(session, saved.filter(isKept));
  }

  #of(session: Session): readonly KeptCommand[] {
    return this.#logs.get(session) ?? [];
  }

  #change(
    session: Session,
    which: (command: KeptCommand) => boolean,
    change: Partial<KeptCommand>,
  ): void {
    const all = this.#of(session);
    const isSame = !all.some((each) => which(each) && !isWith(each, change));
    if (isSame) return;
    this.#keep(
      session,
      all.map((each) => (which(each) ? { ...each, ...change } : each)),
    );
  }

  #keep(session: Session, all: readonly KeptCommand[]): void {
    if (all === this.#of(session)) return;
    this.#logs.set(session, withinLimits(all));
    this.#options.save(session);
    this.#options.onChange(session);
  }
}

const isOpen = ({ end, turnIsOver }: KeptCommand): boolean => end === null && !turnIsOver;

const isWith = (command: KeptCommand, change: Partial<KeptCommand>): boolean =>
  Object.entries(change).every(([name, value]) => command[name as keyof KeptCommand] === value);

function positionNow({ outputEnd: offset, terminal }: Session['view']): OutputPosition {
  const { alternate, cursor } = terminal;
  const { line, col } = terminal.linePosition();
  return alternate ? { offset, line: null, col: cursor.col } : { offset, line, col };
}

interface News {
  readonly agent: string | null;
  readonly report: CommandReport;
  readonly atMs: number;
}

function textsOf({ agent, report }: News): Pick<KeptCommand, 'agent' | 'line' | 'cwd' | 'call'> {
  const { line, cwd, call } = report;
  return { agent, line, cwd: cwd ?? null, call: call ?? null };
}

const isCall = (each: KeptCommand, { agent, report }: News): boolean =>
  each.call !== null && each.call === report.call && each.agent === agent;

/** A report of a beginning that comes again, or after that of the end, adds no command. */
function withBeginning(
  all: readonly KeptCommand[],
  news: News & { readonly from: OutputPosition },
): readonly KeptCommand[] {
  const { atMs: startedAtMs, from } = news;
  const match = all.find((each) => isCall(each, news));
  if (match === undefined) {
    const number = (all.at(-1)?.number ?? 0) + 1;
    const fresh = { ...textsOf(news), number, startedAtMs, from };
    return [...all, { ...fresh, hadQuestion: false, end: null, turnIsOver: false }];
  }
  if (match.startedAtMs !== null) return all;
  return all.map((each) => (each === match ? { ...each, startedAtMs } : each));
}

function withEnd(
  all: readonly KeptCommand[],
  news: News & { readonly outcome: CommandOutcome },
): readonly KeptCommand[] {
  const { atMs, outcome, report } = news;
  const { exitCode = null, durationMs = null } = report;
  const end = { atMs, outcome, exitCode, durationMs };
  const begunAtMs = durationMs === null ? null : atMs - durationMs;
  const match = matchOf(all, news);
  if (match === undefined) {
    const number = (all.at(-1)?.number ?? 0) + 1;
    const alone = { ...textsOf(news), number, startedAtMs: begunAtMs, from: null };
    return [...all, { ...alone, hadQuestion: false, end, turnIsOver: false }];
  }
  if (match.end !== null) {
    if (match.end.outcome !== 'unknown' || outcome === 'unknown') return all;
    // Some agents tell the status later than the end.
    const later = { ...match, end: { ...match.end, outcome, exitCode } };
    return all.map((each) => (each === match ? later : each));
  }
  const { line, cwd } = textsOf(news);
  // What it asked before is no part of its time.
  const startedAtMs = match.hadQuestion ? (begunAtMs ?? match.startedAtMs) : match.startedAtMs;
  const now = { ...match, line, cwd: cwd ?? match.cwd, startedAtMs, end };
  return all.map((each) => (each === match ? now : each));
}

/** Returns the command that an end belongs to. It may come after the turn. */
function matchOf(all: readonly KeptCommand[], news: News): KeptCommand | undefined {
  const { agent, report } = news;
  if (report.call !== undefined) return all.find((each) => isCall(each, news));
  const same = all.filter(
    (each) =>
      each.call === null && each.end === null && each.agent === agent && each.line === report.line,
  );
  return same.find(isOpen) ?? same.at(-1);
}

function withinLimits(all: readonly KeptCommand[]): readonly KeptCommand[] {
  let characters = 0;
  let count = 0;
  for (const { line, cwd } of all.toReversed()) {
    characters += line.length + (cwd?.length ?? 0);
    if (count === maxCommands || characters > maxCharacters) break;
    count++;
  }
  return all.slice(all.length - count);
}

function commandOf(command: KeptCommand, asksNow: boolean, nowMs: number): AgentCommand {
  const { number, agent, line, cwd, startedAtMs, from, end } = command;
  return {
    number,
    agent,
    line,
    cwd,
    status: statusOf(command, asksNow),
    exitCode: end?.exitCode ?? null,
    startedAtMs,
    endedAtMs: end?.atMs ?? null,
    durationMs: durationOf(command, nowMs),
    ...defined({ from: from ?? undefined }),
  };
}

function statusOf(command: KeptCommand, asksNow: boolean): AgentCommand['status'] {
  if (command.end !== null) return command.end.outcome;
  if (!isOpen(command)) return 'unknown';
  return asksNow ? 'asks' : 'running';
}

function durationOf(command: KeptCommand, nowMs: number): number | null {
  const { startedAtMs, end, hadQuestion } = command;
  if (end !== null && end.durationMs !== null) return end.durationMs;
  if (startedAtMs === null || hadQuestion) return null;
  if (end !== null) return Math.max(0, end.atMs - startedAtMs);
  return isOpen(command) ? Math.max(0, nowMs - startedAtMs) : null;
}

const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isNumberOrNull = (value: unknown): boolean => value === null || isNumber(value);
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

/** Whether a command that was saved is whole. */
function isKept(saved: unknown): saved is KeptCommand {
  if (typeof saved !== 'object' || saved === null) return false;
  const { number, call, agent, line, cwd, startedAtMs, from, hadQuestion, end, turnIsOver } =
    saved as Partial<KeptCommand>;
  const areTexts = typeof line === 'string' && [call, agent, cwd].every(isTextOrNull);
  const areFlags = typeof hadQuestion === 'boolean' && typeof turnIsOver === 'boolean';
  const isPlace =
    from === null || (isNumber(from?.offset) && isNumberOrNull(from.line) && isNumber(from.col));
  return (
    isNumber(number) && isNumberOrNull(startedAtMs) && areTexts && areFlags && isPlace && isEnd(end)
  );
}

const isEnd = (end: CommandEnd | null | undefined): boolean =>
  end === null ||
  (isNumber(end?.atMs) &&
    commandOutcomes.includes(end.outcome) &&
    isNumberOrNull(end.exitCode) &&
    isNumberOrNull(end.durationMs));
