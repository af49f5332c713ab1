import { setTimeout } from 'node:timers/promises';
import { defined, ignored, sanitize } from '#base';
import {
  type Coordinator,
  type Excerpt,
  type ExitStatus,
  exitText,
  maxWaitMs,
  type ReadMark,
} from '#model';

/** Time between two updates, in ms: an editor redraws the whole tool call for each. */
const pauseMs = 250;

const nothing = { maxLines: 0 };

/** Locates a terminal. */
export interface TerminalSource {
  /** Name of its session. */
  readonly name: string | Promise<string>;
  /** False while its command has not run; there is no session then. */
  readonly hasBegun?: boolean;
  /** What the agent said of a command that it did not run; null if it may run or has run. */
  readonly refusal?: string | null;
  /** Resolves when the session has all output so far. */
  taken?(): Promise<unknown>;
}

/** A terminal's latest text. It stays after the terminal is gone. */
export class LiveText {
  readonly #source: TerminalSource;
  readonly #coordinator: Coordinator;
  readonly #stop = new AbortController();
  #text = 'the terminal is not available';
  #shown: ShownTerminal | null = null;
  #exitStatus: ExitStatus | null = null;
  #mark: ReadMark | null = null;
  #isFinal = false;
  #following: Promise<void> | null = null;
  #refreshed: Promise<void> = Promise.resolve();

  constructor(source: TerminalSource, coordinator: Coordinator) {
    this.#source = source;
    this.#coordinator = coordinator;
  }

  get text(): string {
    return this.#text;
  }

  /** Whether the text cannot change any more. */
  get isFinal(): boolean {
    return this.#isFinal;
  }

  /**
   * Updates the text. If the session is gone, the last text stays. Updates run one after another, so
   * that an older one cannot overwrite a newer one.
   */
  refresh(): Promise<void> {
    this.#refreshed = this.#refreshed.then(() => this.#refresh());
    return this.#refreshed;
  }

  /** @param onChange called after each change; the next update waits for it */
  follow(onChange: () => Promise<void>): void {
    if (this.#isFinal) return;
    this.#following ??= this.#follow(onChange);
  }

  dispose(): void {
    this.#stop.abort();
  }

  async #refresh(): Promise<void> {
    if (this.#isFinal) return;
    if (this.#source.hasBegun === false) {
      this.#text = `${fenced(sanitize(this.#source.refusal ?? '').text.trimEnd())}its command has not run`;
      return;
    }
    try {
      await this.#source.taken?.();
      const name = await this.#source.name;
      // The state first: if the program has ended, the read has all its output.
      const { exitStatus } = await this.#coordinator.wait(name, { timeoutMs: 0, tail: nothing });
      this.#exitStatus = exitStatus;
      const { text: output, mark } = await this.#coordinator.read(name, shownBudget);
      this.#mark = mark;
      this.#show({ name, output, exitStatus });
    } catch {
      if (this.#shown !== null) {
        this.#show({ ...this.#shown, exitStatus: this.#exitStatus, isGone: true });
      }
      this.#isFinal = true;
    }
  }

  #show(shown: ShownTerminal): void {
    this.#shown = shown;
    this.#text = terminalText(shown);
    this.#isFinal = shown.exitStatus !== null;
  }

  async #follow(onChange: () => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    while (!this.#isFinal && !signal.aborted) {
      await ignored(this.#untilMoreOutput(), 'the refresh finds out why');
      if (signal.aborted) return;
      const before = this.#text;
      await this.refresh();
      if (this.#text !== before) await onChange();
    }
  }

  async #untilMoreOutput(): Promise<void> {
    const { signal } = this.#stop;
    const { exitStatus } = await this.#coordinator.wait(await this.#source.name, {
      ...defined({ since: this.#mark }),
      match: ['(?s).'],
      raw: true,
      timeoutMs: maxWaitMs,
      tail: nothing,
      signal,
    });
    this.#exitStatus = exitStatus;
    if (exitStatus === null) await setTimeout(pauseMs, null, { signal, ref: false });
  }
}

/** The end of the output; for more, people use `vtr attach`, or `vtr screen`. */
const shownBudget = { maxLines: 60, maxBytes: 8 * 1024, keep: 'tail' } as const;

export interface ShownTerminal {
  readonly name: string;
  readonly output: Excerpt;
  /** Null while the program runs. */
  readonly exitStatus: ExitStatus | null;
  /** Whether the session was removed. */
  readonly isGone?: boolean;
}

/** Returns a terminal as Markdown: the end of its output, its state, and the commands that show all of it. */
export function terminalText({ name, output, exitStatus, isGone }: ShownTerminal): string {
  const text = sanitize(output.tail).text.trimEnd();
  const { omitted } = output;
  // The line number counts lines that the scrollback has dropped, too.
  const left = omitted === null ? [] : [`... ${omitted.toLine ?? omitted.lines} lines before`];
  const shown = fenced([...left, ...(text === '' ? [] : [text])].join('\n'));
  if (isGone) return `${shown}${exitStatus === null ? 'ended' : exitText(exitStatus)}`;
  return `${shown}${exitStatus === null ? 'running' : exitText(exitStatus)} · \`vtr attach ${name}\` · \`vtr screen ${name}\``;
}

/** Returns lines as a code block, with a line end after it; nothing for none. */
function fenced(lines: string): string {
  if (lines === '') return '';
  const fence = fenceFor(lines);
  return `${fence}\n${lines}\n${fence}\n`;
}

/** Returns a fence longer than any run of backticks in the text (CommonMark 4.5). */
function fenceFor(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((max, [run]) => Math.max(max, run.length), 2);
  return '`'.repeat(longest + 1);
}
