import { timingSafeEqual } from 'node:crypto';
import { type Clock, type Disposable, defined, Emitter, toDisposable } from '#base';
import {
  type CommandReport,
  checkReport,
  isShell,
  type ReportRequest,
  type ReportResult,
  type ReportState,
  type SessionEvent,
  type StatusState,
  statusOfReport,
  type ToldStatus,
  VtrError,
} from '#model';
import type { ProcessEntry, Session, SessionView } from '#session';
import type { StatusSource } from '#watch';
import type { Registered, Registry } from '../registry.ts';

/** A process, which the system may give the same number as an earlier one. */
interface Program {
  readonly pid: number;
  readonly startedAt: number;
}

/** The last report of a session, as it is kept and saved. */
export interface KnownReport {
  /** Null after `clear`, and if only a conversation was reported. */
  readonly state: StatusState | null;
  readonly message: string;
  readonly progress: number | null;
  /** The kind of the agent that reported; null if it did not say. */
  readonly agent: string | null;
  /** The id with which it continues its conversation; null if it has not said. */
  readonly conversation: string | null;
  readonly sequence: number;
  /** When it was made, in ms since 1970. */
  readonly atMs: number;
  /** How often input had been sent. */
  readonly inputs: number;
  /** Where the output of the session ended. */
  readonly offset: number;
  /** When it ends, in ms since 1970; null: with its program. */
  readonly untilMs: number | null;
  /** The leader of the foreground group of then; null if it is unknown. */
  readonly program: Program | null;
}

export interface ReportsOptions {
  readonly clock: Clock;
  readonly registry: Registry;
  listProcesses(): Promise<readonly ProcessEntry[]>;
  /** Whether a process exists. Default: as the system says. */
  readonly isAlive?: (pid: number) => boolean;
  /** Saves what is known of a session. */
  readonly save: (session: Session) => void;
  /** Called when the report of a session has changed or ended. */
  readonly onChange: (session: Session) => void;
  /** Called with each report that says that a turn has ended. */
  readonly onTurnEnd: (session: Session) => void;
  /** Called with each command that a report has. @param atMs when it was reported, in ms since 1970 */
  readonly onCommand: (
    session: Session,
    agent: string | null,
    command: CommandReport,
    atMs: number,
  ) => void;
}

/** Reports of a flood are told and saved this often, in ms; the first one at once. */
const paceMs = 100;
/** The foreground is looked up, and while there is output the program of a report looked for, this often, in ms. */
const lookupMs = 1_000;

/** What is known of the reports of one session. */
interface Entry {
  report: KnownReport | null;
  /** The timer of {@link paceMs}; null: the next report is told at once. */
  pause: Disposable | null;
  /** Whether there is a report that was not told yet. */
  isUntold: boolean;
  /** Ends the report at its time. */
  end: Disposable | null;
  /** Looks whether the program still runs; null if there was no output since the last look. */
  look: Disposable | null;
  lookedUpMs: number;
}

/** The states of a turn that goes on. */
const ofTurn: ReadonlySet<ReportState> = new Set<ReportState>(['busy', 'asks']);

/** The states that last until another program runs. */
const lasting: ReadonlySet<StatusState | null> = new Set<StatusState>(['done', 'error']);

/**
 * What the programs of all sessions say of themselves: by reports, of which the last one of each session is kept, and
 * by OSC 7501. A report ends with the program that was in the foreground when it came, at its time, or with the next
 * report.
 */
export class SessionReports {
  readonly #options: ReportsOptions;
  readonly #isAlive: (pid: number) => boolean;
  readonly #entries = new WeakMap<Session, Entry>();
  readonly #changes = new Emitter<string>();

