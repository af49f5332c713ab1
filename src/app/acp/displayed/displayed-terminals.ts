import type { Coordinator } from '#model';
import { DisplayedTerminal } from './displayed-terminal.ts';
import { type DisplayStep, displaysIn } from './displays-in.ts';

/** So many are known; with more, the oldest is hung up. */
const maxTerminals = 200;

export interface DisplayedTerminalsOptions {
  readonly coordinator: Coordinator;
  /** Who shows them, for people. */
  readonly by: string;
  /** How long they stay after their end, in ms. */
  readonly keepMs: number;
  /** Told of each new one, by the id that the agent has given it in its conversation. */
  readonly onBegun: (conversationId: string, id: string, terminal: DisplayedTerminal) => void;
}

/** The terminals that an agent runs itself and only shows. */
export class DisplayedTerminals {
  readonly #options: DisplayedTerminalsOptions;
  readonly #terminals = new Map<string, DisplayedTerminal>();

  constructor(options: DisplayedTerminalsOptions) {
    this.#options = options;
  }

  /** Whether there is any: then what its tool call is called matters. */
  get areAny(): boolean {
    return this.#terminals.size > 0;
  }

  /**
   * @param update of a `session/update` of the conversation
   * @returns the ids of those that have ended with it
   */
  see(conversationId: string, update: unknown): readonly string[] {
    const steps = displaysIn(update);
    for (const step of steps) this.#take(conversationId, step);
    return steps.filter(({ exit }) => exit !== undefined).map(({ terminalId }) => terminalId);
  }

  /** Those that have not ended are hung up. */
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
    // Ended ones stay, so that what is said of them later begins no other.
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

/** Of a terminal that nothing was said of before. */
const begins = ({ exit, newTitle, output, snapshot }: DisplayStep): boolean =>
  output !== undefined || snapshot !== undefined || (exit === undefined && newTitle === undefined);
