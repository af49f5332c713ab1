import { type Coordinator, VtrError } from '#model';
import type { McpOptions } from './options.ts';
import { ReadPlaces } from './reading/read-marks.ts';
import type { Service } from './service.ts';
import type { SessionHost } from './session-host.ts';
import { KnownSessions } from './termcp/known-sessions.ts';
import { UnreadBytes } from './termcp/unread-bytes.ts';

/** One client of a server, and what is kept for it between its calls. */
export class Caller {
  readonly service: Service;
  readonly places = new ReadPlaces();
  /** For the toolset termcp. */
  readonly known = new KnownSessions();
  readonly unread: UnreadBytes;

  constructor(service: Service) {
    this.service = service;
    const { stripAnsi = false, maxBufferBytes = 0 } = service.options.termcp ?? {};
    this.unread = new UnreadBytes({ strip: stripAnsi, maxBytes: maxBufferBytes });
  }

  get host(): SessionHost {
    return this.service.host;
  }

  get options(): McpOptions {
    return this.service.options;
  }

  /** Who has the session, if anybody. @throws VtrError SESSION_NOT_FOUND, UNAVAILABLE */
  async coordinatorOf(session: string): Promise<Coordinator> {
    const coordinator = await this.host.reach();
    if (coordinator !== null) return coordinator;
    throw new VtrError('SESSION_NOT_FOUND', `there is no session ${JSON.stringify(session)}`);
  }

  /** As {@link Service.inTurn}, with those of all clients. */
  inTurn<T>(operation: () => Promise<T>): Promise<T> {
    return this.service.inTurn(operation);
  }
}