  constructor(options: ReportsOptions) {
    this.#options = options;
    this.#isAlive = options.isAlive ?? exists;
    options.registry.onChange(({ type, session }) => {
      if ('live' in session) return;
      if (type === 'removed') this.#stop(session);
      // For as long as the session exists.
      else session.view.onEvent((event) => this.#note(session, event));
    });
  }

  /**
   * Returns the session of a key for reports: its id, a dot and the session's own key.
   *
   * @throws VtrError NOT_ALLOWED
   */
  ownerOf(key: string): Registered {
    const session = this.#options.registry.withId(key.slice(0, Math.max(0, key.lastIndexOf('.'))));
    const { reportKey = '' } = session?.facts ?? {};
    if (session !== null && reportKey !== '' && isSame(`${session.id}.${reportKey}`, key))
      return session;
    throw new VtrError('NOT_ALLOWED', 'no session has this key for reports');
  }

  /**
   * Whether the agent that runs a hook is in the foreground of a session: not another one that it runs, and not a
   * server that several of them share, which has the environment of the first. Also true if that is unknown.
   *
   * @param pid the process of the hook
   */
  async isOfForeground(session: Registered, pid: number): Promise<boolean> {
    const listed = await this.#options.listProcesses().catch(() => []);
    const find = (each: number | undefined) => listed.find((entry) => entry.pid === each);
    const group = find(session.info().pid)?.foreground ?? -1;
    let agent = find(find(pid)?.parent);
    // The agent runs the command of a hook with a shell.
    while (agent !== undefined && isShell(agent.name)) agent = find(agent.parent);
    return group <= 0 || agent === undefined || agent.group === group;
  }

  /** Contract: `Coordinator.report`. */
  async report(session: Session, request: ReportRequest): Promise<ReportResult> {
    const checked = checkReport(request);
    session.checkTakesInput();
    if (session.exitStatus !== null)
      throw new VtrError('SESSION_NOT_RUNNING', 'the program has ended');
    const { clock } = this.#options;
    const nowMs = clock.wallMs();
    const { state, command, agent = null } = checked;
    if (command !== undefined) {
      const atMs = madeAtMs(checked.sequence ?? nowMs * 1_000, nowMs);
      this.#options.onCommand(session, agent, command, atMs);
      if (state === undefined && checked.conversation === undefined) return { late: false };
    }
    const entry = this.#entryOf(session);
    const before = this.#current(session);
    const sequence = checked.sequence ?? Math.max(nowMs * 1_000, (before?.sequence ?? 0) + 1);
    const atMs = madeAtMs(sequence, nowMs);
    if (before !== null && sequence <= before.sequence) return { late: true };
    const { outputEnd: offset, inputCount: inputs } = session.view;
    const next = merged(before, checked, { sequence, atMs, offset, inputs });
    if (state !== undefined && !ofTurn.has(state)) this.#options.onTurnEnd(session);
    entry.report = next;
    entry.end?.dispose();
    entry.end =
      next.untilMs === null
        ? null
        : clock.schedule(next.untilMs - nowMs, () => this.#check(session));
    if (next.program === null || clock.nowMs() - entry.lookedUpMs >= lookupMs) {
      entry.lookedUpMs = clock.nowMs();
      const program = await this.#foregroundOf(session);
      // Another report may have come meanwhile.
      if (entry.report !== null) entry.report = { ...entry.report, program };
    }
    this.#tell(session, entry);
    return { late: false };
  }

  /** Returns the last report of a session; null if there is none, or it has ended. */
  of(session: Registered): KnownReport | null {
    return 'live' in session ? null : this.#current(session);
  }

  /** Returns what the program in the foreground of a session says that it does; null if it says nothing. */
  statusOf(session: Registered): ToldStatus | null {
    if ('live' in session || session.exitStatus !== null) return null;
    const root = session.view.terminal.statuses.find(({ id }) => id === '');
    const report = this.#entries.get(session)?.report ?? null;
    // An offset is that of the first byte of OSC 7501.
    const isNewer =
      report !== null && report.state !== null && report.offset > (root?.offset ?? -1);
    if (isNewer) {
      const { state, message, progress, agent: app, atMs } = report;
      const stays = lasting.has(state) && isSameTurn(session.view, report);
      if (
        state !== null &&
        (stays || !this.#isOver(session, report)) &&
        !isExpired(report, this.#options.clock)
      )
        return { state, kind: null, app, progress, message, title: '', atMs };
    }
    if (root === undefined || !isSameTurn(session.view, root)) return null;
    const { state, kind, app, progress, message, title } = root;
    return { state, kind, app, progress, message, title };
  }

  /** Returns what the program of a session says, as waits see it. */
  sourceOf(session: Session): StatusSource {
    return {
      status: () => this.statusOf(session),
      turn: () => {
        const root = session.view.terminal.statuses.find(({ id }) => id === '');
        return `${root?.offset} ${this.#entries.get(session)?.report?.sequence}`;
      },
      onChange: (listener) => {
        const parts = [
          this.#changes.on((id) => id === session.id && listener()),
          session.onChange(() => listener()),
        ];
        return toDisposable(() => {
          for (const part of parts) part.dispose();
        });
      },
    };
  }

  /** Returns the report of a session to be saved, also one of a program that has ended with the session. */
  saved(session: Session): KnownReport | undefined {
    const report = this.#entries.get(session)?.report ?? null;
    return report === null || this.#isOver(session, report) ? undefined : report;
  }

  /** Continues with the report that was saved. @param saved not checked */
  restore(session: Session, saved: unknown): void {
    const report = readReport(saved);
    if (report === null) return;
    const entry = this.#entryOf(session);
    entry.report = report;
    const { untilMs } = report;
    if (untilMs === null) return;
    const { clock } = this.#options;
    entry.end = clock.schedule(Math.max(0, untilMs - clock.wallMs()), () => this.#check(session));
  }

  #entryOf(session: Session): Entry {
    const before = this.#entries.get(session);
    if (before !== undefined) return before;
    const entry: Entry = {
      report: null,
      pause: null,
      isUntold: false,
      end: null,
      look: null,
      lookedUpMs: Number.NEGATIVE_INFINITY,
    };
    this.#entries.set(session, entry);
    return entry;
  }

  #current(session: Session): KnownReport | null {
    const report = this.#entries.get(session)?.report ?? null;
    if (report === null || session.exitStatus !== null) return null;
    return this.#isOver(session, report) ? null : report;
  }

  /** Whether the program of a report has ended, or its time is over. A session that has ended keeps its last one. */
  #isOver(session: Session, report: KnownReport): boolean {
    if (isExpired(report, this.#options.clock)) return true;
    if (session.exitStatus !== null) return false;
    const { prompt } = session.view.commands;
    const shown = prompt ?? session.view.commands.unverified?.prompt ?? null;
    if (shown !== null && shown.offset >= report.offset) return true;
    return report.program !== null && !this.#isAlive(report.program.pid);
  }

  #note(session: Session, { type }: SessionEvent): void {
    const entry = this.#entries.get(session);
    if (entry === undefined || entry.report === null) return;
    if (type === 'exit') this.#stop(session);
    else if (type === 'mark') this.#check(session);
    else {
      entry.look ??= this.#options.clock.schedule(lookupMs, () => {
        entry.look = null;
        this.#check(session);
      });
    }
  }

  /** Ends the timers of a session. */
  #stop(session: Session): void {
    const entry = this.#entries.get(session);
    for (const timer of [entry?.end, entry?.look, entry?.pause]) timer?.dispose();
  }

