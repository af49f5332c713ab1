import type { Coordinator } from '#model';
import { DisplayedTerminal } from './displayed-terminal.ts';
import { type DisplayStep, displaysIn } from './displays-in.ts';

/** Limit of terminals; over it, the oldest is closed as if hung up. */
const maxTerminals = 200;

export interface DisplayedTerminalsOptions {
  readonly coordinator: Coordinator;
  /** The agent's name, for people. */
  readonly by: string;
  /** Time that they stay after their end, in ms. */
  readonly keepMs: number;
  /** Called with each new one. `id` is the agent's, within the conversation. */
  readonly onBegun: (conversationId: string, id: string, terminal: DisplayedTerminal) => void;
}

/** The terminals that an agent runs itself and shows. */
export class DisplayedTerminals {
  readonly #options: DisplayedTerminalsOptions;
  readonly #terminals = new Map<string, DisplayedTerminal>();

  constructor(options: DisplayedTerminalsOptions) {
    this.#options = options;
  }

  /** Whether there are any. If so, titles of tool calls matter. */
  get areAny(): boolean {
    return this.#terminals.size > 0;
  }

  /**
   * Applies an update of a `session/update`.
   *
   * @returns the ids of the terminals that it ended
   */
  see(conversationId: string, update: unknown): readonly string[] {
    const steps = displaysIn(update);
    for (const step of steps) this.#take(conversationId, step);
    return steps.filter(({ exit }) => exit !== undefined).map(({ terminalId }) => terminalId);
  }

  /** Closes all. Those that have not ended count as hung up. */
  async close(): Promise<void> {
    await Promise.all([...this.#terminals.values()].map((each) => each.close()));
  }

  #take(conversationId: string, step: DisplayStep): void {
    const key = JSON.stringify([conversationId, step.terminalId]);
    const known = this.#terminals.get(key);
    if (known !== undefined) known.take(step);
    else if (begins(step)) this.#begin(key, conversationId, step);
  }

  #begin(key: string, conversationId: string, first: DisplayStep): void {
    const { coordinator, by, keepMs, onBegun } = this.#options;
    const request = { name: first.terminalId, by, lifetime: { keepExitedMs: keepMs } };
    const terminal = new DisplayedTerminal(coordinator, first, request);
    // Ended ones stay, so that a later update of one does not begin another.
    this.#terminals.set(key, terminal);
    onBegun(conversationId, first.terminalId, terminal);
    const { size: _, ...rest } = first;
    terminal.take(rest);
    this.#dropOldest();
  }

  #dropOldest(): void {
    const [oldest] = this.#terminals;
    if (this.#terminals.size <= maxTerminals || oldest === undefined) return;
    this.#terminals.delete(oldest[0]);
    void oldest[1].close();
  }
}

/** Whether the first step of an unknown terminal begins it. */
const begins = ({ exit, newTitle, output, snapshot }: DisplayStep): boolean =>
  output !== undefined || snapshot !== undefined || (exit === undefined && newTitle === undefined);
