import { cleanLine } from '#base';
import { type Coordinator, maxWaitMs } from '#model';

/** Limit of a question in a tool call, in characters. */
const maxQuestion = 200;

/** The session that runs the command of a tool call which shows no terminal. */
export class LinkedSession {
  readonly name: string;
  /** What the agent shows in the tool call, as it wrote it; null if that is not known. */
  shown: readonly string[] | null;
  readonly #coordinator: Coordinator;
  readonly #stop = new AbortController();
  #question: string | null = null;

  constructor(name: string, shown: readonly string[] | null, coordinator: Coordinator) {
    this.name = name;
    this.shown = shown;
    this.#coordinator = coordinator;
  }

  /** The question of its command, if it asks one, and the commands that lead to it. */
  get text(): string {
    const state = this.#question === null ? 'running' : `asks: ${this.#question}`;
    return `${state} · \`vtr attach ${this.name}\` · \`vtr answer ${this.name}\``;
  }

  /**
   * Follows what its command asks until it ends.
   *
   * @param onChange called after each change of the text
   * @throws VtrError if the session or the coordinator is gone
   */
  async follow(onChange: () => void): Promise<void> {
    const { signal } = this.#stop;
    const options = { timeoutMs: maxWaitMs, tail: { maxLines: 0 }, signal };
    for (;;) {
      const { outcome, question, mark } = await this.#coordinator.wait(this.name, {
        ...options,
        asks: true,
      });
      if (outcome === 'exited') return;
      if (outcome === 'timed_out') continue;
      this.#question = cleanLine(question ?? '', maxQuestion).trim();
      onChange();
      const since = { since: mark, match: ['(?s).'], raw: true };
      while (
        (await this.#coordinator.wait(this.name, { ...options, ...since })).outcome === 'timed_out'
      );
      this.#question = null;
      onChange();
    }
  }

  dispose(): void {
    this.#stop.abort();
  }
}
