import { quoted } from '#base';
import { asVtrError, type CancelSignal, type Coordinator, type SessionRef, VtrError } from '#model';
import type { AgentTerminal } from './agent-terminal.ts';
import type { AuditTrail } from './audit-trail.ts';
import { HeldLease, Launcher } from './launcher.ts';
import type { TerminalSettings } from './options.ts';
import type { CreateParameters } from './parameters.ts';

/** Limit of names in a message. */
const namesShown = 10;

/** A terminal that is being created. */
interface Opening {
  readonly conversationId: string;
  /** Whether the conversation or connection has ended. */
  isOver: boolean;
}

/** The open terminals of a connection, by name. */
export class OpenTerminals {
  readonly #settings: TerminalSettings;
  readonly #lease: HeldLease;
  readonly #launcher: Launcher;
  readonly #released: ReleasedSessions;
  readonly #terminals = new Map<string, AgentTerminal>();
  readonly #openings = new Map<Opening, Promise<unknown>>();
  #closing: Promise<void> | null = null;

  constructor(coordinator: Coordinator, settings: TerminalSettings, audit: AuditTrail) {
    this.#settings = settings;
    this.#lease = new HeldLease(coordinator);
    this.#launcher = new Launcher({ coordinator, settings, audit, lease: this.#lease });
    this.#released = new ReleasedSessions({ coordinator, ...settings });
  }

  /**
   * Finds a terminal. One of another conversation counts as unknown.
   *
   * @throws VtrError SESSION_NOT_FOUND
   */
  find(conversationId: string, name: string): AgentTerminal {
    const terminal = this.#terminals.get(name);
    if (terminal?.conversationId === conversationId) return terminal;
    const names = this.#namesOf(conversationId);
    const what = `terminal ${quoted(name)} not found`;
    const why = 'it was released, or belongs to another conversation';
    const open = names.length === 0 ? 'none is open' : `open: ${listed(names)}`;
    throw new VtrError(
      'SESSION_NOT_FOUND',
      `${what}: ${why}; ${open}; terminal/create creates another`,
      { details: { uri: name } },
    );
  }

  /** @throws VtrError as `Coordinator.spawn`, MAX_SESSIONS, CANCELLED, UNAVAILABLE */
  open(parameters: CreateParameters, signal: CancelSignal): Promise<AgentTerminal> {
    const opening = { conversationId: parameters.conversationId, isOver: false };
    const opened = this.#open(opening, parameters, signal).finally(() =>
      this.#openings.delete(opening),
    );
    this.#openings.set(opening, opened);
    return opened;
  }

  /** Makes a terminal unknown at once. Resolves when its program has ended. */
  release(terminal: AgentTerminal): Promise<void> {
    this.#terminals.delete(terminal.name);
    return this.#letGo(terminal);
  }

  /** Releases terminals, including those that are being created. */
  async releaseConversation(conversationId: string): Promise<void> {
    for (const each of this.#openings.keys())
      each.isOver ||= each.conversationId === conversationId;
    const own = this.#all().filter((each) => each.conversationId === conversationId);
    await Promise.all(own.map((each) => this.release(each)));
  }

  /** Releases all. Resolves when no program runs. Nothing can be opened after this call. */
  close(): Promise<void> {
    for (const each of this.#openings.keys()) each.isOver = true;
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #open(
    opening: Opening,
    parameters: CreateParameters,
    signal: CancelSignal,
  ): Promise<AgentTerminal> {
    try {
      this.#checkOpen();
      this.#checkCount(parameters.conversationId);
      const terminal = await this.#launcher.launch(parameters);
      if (signal.aborted || opening.isOver) await this.#letGo(terminal);
      if (signal.aborted) throw new VtrError('CANCELLED', 'the request was cancelled');
      this.#checkOpen();
      if (opening.isOver) throw new VtrError('UNAVAILABLE', 'the conversation has ended');
      this.#terminals.set(terminal.name, terminal);
      return terminal;
    } catch (error) {
      this.#launcher.refused(parameters, error);
      throw error;
    }
  }

  async #close(): Promise<void> {
    // Both end the programs; the lease ends all of them in one call.
    const endings = await Promise.allSettled([
      this.#lease.close(),
      ...this.#all().map((each) => this.release(each)),
    ]);
    for (const ending of endings) {
      if (ending.status === 'rejected') this.#settings.onFault(ending.reason);
    }
    // Programs that were starting are ended by their own requests, which report failures.
    await Promise.allSettled(this.#openings.values());
  }

  /** Ends the program and keeps its session for a while. */
  async #letGo(terminal: AgentTerminal): Promise<void> {
    try {
      await terminal.end();
    } finally {
      await this.#released.keep(terminal.session);
    }
  }

  #all(): AgentTerminal[] {
    return [...this.#terminals.values()];
  }

  /** Only the conversation's own names are revealed. */
  #namesOf(conversationId: string): string[] {
    const own = this.#all().filter((each) => each.conversationId === conversationId);
    return own.map(({ name }) => name);
  }

  #checkOpen(): void {
    if (this.#closing === null) return;
    throw new VtrError('UNAVAILABLE', 'the connection is closed and its terminals are released');
  }

  #checkCount(conversationId: string): void {
    const { maxTerminals } = this.#settings;
    const count = this.#terminals.size + this.#openings.size;
    if (count < maxTerminals) return;
    const names = this.#namesOf(conversationId);
    const own = names.length === 0 ? 'none in this conversation' : `for example ${listed(names)}`;
    throw new VtrError(
      'MAX_SESSIONS',
      `${count} terminals are open, the limit is ${maxTerminals}; release one with terminal/release: ${own}`,
      { details: { maxTerminals } },
    );
  }
}

const listed = (names: readonly string[]): string => {
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
  return `${names.slice(0, namesShown).join(', ')}${more}`;
};

export interface ReleasedOptions {
  readonly coordinator: Coordinator;
  readonly keepReleasedMs: number;
  readonly maxKeptReleased: number;
  readonly onFault: (error: unknown) => void;
}

/** Sessions of released terminals. They stay readable for a while, then they are removed. */
export class ReleasedSessions {
  readonly #options: ReleasedOptions;
  /** Oldest first. */
  readonly #timers = new Map<SessionRef, NodeJS.Timeout>();

  constructor(options: ReleasedOptions) {
    this.#options = options;
  }

  /** Keeps a session. Resolves when excess sessions are removed. */
  async keep(session: SessionRef): Promise<void> {
    const { keepReleasedMs, maxKeptReleased } = this.#options;
    // The timer does not keep the process alive: the coordinator removes the session too, later.
    this.#timers.set(session, setTimeout(() => this.#remove(session), keepReleasedMs).unref());
    const count = keepReleasedMs === 0 ? this.#timers.size : this.#timers.size - maxKeptReleased;
    const excess = [...this.#timers.keys()].slice(0, Math.max(0, count));
    await Promise.all(excess.map((each) => this.#remove(each)));
  }

  async #remove(session: SessionRef): Promise<void> {
    clearTimeout(this.#timers.get(session));
    this.#timers.delete(session);
    try {
      await this.#options.coordinator.remove(session);
    } catch (error) {
      const { code } = asVtrError(error);
      if (code !== 'SESSION_NOT_FOUND' && code !== 'UNAVAILABLE') this.#options.onFault(error);
    }
  }
}
