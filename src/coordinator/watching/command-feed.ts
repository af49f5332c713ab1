import type { Disposable } from '#base';
import {
  type AgentCommand,
  type CommandList,
  type CommandListRequest,
  type CommandRecord,
  commandAtStart,
  type SubscriptionEvent,
} from '#model';
import type { Session } from '#session';

export interface CommandFeedSource {
  readonly session: Session;
  /** The commands of the shell, with secrets replaced if that was requested. */
  list(request: CommandListRequest): CommandList;
  /** All that are kept of those that coding agents ran, with secrets replaced in the same way. */
  agentCommands(): readonly AgentCommand[];
  /** Calls `listener` after each change of what coding agents ran. */
  onAgentChange(listener: () => void): Disposable;
  /** Begins a use of the session. */
  use(): Disposable;
}

/**
 * The commands of a session for one consumer: those that are kept, then each that begins or ends, until the exit.
 * Nothing waits for a slow consumer: what has changed is found out when it takes the next event, so that it skips the
 * commands that are no longer kept.
 */
export class CommandFeed implements AsyncIterator<SubscriptionEvent>, Disposable {
  readonly #source: CommandFeedSource;
  readonly #parts: readonly Disposable[];
  readonly #ready: SubscriptionEvent[];
  readonly #takers: ((result: IteratorResult<SubscriptionEvent>) => void)[] = [];
  readonly #consumer: ToldCommands;
  #exit: SubscriptionEvent | null = null;
  #hasChanged = false;
  #isOver = false;

  /** @param last the number of newest commands in the list that is first; default all */
  constructor(source: CommandFeedSource, atMs: number, last: Pick<CommandListRequest, 'last'>) {
    this.#source = source;
    const { view } = source.session;
    const { revision } = view.terminal;
    const shell = source.list(last);
    const agentCommands = source.agentCommands();
    this.#consumer = new ToldCommands({ ...shell, agentCommands });
    const newest = agentCommands.slice(-(last.last ?? agentCommands.length));
    const list = newest.length === 0 ? shell : { ...shell, agentCommands: newest };
    this.#ready = [{ type: 'commands', list, revision, atMs }];
    if (view.exitStatus !== null)
      this.#exit = { type: 'exit', status: view.exitStatus, revision, atMs };
    this.#parts = [
      source.use(),
      source.onAgentChange(() => this.#change()),
      view.onEvent((event) => {
        if (event.type === 'exit') this.#exit = event;
        if (event.type === 'exit' || event.type === 'mark') this.#change();
      }),
    ];
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<SubscriptionEvent>> {
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#give();
    });
  }

  return(): Promise<IteratorResult<SubscriptionEvent>> {
    this.dispose();
    return Promise.resolve({ done: true, value: undefined });
  }

  dispose(): void {
    this.#end();
    this.#ready.length = 0;
    this.#exit = null;
    this.#give();
  }

  #change(): void {
    this.#hasChanged = true;
    this.#give();
  }

  #give(): void {
    while (this.#takers.length > 0) {
      const value = this.#take();
      if (value === undefined && !this.#isOver) return;
      this.#takers.shift()?.(value === undefined ? { done: true, value } : { done: false, value });
    }
  }

  #take(): SubscriptionEvent | undefined {
    if (this.#ready.length === 0 && this.#hasChanged && !this.#isOver) {
      this.#hasChanged = false;
      const { revision } = this.#source.session.view.terminal;
      const list = this.#source.list(this.#consumer.missing(this.#source.list({ last: 1 })));
      const all = { ...list, agentCommands: this.#source.agentCommands() };
      for (const event of this.#consumer.news(all)) this.#ready.push({ ...event, revision });
    }
    const event = this.#ready.shift();
    if (event !== undefined) return event;
    const exit = this.#exit;
    this.#exit = null;
    if (exit !== null) this.#end();
    return exit ?? undefined;
  }

  #end(): void {
    this.#isOver = true;
    for (const part of this.#parts) part.dispose();
  }
}

type News =
  | { readonly type: 'command'; readonly command: CommandRecord; readonly atMs: number }
  | { readonly type: 'agentCommand'; readonly command: AgentCommand; readonly atMs: number };

/** What a consumer knows of the commands of a session. */
class ToldCommands {
  /** The newest command of the shell that was told; null if there was none. */
  #newest: CommandRecord | null = null;
  readonly #statuses = new Map<number, AgentCommand['status']>();

  constructor({ commands, agentCommands = [] }: CommandList) {
    this.#newest = commands.at(-1) ?? null;
    for (const { number, status } of agentCommands) this.#statuses.set(number, status);
  }

  /** Returns the request for the commands that may be news. @param newest a list of the newest one */
  missing({ commands: [newest] }: CommandList): CommandListRequest {
    const before = this.#before(newest);
    const from = before?.state === 'running' ? before.number : (before?.number ?? 0) + 1;
    return { last: Math.min(1_000, Math.max(1, (newest?.number ?? 0) - from + 1)) };
  }

  /** Returns what of a list was not told. */
  *news({ commands, agentCommands = [] }: CommandList): Generator<News> {
    const before = this.#before(commands.at(-1));
    const newer = commands.filter(({ number }) => number >= (before?.number ?? 0));
    for (const command of newer) {
      const isNew = command.number !== before?.number;
      const { startedAtMs, endedAtMs } = command;
      // Each is told twice, so that a consumer may count them.
      if (isNew) yield { type: 'command', command: commandAtStart(command), atMs: startedAtMs };
      const hasEnded = command.state === 'ended' && (isNew || before.state === 'running');
      if (hasEnded) yield { type: 'command', command, atMs: endedAtMs ?? startedAtMs };
    }
    this.#newest = commands.at(-1) ?? null;
    yield* this.#newsOfAgents(agentCommands);
  }

  *#newsOfAgents(all: readonly AgentCommand[]): Generator<News> {
    const oldest = all[0]?.number ?? 0;
    for (const number of this.#statuses.keys()) if (number < oldest) this.#statuses.delete(number);
    for (const command of all) {
      const { number, status, endedAtMs, startedAtMs } = command;
      if (this.#statuses.get(number) === status) continue;
      this.#statuses.set(number, status);
      yield { type: 'agentCommand', command, atMs: endedAtMs ?? startedAtMs ?? 0 };
    }
  }

  /** Null if the numbers have begun again: the first mark that is verified forgets the commands before it. */
  #before(newest: CommandRecord | undefined): CommandRecord | null {
    const before = this.#newest;
    if (newest === undefined || before === null) return null;
    const isSame = before.number <= newest.number && before.unverified === newest.unverified;
    return isSame ? before : null;
  }
}
