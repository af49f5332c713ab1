import { asVtrError, type CancelSignal, type Coordinator, type SessionRef, VtrError } from '#model';
import type { AuditTrail } from './audit-trail.ts';
import { HeldLease } from './held-lease.ts';
import { Launcher } from './launcher.ts';
import type { TerminalSettings } from './options.ts';
import type { CreateParameters } from './parameters.ts';
import type { Terminal } from './terminal.ts';

/** Names that a message lists. */
const namesShown = 10;
/** Characters of a name that is none. */
const nameShown = 64;

/** A terminal that is being made. */
interface Opening {
  readonly conversationId: string;
  /** Nobody is there any more for whom it is made. */
  isOver: boolean;
}

/** The terminals of a connection that are not released, by name. */
export class OpenTerminals {
  readonly #settings: TerminalSettings;
  readonly #lease: HeldLease;
  readonly #launcher: Launcher;
  readonly #released: ReleasedSessions;
  readonly #terminals = new Map<string, Terminal>();
  readonly #openings = new Set<Opening>();
  #closing: Promise<void> | null = null;

  constructor(coordinator: Coordinator, settings: TerminalSettings, audit: AuditTrail) {
    this.#settings = settings;
    this.#lease = new HeldLease(coordinator);
    this.#launcher = new Launcher({ coordinator, settings, audit, lease: this.#lease });
    this.#released = new ReleasedSessions({ coordinator, ...settings });
  }

  /**
   * A terminal of another conversation is as unknown as one that never was.
   *
   * @throws VtrError SESSION_NOT_FOUND
   */
  find(conversationId: string, name: string): Terminal {
    const terminal = this.#terminals.get(name);
    if (terminal?.conversationId === conversationId) return terminal;
    const names = this.#namesOf(conversationId);
    const what = `terminal ${JSON.stringify(name.slice(0, nameShown))} not found`;
    const why = 'it was released, or is none of this conversation';
    const hint = names.length === 0 ? 'there is none' : `there are ${listed(names)}`;
    throw new VtrError(
      'SESSION_NOT_FOUND',
      `${what}: ${why}; ${hint}, terminal/create makes another`,
      { details: { uri: name } },
    );
  }

  /** @throws VtrError as `Coordinator.spawn`, MAX_SESSIONS, CANCELLED, UNAVAILABLE */
  async open(asked: CreateParameters, signal: CancelSignal): Promise<Terminal> {
    const opening = { conversationId: asked.conversationId, isOver: false };
    this.#openings.add(opening);
    try {
      this.#checkOpen();
      this.#checkRoom(asked.conversationId);
      const terminal = await this.#launcher.launch(asked);
      if (signal.aborted || opening.isOver) await this.#letGo(terminal);
      if (signal.aborted) throw new VtrError('CANCELLED', 'the request was cancelled');
      this.#checkOpen();
      if (opening.isOver) throw new VtrError('UNAVAILABLE', 'the conversation is over');
      this.#terminals.set(terminal.name, terminal);
      return terminal;
    } catch (error) {
      this.#launcher.refused(asked, error);
      throw error;
    } finally {
      this.#openings.delete(opening);
    }
  }

  /** It can be found no more from the call on. Resolves when its program has ended. */
  release(terminal: Terminal): Promise<void> {
    this.#terminals.delete(terminal.name);
    return this.#letGo(terminal);
  }

  /** Those that are being made too, when they are. */
  async releaseConversation(conversationId: string): Promise<void> {
    for (const each of this.#openings) each.isOver ||= each.conversationId === conversationId;
    const own = this.#all().filter((each) => each.conversationId === conversationId);
    await Promise.all(own.map((each) => this.release(each)));
  }

  /** Resolves when nothing runs. Nothing can be opened from the call on. */
  close(): Promise<void> {
    for (const each of this.#openings) each.isOver = true;
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Both end the programs; the lease has all of them, and costs one call.
    const endings = await Promise.allSettled([
      this.#lease.close(),
      ...this.#all().map((each) => this.release(each)),
    ]);
    for (const ending of endings) {
      if (ending.status === 'rejected') this.#settings.onFault(ending.reason);
    }
  }

  /** Its session can still be seen for a while. */
  async #letGo(terminal: Terminal): Promise<void> {
    try {
      await terminal.end();
    } finally {
      await this.#released.keep(terminal.session);
    }
  }

  #all(): Terminal[] {
    return [...this.#terminals.values()];
  }

  /** An agent is told of no other's. */
  #namesOf(conversationId: string): string[] {
    const own = this.#all().filter((each) => each.conversationId === conversationId);
    return own.map(({ name }) => name);
  }

  #checkOpen(): void {
    if (this.#closing === null) return;
    throw new VtrError('UNAVAILABLE', 'the connection is closed, and its terminals are released');
  }

  #checkRoom(conversationId: string): void {
    const { maxTerminals } = this.#settings;
    // Without the one that asks.
    const count = this.#terminals.size + this.#openings.size - 1;
    if (count < maxTerminals) return;
    const names = this.#namesOf(conversationId);
    const own = names.length === 0 ? 'none is of this conversation' : `e.g. ${listed(names)}`;
    throw new VtrError(
      'MAX_SESSIONS',
      `${count} of ${maxTerminals} terminals are not released; release one with terminal/release, ${own}`,
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

/** Sessions whose terminals were released: they can be looked at for a while, and go then. */
export class ReleasedSessions {
  readonly #options: ReleasedOptions;
  /** Oldest first. */
  readonly #kept = new Map<SessionRef, NodeJS.Timeout>();

  constructor(options: ReleasedOptions) {
    this.#options = options;
  }

  /** Resolves when nothing is there any more of what is not to be kept. */
  async keep(session: SessionRef): Promise<void> {
    const { keepReleasedMs, maxKeptReleased } = this.#options;
    // No process is kept alive for it: the coordinator forgets the session itself in the end.
    this.#kept.set(session, setTimeout(() => this.#remove(session), keepReleasedMs).unref());
    const count = keepReleasedMs === 0 ? this.#kept.size : this.#kept.size - maxKeptReleased;
    const excess = [...this.#kept.keys()].slice(0, Math.max(0, count));
    await Promise.all(excess.map((each) => this.#remove(each)));
  }

  async #remove(session: SessionRef): Promise<void> {
    clearTimeout(this.#kept.get(session));
    this.#kept.delete(session);
    try {
      await this.#options.coordinator.remove(session);
    } catch (error) {
      const { code } = asVtrError(error);
      if (code !== 'SESSION_NOT_FOUND' && code !== 'UNAVAILABLE') this.#options.onFault(error);
    }
  }
}
