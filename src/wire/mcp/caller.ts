import { quoted } from '#base';
import { asVtrError, type Coordinator, type Sender, type Size, VtrError } from '#model';
import type { McpOptions } from './options.ts';
import { SessionReadMarks } from './reading/read-marks.ts';
import { Recent } from './recent.ts';
import type { SessionHost } from './redacted-host.ts';
import type { Service } from './service.ts';
import { KnownSessions } from './termcp/known-sessions.ts';
import { UnreadBytes } from './termcp/unread-bytes.ts';

/** One client of a server, with its state between calls. */
export class Caller {
  readonly service: Service;
  readonly marks = new SessionReadMarks();
  /** Toolset termcp only. */
  readonly sessions = new KnownSessions();
  readonly unread: UnreadBytes;
  /** The size in the last answer of terminal__create_session. */
  createdSize: Size | null = null;
  /** The variables that terminal__create_session has named as not passed. */
  notPassed: readonly string[] = [];
  /** Sessions with input of a call that was cancelled since the last answer about them, by the name in the call. */
  readonly cancelledIn = new Set<string>();
  /** The name of the client's program, for people. */
  agent = 'mcp';

  constructor(service: Service) {
    this.service = service;
    const { stripAnsi = false, maxBufferBytes = 0 } = service.options.termcp ?? {};
    this.unread = new UnreadBytes({ strip: stripAnsi, maxBytes: maxBufferBytes });
  }

  get host(): SessionHost {
    return this.service.host;
  }

  /** Whether answers leave out fields without news. */
  get isLean(): boolean {
    return this.options.answers !== 'full' && this.options.termcp === null;
  }

  /** Whether answers have no structured content. */
  get isTextOnly(): boolean {
    return this.options.answers === 'text';
  }

  get options(): McpOptions {
    return this.service.options;
  }

  /** Returns the coordinator that may have the session. @throws VtrError SESSION_NOT_FOUND, UNAVAILABLE */
  async coordinatorOf(session: string): Promise<Coordinator> {
    const coordinator = await this.host.reach();
    if (coordinator !== null) return coordinator;
    throw new VtrError('SESSION_NOT_FOUND', `no session ${quoted(session)}`);
  }

  /** See {@link Service.oneAtATime}. */
  oneAtATime<T>(operation: () => Promise<T>): Promise<T> {
    return this.service.oneAtATime(operation);
  }
}

const maxCallers = 1000;

/** HTTP clients by name: their requests share no connection. */
export class Callers {
  readonly #service: Service;
  readonly #callers = new Recent<Caller>(maxCallers);

  constructor(service: Service) {
    this.#service = service;
  }

  of(name: string): Caller {
    return this.#callers.touch(name, this.#callers.get(name) ?? new Caller(this.#service));
  }
}

/**
 * Sends input with the epoch of the session that this client knows: once a person has driven it since,
 * the input fails, and the client knows the new one.
 *
 * @param sessionId never reused
 */
export async function sendKnowing<T extends { readonly driverEpoch?: number }>(
  caller: Caller,
  sessionId: string,
  send: (sender: Sender) => Promise<T>,
): Promise<T> {
  const marks = caller.marks.of(sessionId);
  const fields = marks.epoch === null ? {} : { driverEpoch: marks.epoch };
  try {
    const result = await send({ by: caller.agent, ...fields });
    marks.epoch = result.driverEpoch ?? marks.epoch;
    // It may be the answer.
    marks.question = null;
    return result;
  } catch (error) {
    const { code, details } = asVtrError(error);
    const { epoch, driver } = details;
    if (code === 'NOT_DRIVER' && typeof epoch === 'number') {
      // Sent now, the new epoch could be taken for the input of the person who drives.
      marks.epoch = driver === undefined ? epoch : (marks.epoch ?? epoch - 1);
    }
    throw error;
  }
}
