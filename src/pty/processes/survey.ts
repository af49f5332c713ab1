import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import type { ProcessEntry } from './process-table.ts';

/**
 * How long an entry is used again, in ms. The system gives out all other process ids, tens of thousands,
 * before it gives out one again: within this time a process id is not another process's.
 */
const reuseMs = 250;

/** Processes read before the event loop turns: about a millisecond's worth. */
export const sliceLength = 64;

/** What a survey reads. */
export interface SurveySource {
  /** @throws the error of the system */
  pids(): readonly number[];
  /** Returns null if no process has the pid. @throws the error of the system */
  read(pid: number): ProcessEntry | null;
  /** Whether it is known, without another read, that the process has the id of a session in its environment. */
  isOfSession(entry: ProcessEntry): boolean;
  /** A monotonic clock. */
  nowMs(): number;
}

/** Entries by pid, and when they were read. */
type Known = Map<number, { readonly entry: ProcessEntry; readonly readMs: number }>;

/**
 * Lists processes for sessions that look for their own. When many sessions end one after the other, nearly
 * all processes are those of the others, and reading each of them for each session would take most of the
 * time.
 */
export class Survey {
  readonly #source: SurveySource;
  #known: Known = new Map();

  constructor(source: SurveySource) {
    this.#source = source;
  }

  /** Contract: `ProcessTable.survey`. */
  async list(since: number): Promise<readonly ProcessEntry[]> {
    const source = this.#source;
    const beganMs = source.nowMs();
    const pids = new Set(source.pids());
    const known: Known = new Map();
    let reads = 0;
    for (const pid of pids) {
      const before = this.#known.get(pid);
      if (before !== undefined && beganMs - before.readMs < reuseMs) {
        const { entry } = before;
        const isSettled = entry.startedAt < since || source.isOfSession(entry);
        // A process whose parent has ended has another one.
        if (isSettled && (entry.parent === 0 || pids.has(entry.parent))) {
          known.set(pid, before);
          continue;
        }
      }
      if (reads++ % sliceLength === sliceLength - 1) await nextLoopTurn();
      const readMs = source.nowMs();
      const entry = source.read(pid);
      if (entry !== null) known.set(pid, { entry, readMs });
    }
    this.#known = known;
    return Array.from(known.values(), ({ entry }) => entry);
  }
}
