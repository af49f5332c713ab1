import { type Coordinator, redactingCoordinator, type SessionRef, VtrError } from '#model';
import type { Terminal } from '#vt';
import { problemText } from '../../problem-text.ts';
import type { Action, Answer } from '../action.ts';
import type { Effect, Read } from '../effect.ts';
import type { FoundInSession } from '../overlays/overlay.ts';
import { effectivePattern } from '../scroll/searching.ts';
import { frozenLines, linesIn, linesOfAnsi } from './frozen-lines.ts';

export interface ViewReadsOptions {
  readonly coordinator: Coordinator;
  readonly session: SessionRef;
  /** A copy of the session's terminal, as far as its lines are in this process; null if none are. */
  readonly terminal: () => Terminal | null;
}

/** Lines with a match in one answer of the coordinator. */
const foundAtOnce = 10_000;
/** Lines with a match that are listed for one session. */
const foundInOne = 200;
/** Output of a command that is copied, in bytes. */
const maxCopiedBytes = 4 * 1024 * 1024;

type Of<Type extends Read['type']> = Extract<Read, { type: Type }>;

/** Reads what a view needs: from the terminal in this process if it is there, else from the coordinator. */
export class ViewReads {
  readonly #options: ViewReadsOptions;

  constructor(options: ViewReadsOptions) {
    // A person sees what is there.
    this.#options = { ...options, coordinator: redactingCoordinator(options.coordinator, false) };
  }

  /** Returns the answer to an effect, at once if possible; null if it is not answered here. */
  run(effect: Effect): Action | Promise<Action> | null {
    const answer = this.#answer(effect);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => ({ type: 'notice', text: problemText(error) }));
  }

  #answer(effect: Effect): Answer | Promise<Answer> | null {
    switch (effect.type) {
      case 'freeze':
        return this.#frozen();
      case 'readLines':
        return this.#lines(effect);
      case 'compile':
        return compiled(effect);
      case 'search':
        return this.#search(effect);
      case 'commands':
        return this.#commands();
      case 'readTexts':
        return this.#texts(effect);
      case 'copyOutput':
        return this.#output(effect);
      case 'grepAll':
        return grepped(this.#options.coordinator, effect.pattern);
      default:
        return null;
    }
  }

  #frozen(): Answer {
    const terminal = this.#options.terminal();
    if (terminal === null) throw new VtrError('UNAVAILABLE', 'the session is not connected');
    return { type: 'frozen', frozen: frozenLines(terminal) };
  }

  #lines({ from, to }: Of<'readLines'>): Answer | Promise<Answer> {
    const terminal = this.#options.terminal();
    if (terminal !== null && terminal.firstLine <= from && to <= terminal.endLine) {
      return { type: 'lines', first: 0, from, to, lines: linesIn(terminal, from, to) };
    }
    return this.#remoteLines(from, to);
  }

  async #remoteLines(from: number, to: number): Promise<Answer> {
    const { coordinator, session } = this.#options;
    const read = await coordinator.readLines(session, { from, to, format: 'ansi' });
    const lines = await linesOfAnsi(read.lines);
    return { type: 'lines', first: read.firstLine, from, to, lines };
  }

  async #search({ id, pattern, from, to }: Of<'search'>): Promise<Answer> {
    const { coordinator, session } = this.#options;
    const request = { pattern, from, to, maxMatches: foundAtOnce };
    const { matches, truncated } = await coordinator.search(session, request);
    const lines = matches.map(({ line }) => line);
    const last = lines.at(-1);
    return { type: 'found', id, lines, next: truncated && last !== undefined ? last + 1 : null };
  }

  async #commands(): Promise<Answer> {
    const { coordinator, session } = this.#options;
    const { commands } = await coordinator.commands(session);
    return { type: 'commands', commands };
  }

  async #texts({ id, from, to }: Of<'readTexts'>): Promise<Answer> {
    const { coordinator, session } = this.#options;
    const { lines, dropped } = await coordinator.readLines(session, { from, to, format: 'text' });
    if (dropped > 0)
      throw new VtrError('INVALID_ARGUMENT', 'the first of these lines are no longer kept');
    return { type: 'texts', id, texts: lines.map(({ text }) => text) };
  }

  async #output({ command }: Of<'copyOutput'>): Promise<Answer> {
    const { coordinator, session } = this.#options;
    const output = await coordinator.commandOutput(session, { command, maxBytes: maxCopiedBytes });
    const { text, gap } = output;
    const isCut = text.omitted !== null || gap.lines > 0;
    const of = `${output.command.line ?? `command ${output.command.number}`}${isCut ? ' (its end)' : ''}`;
    return { type: 'output', text: text.tail, of };
  }
}

/** Compiles a pattern. The library for it is loaded only for this. */
async function compiled({ id, pattern }: Of<'compile'>): Promise<Answer> {
  const { Pattern } = await import('#watch');
  try {
    const compiledPattern = new Pattern(pattern);
    return { type: 'compiled', id, matcher: (text) => compiledPattern.findAll(text) };
  } catch (error) {
    return { type: 'compiled', id, matcher: problemText(error) };
  }
}

/** Searches all sessions of a coordinator. */
async function grepped(coordinator: Coordinator, pattern: string): Promise<Answer> {
  const sessions = await coordinator.list();
  const request = { pattern: effectivePattern(pattern), maxMatches: foundInOne };
  const results = await Promise.all(
    sessions.map(async ({ name, id }) => {
      const result = await coordinator.search({ name, id }, request);
      return { ...result, session: name };
    }),
  );
  const found = results.flatMap(({ session, matches }) =>
    matches.map(({ line, text }): FoundInSession => ({ session, line, text })),
  );
  return {
    type: 'grepped',
    pattern,
    found,
    isTruncated: results.some(({ truncated }) => truncated),
  };
}
