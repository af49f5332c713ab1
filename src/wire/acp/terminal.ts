import { setImmediate as afterPendingIo, setTimeout as pause } from 'node:timers/promises';
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
  /** Why vtr itself ended the program; null where it did not. */
  readonly endedBy: EndedBy | null;
}

export interface TerminalOutput {
  readonly text: string;
  /** Whether some of the beginning was left out. */
  readonly truncated: boolean;
  /** Null while the program runs. */
  readonly exit: TerminalExit | null;
}

/** Never another one of the same name. */
type TerminalSession = Exclude<SessionRef, string>;

/**
 * An agent that kills a program waits for its exit at the same time, and an agent in use releases the
 * terminal there and then: whoever killed it gets so long to ask for the last output.
 */
const aheadMs = 100;

export interface TerminalParts {
  readonly coordinator: Coordinator;
  readonly session: TerminalSession;
  readonly conversationId: string;
  readonly transcript: Transcript;
}

/**
 * One terminal of an agent: a session, and what it wrote so far. Output is taken when it comes, so
 * that nobody who asks has to wait, and so that what was written before the exit is there with it.
 */
export class Terminal {
  readonly session: TerminalSession;
  readonly conversationId: string;
  readonly #coordinator: Coordinator;
  readonly #transcript: Transcript;
  /** What was written before anybody listened is here too. */
  readonly #begun: Promise<void>;
  readonly #exited: Promise<TerminalExit>;
  #exit: TerminalExit | null = null;
  /** When those who wait may be told of it. */
  #killed: Promise<void> | null = null;
  /** What it was lost by. */
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

  /** Resolves when the program has ended. @throws VtrError where the session is lost before */
  get exited(): Promise<TerminalExit> {
    return this.#exited;
  }

  /** @throws VtrError where the session is lost */
  async output(): Promise<TerminalOutput> {
    await this.#begun;
    // An agent in this process that polls without a pause would keep output from ever being read.
    await afterPendingIo();
    if (this.#fault !== null) throw this.#fault;
    const text = String(this.#transcript);
    return { text, truncated: this.#transcript.truncated, exit: this.#exit };
  }

  /** As {@link exited}, after whoever killed the program has been told. */
  async waitForExit(): Promise<TerminalExit> {
    const exit = await this.#exited;
    await this.#killed;
    return exit;
  }

  /** As {@link end}, for one that is told before those who wait for the exit. */
  async kill(): Promise<void> {
    const ended = this.end();
    if (this.#exit === null) this.#killed = ended.catch(() => {}).then(() => pause(aheadMs));
    await ended;
  }

  /**
   * Ends the program with all that it started, and has its last output by then. The session stays,
   * unless a person has removed it.
   *
   * @throws VtrError PTY_ERROR that names what could not be ended, UNAVAILABLE
   */
  async end(): Promise<void> {
    try {
      await this.#coordinator.end(this.session);
    } catch (error) {
      if (asVtrError(error).code !== 'SESSION_NOT_FOUND') throw error;
    }
    // Who waits for the exit hears of a fault.
    await this.#exited.catch(() => {});
  }

  async #begin(events: AsyncIterator<SubscriptionEvent>): Promise<void> {
    const { value } = await events.next();
    if (value?.type === 'snapshot') await this.#catchUp(value.offset);
  }

  async #follow(events: AsyncIterator<SubscriptionEvent>): Promise<TerminalExit> {
    for (;;) {
      const { done, value: event } = await events.next();
      if (done)
        throw new VtrError('UNAVAILABLE', 'the coordinator is gone, and the program with it');
      if (event.type === 'output') this.#transcript.push(event.offset, event.bytes);
      else if (event.type === 'snapshot') await this.#catchUp(event.offset);
      else if (event.type === 'exit') return this.#onExit(event.status);
    }
  }

  /** What came before the events, or instead of those that were left out, as far as it is kept. */
  async #catchUp(offset: number): Promise<void> {
    if (offset <= this.#transcript.offset) return;
    const { raw } = await this.#coordinator.read(this.session, { since: startMark, format: 'raw' });
    if (raw !== undefined) this.#transcript.push(raw.offset, raw.bytes);
    this.#transcript.skipTo(offset);
  }

  async #onExit(status: ExitStatus): Promise<TerminalExit> {
    this.#transcript.end();
    // Somebody may have removed it by now.
    const info = await this.#coordinator.info(this.session).catch(() => null);
    this.#exit = { status, endedBy: info?.endedBy ?? null };
    return this.#exit;
  }
}
