import { setImmediate as afterPendingIo, setTimeout as pause } from 'node:timers/promises';
import { ignored } from '#base';
import {
  asVtrError,
  type Coordinator,
  type EndedBy,
  type ExitStatus,
  type SessionRef,
  type SubscriptionEvent,
  startMark,
  VtrError,
} from '#model';
import type { Transcript } from './transcript.ts';

export interface TerminalExit {
  readonly status: ExitStatus;
  /** Why vtr ended the program; null if it did not. */
  readonly endedBy: EndedBy | null;
}

export interface TerminalOutput {
  readonly text: string;
  /** Whether the beginning was dropped. */
  readonly truncated: boolean;
  /** Null while the program runs. */
  readonly exit: TerminalExit | null;
}

/** With its id, so that it never means another session of the same name. */
type TerminalSession = Exclude<SessionRef, string>;

/**
 * Delay of `terminal/wait_for_exit` after `terminal/kill`, in ms. Some agents release the terminal as
 * soon as the exit is reported; the delay lets the agent that killed the program read its last output.
 */
const aheadMs = 100;

export interface TerminalParts {
  readonly coordinator: Coordinator;
  readonly session: TerminalSession;
  readonly conversationId: string;
  readonly transcript: Transcript;
}

/**
 * One terminal of an agent: a session and its output so far. Output is collected as it arrives, so
 * that requests do not wait, and so that all output precedes the exit.
 */
export class AgentTerminal {
  readonly session: TerminalSession;
  readonly conversationId: string;
  readonly #coordinator: Coordinator;
  readonly #transcript: Transcript;
  /** Resolves when the output from before the subscription is collected. */
  readonly #begun: Promise<void>;
  readonly #exited: Promise<TerminalExit>;
  #exit: TerminalExit | null = null;
  /** Resolves when waits may report the exit of a killed program. */
  #killed: Promise<void> | null = null;
  /** Why the session was lost. */
  #fault: unknown = null;

  constructor({ coordinator, session, conversationId, transcript }: TerminalParts) {
    this.session = session;
    this.conversationId = conversationId;
    this.#coordinator = coordinator;
    this.#transcript = transcript;
    const events = coordinator.subscribe(session).then((each) => each[Symbol.asyncIterator]());
    this.#begun = events.then((each) => this.#begin(each));
    this.#exited = this.#begun.then(() => events).then((each) => this.#follow(each));
    this.#exited.catch((error) => {
      this.#fault = error;
    });
  }

  get name(): string {
    return this.session.name;
  }

  /** Resolves when the program has ended. @throws VtrError if the session is lost before */
  get exited(): Promise<TerminalExit> {
    return this.#exited;
  }

  /** @throws VtrError if the session is lost */
  async output(): Promise<TerminalOutput> {
    await this.#begun;
    // Otherwise an agent in this process that polls without a pause would block the reading of output.
    await afterPendingIo();
    if (this.#fault !== null) throw this.#fault;
    const text = String(this.#transcript);
    return { text, truncated: this.#transcript.truncated, exit: this.#exit };
  }

  /** As {@link exited}, but after the answer to `kill`. */
  async waitForExit(): Promise<TerminalExit> {
    const exit = await this.#exited;
    await this.#killed;
    return exit;
  }

  /** As {@link end}, but resolves before {@link waitForExit}. */
  async kill(): Promise<void> {
    const ended = this.end();
    if (this.#exit === null)
      this.#killed = ignored(ended, 'the caller gets the error').then(() => pause(aheadMs));
    await ended;
  }

  /**
   * Ends the program and its descendants. Resolves when its last output is collected. The session
   * stays, unless a person removed it.
   *
   * @throws VtrError PTY_ERROR that names what could not be ended, UNAVAILABLE
   */
  async end(): Promise<void> {
    try {
      await this.#coordinator.end(this.session);
    } catch (error) {
      if (asVtrError(error).code !== 'SESSION_NOT_FOUND') throw error;
    }
    await ignored(this.#exited, '`waitForExit` reports it');
  }

  async #begin(events: AsyncIterator<SubscriptionEvent>): Promise<void> {
    const { value } = await events.next();
    if (value?.type === 'snapshot') await this.#catchUp(value.offset);
  }

  async #follow(events: AsyncIterator<SubscriptionEvent>): Promise<TerminalExit> {
    for (;;) {
      const { done, value: event } = await events.next();
      if (done)
        throw new VtrError(
          'UNAVAILABLE',
          'the connection to the coordinator was lost, and the program has ended',
        );
      if (event.type === 'output') this.#transcript.push(event.offset, event.bytes);
      else if (event.type === 'snapshot') await this.#catchUp(event.offset);
      else if (event.type === 'exit') return this.#onExit(event.status);
    }
  }

  /** Collects output from before the events, or in place of dropped ones, as far as it is kept. */
  async #catchUp(offset: number): Promise<void> {
    if (offset <= this.#transcript.offset) return;
    const { raw } = await this.#coordinator.read(this.session, { since: startMark, format: 'raw' });
    if (raw !== undefined) this.#transcript.push(raw.offset, raw.bytes);
    this.#transcript.skipTo(offset);
  }

  async #onExit(status: ExitStatus): Promise<TerminalExit> {
    this.#transcript.end();
    // The session may have been removed.
    const info = await this.#coordinator.info(this.session).catch(() => null);
    this.#exit = { status, endedBy: info?.endedBy ?? null };
    return this.#exit;
  }
}
