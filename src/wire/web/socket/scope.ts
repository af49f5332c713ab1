import { type JsonMessage, type StreamedJson, VtrError } from '#model';
import type { Share } from '../access/web-access.ts';

/** The calls of a page that may do everything. */
const fullCalls: ReadonlySet<string> = new Set([
  ...['List', 'Info', 'Spawn', 'Revive', 'End', 'Kill', 'Remove', 'Rename', 'SetLabels', 'Resize'],
  ...['GetScreen', 'ReadLines', 'Read', 'Grep', 'ListCommands', 'GetCommandOutput', 'GetActivity'],
  ...['SendText', 'SendKey', 'SendBytes', 'SendMouse', 'SendFocus'],
  ...['UpdateView', 'CloseView', 'SetWatchFrames', 'SetMarker', 'ListRecordings'],
]);

const fullStreams: ReadonlySet<string> = new Set([
  ...['WatchSessions', 'View', 'Subscribe', 'DumpRecording'],
]);

/** How a share is kept to its session: its own is put into the request, or it names a viewing. */
type Bound = 'session' | 'view' | 'watch';

const sharedCalls: Readonly<Record<string, Bound>> = {
  Info: 'session',
  ReadLines: 'session',
  ListCommands: 'session',
  GetCommandOutput: 'session',
  Grep: 'session',
  UpdateView: 'view',
  CloseView: 'view',
  SetWatchFrames: 'watch',
};

/** With the id of a viewing. */
const sharedInput: ReadonlySet<string> = new Set([
  ...['SendText', 'SendKey', 'SendBytes', 'SendMouse', 'SendFocus', 'Resize'],
]);

const sharedStreams: ReadonlySet<string> = new Set(['WatchSessions', 'View', 'Subscribe']);

const watch = 'VIEW_AS_WATCH';
const take = 'VIEW_AS_TAKE';

/** Viewings and watches that may be named after their streams: a page closes a stream before its viewing. */
const maxEnded = 64;

/** What one connection may call, and for which session. */
export class Scope {
  readonly #share: Share | null;
  /** The ids of the connection's own viewings and watches. */
  readonly #own = new Set<string>();
  /** Those of them whose stream has ended, the oldest first. */
  readonly #ended = new Set<string>();

  /** @param share null: everything */
  constructor(share: Share | null) {
    this.#share = share;
  }

  /** The only session that may be seen; null: all. */
  get sessionId(): string | null {
    return this.#share?.sessionId ?? null;
  }

  /** Returns the request to make. @throws VtrError NOT_ALLOWED, INVALID_ARGUMENT */
  call(method: string, given: JsonMessage): JsonMessage {
    const body = withJsonNames(given);
    this.#checkOwn(body);
    if (this.#share === null) {
      if (fullCalls.has(method)) return body;
      throw notAllowed(`the page does not call ${method}`);
    }
    if (this.#share.write && sharedInput.has(method)) {
      if (typeof body['viewer'] === 'string') return this.#toSession(body);
      throw notAllowed('input with this link needs a viewing (View)');
    }
    const bound = Object.hasOwn(sharedCalls, method) ? sharedCalls[method] : undefined;
    if (bound === undefined) throw notAllowed(`this link does not allow ${method}`);
    if (bound === 'session') return this.#toSession(body);
    return method === 'UpdateView' ? this.#change(body) : body;
  }

  /** The same for a stream. */
  stream(method: string, given: JsonMessage): JsonMessage {
    const body = withJsonNames(given);
    const share = this.#share;
    const streams = share === null ? fullStreams : sharedStreams;
    if (!streams.has(method)) throw notAllowed(`the page does not open ${method}`);
    if (method === 'View') return this.#view(body);
    return share === null || method === 'WatchSessions' ? body : this.#toSession(body);
  }

  /** Returns a message of a stream as the page may see it; null for none. */
  seen(method: string, message: StreamedJson): StreamedJson | null {
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

  #toSession({ name: _name, sessionId: _id, ...body }: JsonMessage): JsonMessage {
    return this.#share === null ? body : { ...body, sessionId: this.#share.sessionId };
  }

  #view(body: JsonMessage): JsonMessage {
    const share = this.#share;
    const person = share === null ? 'web' : 'visitor';
    const asWeb = { person, ...body, kind: 'VIEWER_KIND_WEB' };
    if (share === null) return asWeb;
    // An id of a viewing that was lost is as good as a secret; still, it could be one that drives.
    const { viewId, as, ...mine } = this.#toSession(asWeb);
    if (!share.write) return { ...mine, as: watch };
    const forced = as === 'VIEW_AS_FORCE' || as === 3;
    return { ...mine, as: forced ? take : as, ...(viewId === undefined ? {} : { viewId }) };
  }

  /** A change of a viewing: only those who may write take over, and never by force. */
  #change(body: JsonMessage): JsonMessage {
    if (body['take'] === undefined) return body;
    if (this.#share?.write) return { ...body, take: {} };
    throw notAllowed('this link is read-only');
  }
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

const notAllowed = (message: string): VtrError => new VtrError('NOT_ALLOWED', message);