  /** Ends all timers. */
  close(): void {
    for (const session of this.#options.registry.list())
      if (!('live' in session)) this.#stop(session);
  }

  /** Forgets a report that has ended. */
  #check(session: Session): void {
    const entry = this.#entries.get(session);
    if (entry === undefined || entry.report === null || session.exitStatus !== null) return;
    const { report } = entry;
    const isOld = !isSameTurn(session.view, report) || isExpired(report, this.#options.clock);
    if (!this.#isOver(session, report) || (lasting.has(report.state) && !isOld)) return;
    entry.report = null;
    entry.end?.dispose();
    this.#tell(session, entry);
  }

  #tell(session: Session, entry: Entry): void {
    if (entry.pause !== null) {
      entry.isUntold = true;
      return;
    }
    entry.isUntold = false;
    entry.pause = this.#options.clock.schedule(paceMs, () => {
      entry.pause = null;
      if (entry.isUntold && session.exitStatus === null) this.#tell(session, entry);
    });
    this.#options.save(session);
    this.#options.onChange(session);
    this.#changes.emit(session.id);
  }

  /** Returns the leader of the group in the foreground of a session; null if it is unknown. */
  async #foregroundOf(session: Session): Promise<Program | null> {
    const { pid } = session.info();
    const listed = await this.#options.listProcesses().catch(() => []);
    const group = listed.find((entry) => entry.pid === pid)?.foreground;
    const leader = listed.find((entry) => entry.pid === group);
    return leader === undefined ? null : { pid: leader.pid, startedAt: leader.startedAt };
  }
}

