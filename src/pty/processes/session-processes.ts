import { setTimeout as delay } from 'node:timers/promises';
import { defined } from '#base';
import { type Foreground, noForeground } from '../port.ts';
import type { ProcessEntry, ProcessTable, TerminalRead } from './process-table.ts';

/** A group that has ended, until the shell takes the terminal back. Nobody can read meanwhile. */
const endedForeground: Foreground = { ...noForeground, readsTerminal: false, alsoWaits: false };

/** The facts about a session that are known from its fork on. */
export interface SessionIdentity {
  readonly leaderPid: number;
  /** As listed right after the fork; null if it was gone by then, or could not be read. */
  readonly leader: Promise<ProcessEntry | null>;
  /**
   * A moment before the fork, in the table's unit. Processes that started earlier do not belong.
   */
  readonly forkedAfter: number;
  /** Path of the slave. */
  readonly terminal: string;
  /** VTR_SESSION_ID */
  readonly markerId: string;
  /** Null if its programs could not be marked. */
  readonly mark: bigint | null;
  /** Replaces the search by `markerId` and `mark`. Descendants of members are members, too. */
  readonly isMember?: (entry: ProcessEntry) => Promise<boolean>;
}

/** The time between two checks whether the leader has called setsid(2), in ms. */
const setsidPollMs = 1;

export type SendSignal = (pid: number, signal: NodeJS.Signals) => void;

/**
 * The live processes of one session, and the only way to signal them: a pid that may have been
 * reused is never signalled.
 *
 * A process belongs to the session if the kernel reports it there (by its session or its terminal),
 * if it has the session's marker in its environment or its mark, if its parent belongs, or if it
 * belonged before. Where programs cannot be marked, a process escapes if it leaves the kernel's session,
 * clears its environment and outlives its parent between two listings.
 */
export class SessionProcesses {
  readonly #table: ProcessTable;
  readonly #identity: SessionIdentity;
  readonly #send: SendSignal;
  /** Processes that have belonged: `startedAt` by pid. */
  readonly #cache = new Map<number, number>();
  /** Processes that {@link glance} found not to belong: `startedAt` by pid. */
  #strangers = new Map<number, number>();
  #leaderGoneAt = Number.POSITIVE_INFINITY;

  constructor(
    table: ProcessTable,
    identity: SessionIdentity,
    send: SendSignal = (pid, signal) => process.kill(pid, signal),
  ) {
    this.#table = table;
    this.#identity = identity;
    this.#send = send;
  }

  /** Must be called when the leader has been reaped: its pid may be reused from then on. */
  leaderGone(): void {
    this.#leaderGoneAt = this.#table.now();
  }

