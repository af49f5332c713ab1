import { type Foreground, noForeground } from '../port.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';

/** What is known of a session from the moment of its fork. */
export interface SessionIdentity {
  readonly leaderPid: number;
  /** As seen right after the fork; null when it was gone by then. */
  readonly leader: Promise<ProcessEntry | null>;
  /** A moment before the fork, in the unit of the table: what started earlier is none of ours. */
  readonly forkedAfter: number;
  /** Path of the slave. */
  readonly terminal: string;
  /** VTR_SESSION_ID */
  readonly markerId: string;
}

export type SendSignal = (pid: number, signal: NodeJS.Signals) => void;

/**
 * The living processes of one session, and the only way to signal them: never a pid that may have
 * been given to somebody else since it was ours.
 *
 * A process belongs to the session when the kernel says so (its session, its terminal), when it
 * carries the session's marker, when its parent belongs, or when it belonged before. What escapes:
 * a process that left the kernel's session, cleared its environment and outlived its parent before
 * anybody looked.
 */
export class SessionProcesses {
  readonly #table: ProcessTable;
  readonly #identity: SessionIdentity;
  readonly #send: SendSignal;
  readonly #members = new Map<number, number>();
  /** Looked at by {@link glance} before, and none of ours; pids with their `startedAt`. */
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

  /** The leader has been reaped: from now on its pid may be anybody's. */
  leaderGone(): void {
    this.#leaderGoneAt = this.#table.now();
  }

  /** Everything of the session that lives, the leader included. */
  list(): Promise<readonly ProcessEntry[]> {
    return this.#list((entry) => this.#belongs(entry));
  }

  /**
   * The same for who asks several times a second: the environment of a process is read once. Who was
   * read at the moment of its exec may be missed, and everything that it starts.
   */
  async glance(): Promise<readonly ProcessEntry[]> {
    const strangers = new Map<number, number>();
    const members = await this.#list(async (entry) => {
      const isKnown = this.#strangers.get(entry.pid) === entry.startedAt;
      if (!isKnown && (await this.#belongs(entry))) return true;
      strangers.set(entry.pid, entry.startedAt);
      return false;
    });
    this.#strangers = strangers;
    return members;
  }

  /** See {@link ProcessTable.ownBytes}; null where it is not known of each. */
  async ownBytes(): Promise<number | null> {
    let sum = 0;
    for (const { pid } of await this.glance()) {
      const bytes = await this.#table.ownBytes(pid);
      if (bytes === null && (await this.#table.find(pid)) !== null) return null;
      sum += bytes ?? 0;
    }
    return sum;
  }

  async #list(
    belongs: (entry: ProcessEntry) => Promise<boolean>,
  ): Promise<readonly ProcessEntry[]> {
    const since = this.#identity.forkedAfter;
    const living = (await this.#table.list()).filter(
      (each) => !each.zombie && each.startedAt >= since && each.pid !== process.pid,
    );
    const ours = new Set<number>();
    // Parents before children, so that one pass finds all descendants.
    for (const each of living.sort((a, b) => a.startedAt - b.startedAt || a.pid - b.pid)) {
      if (ours.has(each.parent) || (await belongs(each))) ours.add(each.pid);
    }
    const members = living.filter((each) => ours.has(each.pid));
    for (const each of members) this.#members.set(each.pid, each.startedAt);
    return members;
  }

  /** @returns false when there is no such process any more. */
  async signal(entry: ProcessEntry, signal: NodeJS.Signals): Promise<boolean> {
    const now = await this.#table.find(entry.pid);
    if (now === null || now.startedAt !== entry.startedAt) return false;
    return this.#sendTo(entry.pid, signal);
  }

  /** SIGSTOP for what is not stopped already. @returns whether it was this that stops it */
  async stop(entry: ProcessEntry): Promise<boolean> {
    const now = await this.#table.find(entry.pid);
    if (now === null || now.startedAt !== entry.startedAt || now.stopped) return false;
    return this.#sendTo(entry.pid, 'SIGSTOP');
  }

  /** Whether it lives and no signal has stopped it. */
  async isRunning(entry: ProcessEntry): Promise<boolean> {
    const now = await this.#table.find(entry.pid);
    return now?.startedAt === entry.startedAt && !now.stopped && !now.zombie;
  }

  /** @returns false when the leader is gone, and its group with it as far as one can know. */
  async signalLeaderGroup(signal: NodeJS.Signals): Promise<boolean> {
    const leader = await this.#leader();
    return leader !== null && this.#sendTo(-leader.pid, signal);
  }

  /** @returns false when the terminal has no foreground group of this session. */
  async signalForegroundGroup(signal: NodeJS.Signals): Promise<boolean> {
    const group = await this.foregroundGroup();
    return group !== null && this.#sendTo(-group, signal);
  }

  /**
   * The group in the terminal's foreground, null when there is none. The kernel goes on naming a
   * group that has ended, so one of its members has to be seen in this session.
   */
  async foregroundGroup(): Promise<number | null> {
    const leader = await this.#leader();
    if (leader === null || leader.foreground <= 0) return null;
    const group = leader.foreground;
    if (group === leader.pid) return group;
    const head = await this.#table.find(group);
    if (head !== null && this.#inKernelSession(head)) return group;
    // A pipeline whose first program has ended is led by nobody.
    return (await this.#membersOf(group)).length > 0 ? group : null;
  }

  /** What the group in the foreground is and does. */
  async foreground(): Promise<Foreground> {
    const group = await this.foregroundGroup();
    if (group === null) return noForeground;
    const head = await this.#table.find(group);
    const isLeader = group === this.#identity.leaderPid;
    // Mostly it is the head that reads, and then no listing is needed.
    if (head !== null && (await this.#reads(head)) === true) {
      return { program: named(head), isLeader, readsTerminal: true };
    }
    const members = (await this.#membersOf(group)).filter((each) => !each.zombie);
    const first = members.find((each) => each.pid === group) ?? members[0];
    if (first === undefined) return noForeground;
    return { program: named(first), isLeader, readsTerminal: await this.#anyReads(members) };
  }

  async #anyReads(members: readonly ProcessEntry[]): Promise<boolean | null> {
    let answer: boolean | null = false;
    for (const member of members) {
      const reads = await this.#reads(member);
      if (reads === true) return true;
      if (reads === null) answer = null;
    }
    return answer;
  }

  #reads({ pid }: ProcessEntry): Promise<boolean | null> {
    return this.#table.readsTerminal(pid, this.#identity.terminal);
  }

  async #membersOf(group: number): Promise<readonly ProcessEntry[]> {
    const all = await this.#table.list();
    return all.filter((each) => each.group === group && this.#inKernelSession(each));
  }

  async #leader(): Promise<ProcessEntry | null> {
    const then = await this.#identity.leader;
    const now = await this.#table.find(this.#identity.leaderPid);
    return then !== null && now?.startedAt === then.startedAt ? now : null;
  }

  async #belongs(entry: ProcessEntry): Promise<boolean> {
    if (this.#members.get(entry.pid) === entry.startedAt) return true;
    if (this.#inKernelSession(entry)) return true;
    return (await this.#table.sessionId(entry)) === this.#identity.markerId;
  }

  /**
   * Once the leader is gone and all of its kernel session too, the kernel may give the number to a
   * session of somebody else. Nobody in that one can have started before the leader was gone.
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

function named({ pid, name }: ProcessEntry): { pid: number; name: string } {
  return { pid, name };
}
