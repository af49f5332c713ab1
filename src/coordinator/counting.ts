import type { Clock } from '#base';
import type { ActivityState, AgentInfo, AgentState, WaitOutcome, WaitResult } from '#model';
import type { ProcessEntry, Session } from '#session';
import { inTime } from './listing.ts';
import type { Registered, Registry } from './registry.ts';
import { attentionOfEnded } from './watching/attention.ts';

/** `unknown`: the session is not restored yet, or the system did not tell its activity in time. */
type CountedState = ActivityState | 'unknown';

/** `failed`: cancelled, or the session was removed. */
type CountedOutcome = WaitOutcome | 'failed';

/**
 * How a program has ended: `success` with status 0; `failed` with another one, by a signal that nobody sent through vtr,
 * by a limit or with its PTY host; `ended` by a caller, because nobody used it, or with the daemon.
 */
type ProgramResult = 'success' | 'failed' | 'ended';

/** The bytes of sessions, those of removed ones included. */
export interface ByteCounts {
  /** Output of programs that this coordinator has applied, in bytes. */
  readonly outputBytes: number;
  /** Input that the terminals of programs have accepted, in bytes. */
  readonly inputBytes: number;
}

/** What a coordinator has done since it was made, and what it has now. */
export interface CoordinatorCounts extends ByteCounts {
  readonly sessions: ReadonlyMap<CountedState, number>;
  /** Coding agents by state; those that are done are not counted as idle. */
  readonly agents: ReadonlyMap<AgentState | 'done', number>;
  /** Waits under way that callers requested. */
  readonly waits: number;
  readonly endedWaits: ReadonlyMap<CountedOutcome, number>;
  /** Programs that have ended here. */
  readonly endedPrograms: ReadonlyMap<ProgramResult, number>;
}

/** The longest time in which the activity of all sessions is found, in ms. */
const maxActivityMs = 2_000;

const states: readonly CountedState[] = [
  ...(['running', 'at_prompt', 'awaiting_input', 'password', 'full_screen', 'exited'] as const),
  'unknown',
];

const agentStates = ['asks', 'done', 'busy', 'idle', 'unknown'] as const;

interface CountsOptions {
  /** Returns the coding agent in the foreground of a session; null if there is none. */
  agentOf(session: Registered): AgentInfo | null;
  readonly clock: Clock;
  readonly registry: Registry;
  /** Lists the processes of the machine. */
  listProcesses(): Promise<readonly ProcessEntry[]>;
}

/**
 * Counts sessions, bytes and waits. Each session knows its bytes, so they are added up when they are asked for,
 * or when it is removed.
 */
export class Counts {
  readonly #options: CountsOptions;
  /** The output that each session had when it came here. */
  readonly #begins = new Map<string, number>();
  /** The output of removed sessions. */
  #outputBytes = 0;
  #inputBytes = 0;
  #waits = 0;
  readonly #endedWaits = new Map<CountedOutcome, number>();
  readonly #endedPrograms = new Map<ProgramResult, number>(
    (['success', 'failed', 'ended'] as const).map((result) => [result, 0]),
  );

  constructor(options: CountsOptions) {
    this.#options = options;
    options.registry.onChange(({ type, session }) => {
      if ('live' in session) return;
      if (type === 'removed') this.#removed(session);
      else {
        if (session.restored !== null) this.#begins.set(session.id, session.view.outputEnd);
        this.#countEnd(session);
      }
    });
  }

  async read(): Promise<CoordinatorCounts> {
    const sessions = await this.#states(this.#options.registry.list());
    return {
      ...this.bytes(),
      sessions,
      agents: this.#agents(),
      waits: this.#waits,
      endedWaits: new Map(this.#endedWaits),
      endedPrograms: new Map(this.#endedPrograms),
    };
  }

  bytes(): ByteCounts {
    const live = this.#options.registry.list().filter((each) => !('live' in each)) as Session[];
    return {
      outputBytes: live.reduce((sum, each) => sum + this.#outputOf(each), this.#outputBytes),
      inputBytes: live.reduce((sum, { inputBytes }) => sum + inputBytes, this.#inputBytes),
    };
  }

  /** Counts the program of a session when it ends, once. */
  #countEnd(session: Session): void {
    // A revived program is one of another session.
    if (session.exitStatus !== null) return;
    const changes = session.onChange(() => {
      if (session.exitStatus === null) return;
      changes.dispose();
      const result = resultOf(session);
      this.#endedPrograms.set(result, (this.#endedPrograms.get(result) ?? 0) + 1);
    });
  }

  /** Counts a wait until it ends. */
  wait(waiting: Promise<WaitResult>): void {
    this.#waits++;
    const end = (outcome: CountedOutcome) => {
      this.#waits--;
      this.#endedWaits.set(outcome, (this.#endedWaits.get(outcome) ?? 0) + 1);
    };
    waiting.then(
      ({ outcome }) => end(outcome),
      () => end('failed'),
    );
  }

  #agents(): CoordinatorCounts['agents'] {
    const { registry, agentOf } = this.#options;
    const counted = new Map(agentStates.map((state) => [state, 0]));
    for (const session of registry.list()) {
      const agent = agentOf(session);
      if (agent === null) continue;
      const state = agent.done ? 'done' : agent.state;
      counted.set(state, (counted.get(state) ?? 0) + 1);
    }
    return counted;
  }

  #removed(session: Session): void {
    this.#outputBytes += this.#outputOf(session);
    this.#inputBytes += session.inputBytes;
    this.#begins.delete(session.id);
  }

  #outputOf({ id, view }: Session): number {
    return view.outputEnd - (this.#begins.get(id) ?? 0);
  }

  async #states(sessions: readonly Registered[]): Promise<ReadonlyMap<CountedState, number>> {
    const running = sessions.filter(({ exitStatus }) => exitStatus === null);
    const counted = new Map(states.map((state) => [state, 0]));
    counted.set('exited', sessions.length - running.length);
    for (const state of await this.#activities(running)) {
      counted.set(state, (counted.get(state) ?? 0) + 1);
    }
    return counted;
  }

  async #activities(running: readonly Registered[]): Promise<readonly CountedState[]> {
    if (running.length === 0) return [];
    const { listProcesses, clock } = this.#options;
    // A system that tells nothing must not keep the other counts back.
    const listed = await inTime(
      listProcesses().catch(() => null),
      maxActivityMs,
      clock,
    );
    const states = running.map(async (session): Promise<CountedState> => {
      if ('live' in session || listed === null) return 'unknown';
      const activity = session.activity(listed).catch(() => null);
      return (await inTime(activity, maxActivityMs, clock))?.state ?? 'unknown';
    });
    return Promise.all(states);
  }
}

function resultOf(session: Session): ProgramResult {
  const attention = attentionOfEnded(session.info(), session.facts.endRequested);
  if (attention?.kind === 'failed') return 'failed';
  return attention?.kind === 'done' ? 'success' : 'ended';
}