  /** Returns all live processes of the session, including the leader. */
  async list(): Promise<readonly ProcessEntry[]> {
    const surveyed = await this.#table.survey(this.#identity.forkedAfter);
    return this.#members(
      surveyed,
      (entry) => this.#belongs(entry),
      async (entry) => {
        const now = await this.#table.find(entry.pid);
        return now?.startedAt === entry.startedAt ? now : null;
      },
    );
  }

  /**
   * As {@link list}, for frequent calls: reads the environment of each process only once. A process
   * that is read during its exec may be missed, with its descendants.
   */
  async glance(): Promise<readonly ProcessEntry[]> {
    const strangers = new Map<number, number>();
    const members = await this.#members(await this.#table.list(), async (entry) => {
      const isKnown = this.#strangers.get(entry.pid) === entry.startedAt;
      if (!isKnown && (await this.#belongs(entry))) return true;
      strangers.set(entry.pid, entry.startedAt);
      return false;
    });
    this.#strangers = strangers;
    return members;
  }

  /** Returns the sum of {@link ProcessTable.pssBytes}; null if it is unknown for one of them. */
  async pssBytes(): Promise<number | null> {
    let sum = 0;
    for (const { pid } of await this.glance()) {
      const bytes = await this.#table.pssBytes(pid);
      if (bytes === null && (await this.#table.find(pid)) !== null) return null;
      sum += bytes ?? 0;
    }
    return sum;
  }

  /** @param current returns an entry as of now, null if the process has ended; absent: it is as of now */
  async #members(
    listed: readonly ProcessEntry[],
    belongs: (entry: ProcessEntry) => boolean | Promise<boolean>,
    current?: (entry: ProcessEntry) => Promise<ProcessEntry | null>,
  ): Promise<readonly ProcessEntry[]> {
    const since = this.#identity.forkedAfter;
    const living = listed.filter(
      (each) => !each.zombie && each.startedAt >= since && each.pid !== process.pid,
    );
    const members = new Map<number, ProcessEntry>();
    /** Processes that have ended since they were listed: their children have other parents. */
    const ended = new Set<number>();
    const isMember = (each: ProcessEntry) => members.has(each.parent) || belongs(each);
    // Parents come before their children, so that one pass finds all descendants.
    for (const each of living.sort((a, b) => a.startedAt - b.startedAt || a.pid - b.pid)) {
      const mayBe = ended.has(each.parent) || isMember(each);
      // An answer that is known is not awaited: nearly all processes may belong to other sessions.
      if (mayBe === false || (mayBe !== true && !(await mayBe))) continue;
      const now = current === undefined ? each : await current(each);
      if (now === null || now.zombie) ended.add(each.pid);
      else if (now === each || (await isMember(now))) members.set(now.pid, now);
    }
    for (const { pid, startedAt } of members.values()) this.#cache.set(pid, startedAt);
    return [...members.values()];
  }

  /** @returns false if the process has ended */
  async signal(entry: ProcessEntry, signal: NodeJS.Signals): Promise<boolean> {
    const now = await this.#table.find(entry.pid);
    if (now === null || now.startedAt !== entry.startedAt) return false;
    return this.#sendTo(entry.pid, signal);
  }

  /** Sends SIGSTOP to a process that is not stopped. @returns whether it was sent */
  async stop(entry: ProcessEntry): Promise<boolean> {
    const now = await this.#table.find(entry.pid);
    if (now === null || now.startedAt !== entry.startedAt || now.stopped) return false;
    return this.#sendTo(entry.pid, 'SIGSTOP');
  }

  /**
   * Continues a process after {@link stop}. SIGCONT discards a ctrl+z that the process has received and not
   * acted on, so that is sent again.
   */
  async continue(entry: ProcessEntry): Promise<void> {
    const pending = this.#table.pendingStops(entry.pid);
    if (!(await this.signal(entry, 'SIGCONT'))) return;
    for (const each of pending) await this.signal(entry, each);
  }

  /** Returns whether the process lives and is not stopped. */
  async isRunning(entry: ProcessEntry): Promise<boolean> {
    const now = await this.#table.find(entry.pid);
    return now?.startedAt === entry.startedAt && !now.stopped && !now.zombie;
  }

  /** @returns false if the leader is gone; its group may then be another session's */
  async signalLeaderGroup(signal: NodeJS.Signals): Promise<boolean> {
    const leader = await this.#leader();
    return leader !== null && this.#sendTo(-leader.pid, signal);
  }

  /** @returns false if the terminal has no foreground group of this session */
  async signalForegroundGroup(signal: NodeJS.Signals): Promise<boolean> {
    const group = await this.foregroundGroup();
    return group !== null && this.#sendTo(-group, signal);
  }

  /**
   * Returns the terminal's foreground group, null if there is none. The kernel still reports a
   * group that has ended, so one of its members must be found in this session.
   */
  async foregroundGroup(): Promise<number | null> {
    return (await this.#foregroundGroup())?.group ?? null;
  }

  /** Returns the group with its leader as read for it; null if there is no such process. */
  async #foregroundGroup(): Promise<{ group: number; head: ProcessEntry | null } | null> {
    const leader = await this.#leader();
    if (leader === null || leader.foreground <= 0) return null;
    const group = leader.foreground;
    if (group === leader.pid) return { group, head: leader };
    const head = await this.#table.find(group);
    if (head !== null && this.#inKernelSession(head)) return { group, head };
    // The leader of a pipeline's group is its first program, which may have ended.
    return (await this.#membersOf(group)).length > 0 ? { group, head } : null;
  }

  /** Returns whether a process lives, and is in the foreground group of the session's terminal. */
  async isInForeground(pid: number): Promise<boolean> {
    const entry = await this.#table.find(pid);
    if (entry === null || entry.zombie || entry.group !== entry.foreground) return false;
    return this.#inKernelSession(entry);
  }

  /**
   * @param listed a recent listing of all processes, which saves another
   * @param withTrace whether to read {@link Foreground.trace} as well
   */
  async foreground(listed: readonly ProcessEntry[] = [], withTrace = false): Promise<Foreground> {
    const processGroup = await this.#foregroundGroup();
    if (processGroup === null) return this.#nobodyReads();
    const { group, head } = processGroup;
    const isLeader = group === this.#identity.leaderPid;
    // Usually the leader of the group reads, and no listing is needed.
    if (head !== null) {
      // Before the look: if the program runs meanwhile, the trace is an old one.
      const trace = withTrace ? this.#table.firstRunTrace(head.pid) : null;
      const reads = await this.#reads(head);
      const foreground = {
        ...identified(head),
        isLeader,
        readsTerminal: true,
        alsoWaits: false,
        ...defined({ trace: trace ?? undefined }),
      };
      if (reads === true) return foreground;
      if (reads === 'only') return { ...foreground, isBlocked: true };
      if (reads === 'loop') return { ...foreground, inEventLoop: true };
    }
    const members = (await this.#membersOf(group, listed)).filter((each) => !each.zombie);
    const first = members.find((each) => each.pid === group) ?? members[0];
    if (first === undefined) return endedForeground;
    const { reads, reader } = await this.#anyReads(members);
    const readsTerminal = reads === 'also' ? null : reads === 'loop' || reads === 'only' || reads;
    const alsoWaits = reads === null ? null : reads === 'also';
    return {
      ...identified(first),
      isLeader,
      readsTerminal,
      alsoWaits,
      ...(reads === 'loop' ? { inEventLoop: true } : {}),
      ...(reader === null || reader === first ? {} : { reader: reader.name }),
    };
  }

  /** As {@link foreground}, without a look at what its processes do. */
  async foregroundProgram(): Promise<Foreground> {
    const processGroup = await this.#foregroundGroup();
    if (processGroup === null) return this.#nobodyReads();
    const { group, head } = processGroup;
    if (head === null || head.zombie) return this.foreground();
    return { ...noForeground, ...identified(head), isLeader: group === this.#identity.leaderPid };
  }

  async #nobodyReads(): Promise<Foreground> {
    const leader = await this.#leader();
    if (leader === null || leader.foreground <= 0 || isHidden(leader.foreground))
      return noForeground;
    return endedForeground;
  }

  /**
   * Returns a text that changes whenever a process of the foreground group has run, and with its
   * members; null if the system does not report it.
   *
   * @param listed a recent listing of all processes
   */
  async foregroundTrace(listed: readonly ProcessEntry[]): Promise<string | null> {
    const group = await this.foregroundGroup();
    const members = group === null ? [] : await this.#membersOf(group, listed);
    const traces = await Promise.all(members.map(({ pid }) => this.#table.runTrace(pid)));
    if (traces.length === 0 || traces.includes(null)) return null;
    return members.map(({ pid, startedAt }, at) => `${pid} ${startedAt} ${traces[at]}`).join();
  }

  /**
   * Returns a function, cheap enough to call often, that tells whether a process of the current foreground group whose
   * input is the terminal works; null if that is unknown. See {@link ProcessTable.isWorking}.
   */
  async foregroundWork(): Promise<() => Promise<boolean | null>> {
    const group = await this.foregroundGroup();
    const members = group === null ? [] : await this.#membersOf(group);
    return async () => {
      let answer: boolean | null = members.length === 0 ? null : false;
      for (const { pid } of members) {
        const works = await this.#table.isWorking(pid, this.#identity.terminal);
        if (works) return true;
        if (works === null) answer = null;
      }
      return answer;
    };
  }

  /** Returns the current directory of a process; null if the system does not report it. */
  directory(pid: number): Promise<string | null> {
    return this.#table.directory(pid);
  }

  /** Returns the surest answer of a group, and the process that it is about; null if none reads. */
  async #anyReads(
    members: readonly ProcessEntry[],
  ): Promise<{ readonly reads: TerminalRead; readonly reader: ProcessEntry | null }> {
    const answers = new Map<TerminalRead, ProcessEntry>();
    for (const member of members) {
      const reads = await this.#reads(member);
      if (!answers.has(reads)) answers.set(reads, member);
      if (reads === true || reads === 'only') break;
    }
    for (const reads of ['only', true, 'loop', 'also'] as const) {
      const reader = answers.get(reads);
      if (reader !== undefined) return { reads, reader };
    }
    return { reads: answers.has(null) ? null : false, reader: null };
  }

  #reads({ pid }: ProcessEntry): Promise<TerminalRead> {
    return this.#table.readsTerminal(pid, this.#identity.terminal);
  }

  async #membersOf(
    group: number,
    listed: readonly ProcessEntry[] = [],
  ): Promise<readonly ProcessEntry[]> {
    const isMember = (each: ProcessEntry) => each.group === group && this.#inKernelSession(each);
    const members = listed.filter(isMember);
    // The group may be newer than the listing.
    return members.length > 0 ? members : (await this.#table.list()).filter(isMember);
  }

  /**
   * Returns the leader, null if it is gone. The fork returns before the child has called setsid(2),
   * and a signal to its process group would be lost until then, so this waits for the call.
   */
  async #leader(): Promise<ProcessEntry | null> {
    for (;;) {
      const entry = await this.#leaderEntry();
      if (entry === null || entry.group === entry.pid) return entry;
      // A zombie never calls it, and a stopped process may take long.
      if (entry.zombie || entry.stopped) return entry;
      await delay(setsidPollMs);
    }
  }

  async #leaderEntry(): Promise<ProcessEntry | null> {
    const now = await this.#table.find(this.#identity.leaderPid);
    return now !== null && (await this.#isLeader(now)) ? now : null;
  }

  #belongs(entry: ProcessEntry): boolean | Promise<boolean> {
    if (this.#cache.get(entry.pid) === entry.startedAt) return true;
    if (this.#inKernelSession(entry)) return true;
    if (entry.pid !== this.#identity.leaderPid) return this.#isMarked(entry);
    return this.#isLeader(entry).then((isLeader) => isLeader || this.#isMarked(entry));
  }

  #isMarked(entry: ProcessEntry): boolean | Promise<boolean> {
    const { isMember } = this.#identity;
    if (isMember !== undefined) return isMember(entry);
    const isOurs = (id: string | null) =>
      id === null ? this.#hasMark(entry) : id === this.#identity.markerId;
    const id = this.#table.sessionId(entry);
    return id instanceof Promise ? id.then(isOurs) : isOurs(id);
  }

  /**
   * A coordinator that was started from inside a session, and the programs of its sessions, have the mark but
   * do not belong to the session: their environment says so. Our own children do not belong either, except the
   * leader: another thread of this process may have started a child while the leader was started.
   */
  #hasMark(entry: ProcessEntry): boolean {
    const { mark } = this.#identity;
    return mark !== null && entry.parent !== process.pid && this.#table.mark(entry) === mark;
  }

  /**
   * Returns whether the entry is the leader. Until the leader has called setsid(2) and execve(2),
   * neither its session nor its environment shows that it belongs.
   */
  async #isLeader({ pid, startedAt }: ProcessEntry): Promise<boolean> {
    if (pid !== this.#identity.leaderPid) return false;
    const atFork = await this.#identity.leader;
    // It could not be read at the fork. Until it is reaped, its pid is not another's.
    if (atFork === null) return this.#leaderGoneAt === Number.POSITIVE_INFINITY;
    return atFork.startedAt === startedAt;
  }

  /**
   * When the leader and its kernel session are gone, the kernel may reuse the session id. A process
   * of that later session cannot have started before the leader was gone.
   */
  #inKernelSession(entry: ProcessEntry): boolean {
    if (entry.startedAt > this.#leaderGoneAt) return false;
    const { leaderPid, terminal } = this.#identity;
    if (entry.session !== null) return entry.session === leaderPid;
    return entry.terminal === terminal || entry.group === leaderPid;
  }

  #sendTo(pid: number, signal: NodeJS.Signals): boolean {
    try {
      this.#send(pid, signal);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
      throw error;
    }
  }
}

/** Whether a process group is there that the system does not list, as sudo's where /proc has the option hidepid. */
function isHidden(group: number): boolean {
  try {
    process.kill(-group, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function identified({
  pid,
  name,
  startedAt,
}: ProcessEntry): Pick<Foreground, 'program' | 'startedAt'> {
  return { program: { pid, name }, startedAt };
}
