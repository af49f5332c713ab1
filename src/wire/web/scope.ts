import { defined, ignored } from '#base';
import {
  type Client,
  type Coordinator,
  callAs,
  type JsonMessage,
  type StreamedJson,
  type Viewing,
  VtrError,
} from '#model';
import type { Share } from './access/web-access.ts';
import { type FieldRule, notAllowed, pageCall, visitorCall } from './socket/visitor-calls.ts';

/** Viewings and watches that may be named after their streams: a page closes a stream before its viewing. */
const maxEnded = 64;

/** What one connection may call, and for which session. */
export class Scope {
  readonly #share: Share | null;
  /** The name of the page's person for others, if it has one. */
  readonly person: () => string | null;
  /** The ids of the connection's own viewings and watches. */
  readonly #own = new Set<string>();
  /** Those of them whose stream has ended, the oldest first. */
  readonly #ended = new Set<string>();

  /** @param share null: everything */
  constructor(share: Share | null, person: () => string | null = () => null) {
    this.#share = share;
    this.person = person;
  }

  /** The only session that may be seen; null: all. */
  get sessionId(): string | null {
    return this.#share?.sessionId ?? null;
  }

  /** Returns the request to make. @throws VtrError NOT_ALLOWED, INVALID_ARGUMENT */
  call(method: string, message: JsonMessage): JsonMessage {
    const body = withJsonNames(message);
    this.#checkOwn(body);
    const share = this.#share;
    if (share !== null) return visitorRequest(method, body, share, { isStream: false });
    const call = pageCall(method);
    if (call !== null && !call.isStream) return body;
    throw notAllowed(`the page does not call ${method}`);
  }

  /** The same for a stream. */
  stream(method: string, message: JsonMessage): JsonMessage {
    const person = (method === 'View' ? this.person() : null) ?? undefined;
    const body = { ...defined({ person }), ...withJsonNames(message) };
    const share = this.#share;
    if (share !== null) return visitorRequest(method, body, share, { isStream: true });
    if (!pageCall(method)?.isStream) throw notAllowed(`the page does not open ${method}`);
    return method === 'View' ? { person: 'web', ...body, kind: 'VIEWER_KIND_WEB' } : body;
  }

  /** Refuses what is no call of the service and is for those who may type. @throws VtrError NOT_ALLOWED */
  input<Body>(method: string, body: Body): Body {
    if (this.#share === null || this.#share.write) return body;
    throw notAllowed(`this link does not allow ${method}`);
  }

  /** Returns what the page may see of an answer. */
  answered(method: string, answer: JsonMessage): JsonMessage {
    const share = this.#share;
    return share === null ? answer : (visitorCall(method)?.answer?.(answer, share) ?? answer);
  }

  /** Returns a message of a stream as the page may see it; null for none. */
  visible(method: string, message: StreamedJson): StreamedJson | null {
    for (const id of idsIn(message)) {
      this.#own.add(id);
      this.#ended.delete(id);
    }
    return method === 'WatchSessions' && this.#share !== null
      ? onlyOf(this.#share.sessionId, message)
      : message;
  }

  /** The stream that had these ids has ended: they are forgotten when many others have ended. */
  ended(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#ended.add(id);
      if (this.#ended.size <= maxEnded) continue;
      const [oldest = id] = this.#ended;
      this.#ended.delete(oldest);
      this.#own.delete(oldest);
    }
  }

  /** What has an id of a viewing or a watch has one of this connection: only it may use its own. */
  #checkOwn(body: JsonMessage): void {
    for (const name of ['viewer', 'viewId', 'watchId']) {
      const id = body[name];
      if (id === undefined || id === null || (typeof id === 'string' && this.#own.has(id)))
        continue;
      throw notAllowed(`${name} is not of this connection`);
    }
  }
}

/** @throws VtrError NOT_ALLOWED, INVALID_ARGUMENT */
function visitorRequest(
  method: string,
  body: JsonMessage,
  share: Share,
  { isStream }: { readonly isStream: boolean },
): JsonMessage {
  const call = visitorCall(method);
  const isAllowed = call !== null && (call.isStream ?? false) === isStream;
  if (!isAllowed || (call.isInput && !share.write)) {
    throw notAllowed(`this link does not allow ${method}`);
  }
  const fields = Object.entries<FieldRule>(call.fields);
  const unknown = Object.keys(body).find((name) => !Object.hasOwn(call.fields, name));
  if (unknown !== undefined) throw notAllowed(`this link does not allow ${unknown}`);
  const entries = fields.map(([name, rule]) => [name, rule(body[name] ?? undefined, share, name)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Returns the ids of a viewing or a watch in a message of a stream. */
export const idsIn = ({ json: { viewId, watchId } }: StreamedJson): string[] =>
  [viewId, watchId].filter((id) => typeof id === 'string');

/** Names of fields may be those of JSON or of the proto; checks use those of JSON. */
function withJsonNames(body: JsonMessage): JsonMessage {
  const entries = Object.entries(body).map(([name, value]) => [
    name.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase()),
    value,
  ]);
  const named = Object.fromEntries(entries) as JsonMessage;
  if (Object.keys(named).length === entries.length) return named;
  throw new VtrError('INVALID_ARGUMENT', 'a field is given twice');
}

/** Leaves one session in a message of WatchSessions. */
function onlyOf(sessionId: string, message: StreamedJson): StreamedJson | null {
  const { json } = message;
  const { sessions, session, removed, frame } = json as Record<string, JsonMessage | undefined>;
  if (sessions !== undefined) {
    const all = (sessions['sessions'] ?? []) as readonly JsonMessage[];
    const own = all.filter((each) => each['id'] === sessionId);
    return { ...message, json: { ...json, sessions: { sessions: own } } };
  }
  const id = session?.['id'] ?? removed?.['sessionId'] ?? frame?.['sessionId'];
  return id === sessionId ? message : null;
}

/** What the server itself asks of the coordinator, besides the calls of pages. */
export type WebSessions = Pick<
  Coordinator,
  'info' | 'recordings' | 'subscribe' | 'view' | 'sendText' | 'watchSessions'
>;

/** The size of a viewer that only watches has no effect. */
const size = { cols: 80, rows: 24 };

/** Shows a visitor among the viewers of a session, so that its driver knows who watches. */
export class VisitorView {
  readonly #viewing: Promise<Viewing | null>;

  /** @param person the name that others see */
  constructor(sessions: WebSessions, sessionId: string, person: string, client: Client) {
    const view = { name: person, kind: 'web', size, as: 'watch', readOnly: true } as const;
    this.#viewing = callAs(client, () => sessions.view({ name: '', id: sessionId }, view)).catch(
      // The session or the daemon has ended.
      () => null,
    );
  }

  end(): void {
    ignored(
      this.#viewing.then((viewing) => viewing?.dispose()),
      'a view that failed need not be ended',
    );
  }
}