/** Whether no other command of the shell has begun since something was told. */
const isSameTurn = ({ commands }: SessionView, { offset }: { readonly offset: number }): boolean =>
  commands.running === null || commands.running.from.offset <= offset;

/** A number that is a time of the last minute, in µs, tells when the program was started that reports. */
function madeAtMs(sequence: number, nowMs: number): number {
  const startedMs = sequence / 1_000;
  return startedMs <= nowMs && startedMs > nowMs - 60_000 ? startedMs : nowMs;
}

const isExpired = ({ untilMs }: KnownReport, clock: Clock): boolean =>
  untilMs !== null && clock.wallMs() >= untilMs;

type Moment = Pick<KnownReport, 'sequence' | 'atMs' | 'offset' | 'inputs'>;

/** The report that follows another one. Without a state, it has that of the one before. */
function merged(before: KnownReport | null, request: ReportRequest, now: Moment): KnownReport {
  const { state, message = '', conversation, agent, ttlMs } = request;
  const { program = null } = before ?? {};
  const ids = { agent: before?.agent ?? null, conversation: before?.conversation ?? null };
  const facts = { ...ids, ...defined({ conversation, agent }), program };
  const nothing = { state: null, message: '', progress: null };
  const untilMs = ttlMs === undefined ? null : now.atMs + ttlMs;
  if (state === undefined) {
    const next = before ?? { ...nothing, ...now, untilMs };
    return { ...next, ...facts, sequence: now.sequence };
  }
  const status =
    state === 'clear'
      ? nothing
      : { state: statusOfReport[state], message, progress: request.progress ?? null };
  return { ...facts, ...status, ...now, untilMs };
}

/** Compares secrets in a time that does not depend on their values. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A program of another user, as with sudo.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
const isNumberOrNull = (value: unknown): value is number | null =>
  value === null || isNumber(value);

/** Returns a report that was saved; null if it is damaged. */
export function readReport(saved: unknown): KnownReport | null {
  if (typeof saved !== 'object' || saved === null) return null;
  const { state, message, progress, agent, conversation, program, untilMs, ...times } =
    saved as Partial<KnownReport>;
  const { sequence, atMs, offset, inputs } = times;
  const isState = state === null || Object.values(statusOfReport).includes(state as StatusState);
  const areNumbers = [sequence, atMs, offset, inputs].every(isNumber);
  const areTexts = isText(message) && isTextOrNull(agent) && isTextOrNull(conversation);
  const isProgram = program === null || (isNumber(program?.pid) && isNumber(program?.startedAt));
  if (!isState || !areNumbers || !areTexts || !isProgram) return null;
  if (!isNumberOrNull(progress) || !isNumberOrNull(untilMs)) return null;
  return saved as KnownReport;
}
