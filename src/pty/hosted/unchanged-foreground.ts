import { readlinkSync } from 'node:fs';
import type { Foreground } from '../port.ts';
import { runTraceNow, textNow } from '../processes/proc-terminal-reads.ts';

/** Looks at processes, at once. */
export interface ProcessLooks {
  /** The text of proc_pid_stat(5); null if there is none. */
  stat(pid: number): string | null;
  /** As `ProcessTable.firstRunTrace`. */
  trace(pid: number): string | null;
  /** The current directory; null if it is not known. */
  directory(pid: number): string | null;
}

/** The last answer of the host, and the trace of its program. */
interface Answer {
  readonly facts: Foreground;
  readonly pid: number;
  readonly trace: string;
}

/**
 * Knows that the foreground of a terminal is as the host said when it was last asked: the leader of the group is the only
 * thread of a program that waited for input of the terminal, and has not run since. So a list of sessions that wait does
 * not visit the host. Modes that another process has set since are missed. Linux only.
 */
export class UnchangedForeground {
  readonly #leader: number;
  readonly #looks: ProcessLooks;
  #last: Answer | null = null;
  /** Counts the inputs and signals that may make a program run. */
  #disturbances = 0;

  /** @param leader the leader of the session */
  constructor(leader: number, looks: ProcessLooks = procLooks) {
    this.#leader = leader;
    this.#looks = looks;
  }

  /** Must be called when something is sent to the terminal or to its programs. */
  disturbed(): void {
    this.#disturbances++;
    this.#last = null;
  }

  /** Returns what the host would say now; null if it must be asked. */
  facts(withDirectory: boolean): Foreground | null {
    if (this.#last === null) return null;
    const { facts, pid, trace } = this.#last;
    if (!this.#isWaiting(pid, facts) || this.#looks.trace(pid) !== trace) {
      this.#last = null;
      return null;
    }
    if (!withDirectory) return facts;
    const directory = this.#looks.directory(pid);
    return directory === null ? null : { ...facts, directory };
  }

  /** @param ask asks the host, with {@link Foreground.trace} */
  async noting(ask: () => Promise<Foreground>): Promise<Foreground> {
    const disturbances = this.#disturbances;
    const { trace, ...facts } = await ask();
    const { directory: _, ...lasting } = facts;
    const { program, readsTerminal, reader, modes } = facts;
    const reads = readsTerminal === true && reader === undefined && modes !== undefined;
    const isLasting = trace !== undefined && reads && disturbances === this.#disturbances;
    this.#last = isLasting && program !== null ? { facts: lasting, pid: program.pid, trace } : null;
    return facts;
  }

  /** Whether it is the only thread of the same program, sleeps, and leads the group in the foreground of the session. */
  #isWaiting(pid: number, { startedAt }: Foreground): boolean {
    const stat = this.#looks.stat(pid) ?? '';
    // From field 3 on; the name before may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const number = (field: number) => Number(fields[field - 3]);
    const isInForeground = [5, 8].every((field) => number(field) === pid);
    const isSame = number(22) === startedAt && number(6) === this.#leader;
    return fields[0] === 'S' && number(20) === 1 && isSame && isInForeground;
  }
}

const procLooks: ProcessLooks = {
  stat: (pid) => textNow(`/proc/${pid}/stat`),
  trace: runTraceNow,
  directory(pid) {
    try {
      return readlinkSync(`/proc/${pid}/cwd`);
    } catch {
      return null;
    }
  },
};
