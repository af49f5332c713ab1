import { type Clock, quoted, repeatedJsonName } from '#base';
import { decodeCount, decodeFrame, frameKinds, sendFile } from '#messages/page';
import {
  asVtrError,
  flow,
  type JsonCalls,
  type JsonConnection,
  type JsonMessage,
  type StreamedJson,
  VtrError,
} from '#model';
import { idsIn, Scope, VisitorView, type WebSessions } from '../scope.ts';
import { HiddenWatches } from './hidden-watches.ts';
import type { PageSocket } from './page-socket.ts';
import { errorJson, PageStream } from './page-stream.ts';
import { RecentEvents } from './recent-events.ts';
import { Sending } from './sending.ts';
import { partAnswer, type SentFile, SentFiles } from './sent-files.ts';

/** The greatest channel. */
const maxChannel = 65_535;
const maxStreams = 128;
/** While so many calls are pending, no more are read. */
const maxPendingCalls = 64;
const { maxUnsentOfCallsBytes: maxUnsentBytes } = flow.page;
/** RFC 6455, 7.4.1. */
const protocolError = 1002;
const normalClosure = 1000;

export interface PageConnectionOptions {
  readonly calls: JsonConnection;
  readonly sessions: WebSessions;
  readonly scope: Scope;
  /** Other coordinators that the page may call, by name, as they come and go. Default: none. */
  readonly others?: ReadonlyMap<string, JsonCalls>;
  readonly clock: Clock;
  /** Called with each call that the page may not make. */
  readonly onRefused?: (method: string) => void;
  /** Called with each file that the page has sent. @param at the name of another coordinator */
  readonly onFile?: (file: SentFile, by: string | null, at: string | undefined) => void;
}

/** A coordinator that the page calls. */
interface Place {
  /** Null for the page's own. */
  readonly of: JsonCalls | null;
  readonly calls: JsonConnection;
  readonly scope: Scope;
  readonly watches: HiddenWatches;
  readonly files: SentFiles;
}

/** Serves one tab: its calls and streams over one WebSocket, subprotocol `v1.vtr`. */
export class PageConnection {
  readonly #socket: PageSocket;
  readonly #own: Place;
  readonly #sessions: WebSessions;
  readonly #others: ReadonlyMap<string, JsonCalls>;
  /** The other coordinators that were called. */
  readonly #places = new Map<string, Place>();
  readonly #clock: Clock;
  readonly #onRefused: (method: string) => void;
  readonly #onFile: NonNullable<PageConnectionOptions['onFile']>;
  readonly #sending: Sending;
  readonly #streams = new Map<number, PageStream>();
  /** For a visitor with a share that has no viewing of its own. */
  #visitorView: VisitorView | null = null;
  #pending = 0;
  #isPaused = false;
  #isHidden = false;
  #isEnded = false;

  constructor(
    socket: PageSocket,
    { calls, sessions, scope, others = new Map(), clock, onRefused, onFile }: PageConnectionOptions,
  ) {
    this.#socket = socket;
    this.#own = placeOf(calls, scope);
    this.#sessions = sessions;
    this.#others = others;
    this.#clock = clock;
    this.#onRefused = onRefused ?? (() => {});
    this.#onFile = onFile ?? (() => {});
    this.#sending = new Sending(socket, clock);
    socket.onSent(() => this.#resume());
    this.#showVisitor();
  }

  /** A message of the page. One that is not of the protocol ends the connection. */
  receive(message: string | Uint8Array): void {
    if (this.#isEnded) return;
    const problem = typeof message === 'string' ? this.#text(message) : this.#count(message);
    if (problem !== null) {
      this.end();
      this.#socket.close(protocolError, problem);
    }
    if (this.#isPaused || !this.#isFull) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  /** Ends all calls; what arrives later is ignored. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
    this.#sending.end();
    this.#visitorView?.end();
    for (const { files } of this.#all) files.end();
  }

  get #all(): readonly Place[] {
    return [this.#own, ...this.#places.values()];
  }

  /**
   * Returns the coordinator that a call is for.
   *
   * @param name absent for the page's own
   * @throws VtrError INVALID_ARGUMENT for an unknown name
   */
  #place(name: unknown): Place {
    if (name === undefined) return this.#own;
    const calls = this.#others.get(name as string);
    const before = this.#places.get(name as string);
    if (before !== undefined && before.of === calls) return before;
    // What had the name has ended.
    before?.files.end();
    this.#places.delete(name as string);
    if (calls === undefined) {
      const text = `the page knows no coordinator ${quoted(name)}`;
      throw new VtrError('INVALID_ARGUMENT', text);
    }
    const place = placeOf(
      calls.connect({ kind: 'web' }),
      new Scope(null, this.#own.scope.person),
      calls,
    );
    place.watches.hide(this.#isHidden);
    this.#places.set(name as string, place);
    return place;
  }

  /** A visitor does not watch unseen. */
  #showVisitor(): void {
    const { sessionId } = this.#own.scope;
    if (sessionId === null || this.#isEnded) return;
    const hasView = [...this.#streams.values()].some(({ method }) => method === 'View');
    if (!hasView) {
      const client = { kind: 'share' };
      this.#visitorView ??= new VisitorView(this.#sessions, sessionId, 'visitor', client);
    } else {
      this.#visitorView?.end();
      this.#visitorView = null;
    }
  }

  get #isFull(): boolean {
    return this.#pending >= maxPendingCalls || this.#socket.unsentBytes > maxUnsentBytes;
  }

  #resume(): void {
    if (!this.#isPaused || this.#isFull) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** @returns what is wrong with it, or null */
  #text(text: string): string | null {
    const message = parsed(text);
    if (message === null) return 'a text message is a JSON object';
    if (repeatedJsonName(text) !== null) return 'a text message has each name once';
    const { id, open, close, hidden, withdraw, at, method, body = {} } = message;
    if (withdraw === true) {
      this.end();
      this.#socket.close(normalClosure, '');
      return null;
    }
    if (typeof hidden === 'boolean') {
      this.#isHidden = hidden;
      for (const { watches } of this.#all) watches.hide(hidden);
      return null;
    }
    if (close !== undefined) {
      this.#close(close as number);
      return null;
    }
    if (typeof method !== 'string' || !isObject(body)) return 'a call has a method and a body';
    const call = { at, method, body, bytes: text.length };
    if (Number.isSafeInteger(id)) {
      void this.#answer(id as number, call);
      return null;
    }
    return isChannel(open) ? this.#open(open, call) : 'a call has an id or a channel';
  }

  #count(bytes: Uint8Array): string | null {
    const frame = countFrame(bytes);
    if (frame === null) return 'a binary message is a kind, a channel and a number';
    const { kind, channel, count } = frame;
    if (kind === frameKinds.echo) this.#sending.echoed(count);
    // The channel may have been closed.
    else if (kind === frameKinds.credit) this.#streams.get(channel)?.shown(count);
    else return `a binary message of kind ${kind}`;
    return null;
  }

  async #answer(id: number, call: PageCall): Promise<void> {
    this.#pending++;
    const answer = await this.#called(call).then(
      (result) => ({ id, result }),
      (error: unknown) => ({ id, error: errorJson(error) }),
    );
    this.#pending--;
    this.#sending.text(JSON.stringify(answer));
    this.#resume();
  }

  async #called(call: PageCall): Promise<JsonMessage> {
    const { at, method, body, bytes } = call;
    // The page asks whether the connection is still there.
    if (method === 'Ping') return {};
    const place = this.#place(at);
    if (method === sendFile) return this.#file(place, call);
    const { calls, scope, watches } = place;
    const request = this.#allowed(method, () => scope.call(method, body));
    if (method === 'SetWatchFrames' && !watches.set(request)) return {};
    return scope.answered(method, await calls.unary(method, request, bytes));
  }

  async #file({ scope, files }: Place, { at, method, body }: PageCall): Promise<JsonMessage> {
    const part = this.#allowed(method, () => scope.input(method, body));
    const by = scope.person();
    const file = await files.take(part, { by, sessionId: scope.sessionId });
    if (file !== null) this.#onFile(file, by, at as string | undefined);
    return partAnswer(file);
  }

  #open(channel: number, call: PageCall): string | null {
    const { at, method } = call;
    if (this.#streams.has(channel)) return `channel ${channel} is in use`;
    let place = this.#own;
    let messages: AsyncIterator<StreamedJson>;
    let frames: unknown;
    // A stream that is refused fails when it is read.
    try {
      place = this.#place(at);
      const request = this.#streamRequest(place, call);
      frames = request['frames'];
      messages = this.#messages(place, method, request, call.bytes);
    } catch (error) {
      messages = { next: () => Promise.reject(error) };
    }
    const ids = new Set<string>();
    const stream = new PageStream({
      channel,
      method,
      messages,
      sending: this.#sending,
      visible: (message) => {
        for (const id of idsIn(message)) ids.add(id);
        place.watches.opened(message.json['watchId'], frames);
        return place.scope.visible(method, message);
      },
    });
    this.#streams.set(channel, stream);
    this.#showVisitor();
    void stream.run().then(() => {
      if (this.#streams.get(channel) === stream) this.#streams.delete(channel);
      place.scope.ended(ids);
      place.watches.ended(ids);
      this.#showVisitor();
    });
    return null;
  }

  /** @throws VtrError */
  #streamRequest({ scope }: Place, { method, body }: PageCall): JsonMessage {
    if (this.#isEnded || this.#streams.size >= maxStreams) {
      throw new VtrError('INVALID_ARGUMENT', `${maxStreams} streams are open; close some`);
    }
    return this.#allowed(method, () => scope.stream(method, body));
  }

  #messages({ calls }: Place, method: string, request: JsonMessage, bytes: number) {
    const open = (message: JsonMessage) => calls.stream(method, message, bytes);
    return method === 'Subscribe' && request['includeEvents'] === true
      ? new RecentEvents(request, open, this.#clock)
      : open(request);
  }

  /** @throws VtrError */
  #allowed(method: string, check: () => JsonMessage): JsonMessage {
    try {
      return check();
    } catch (error) {
      if (asVtrError(error).code === 'NOT_ALLOWED') this.#onRefused(method);
      throw error;
    }
  }

  #close(channel: number): void {
    this.#streams.get(channel)?.close();
    this.#streams.delete(channel);
    this.#showVisitor();
  }
}

/** A call or a stream that the page asks for. */
interface PageCall {
  /** The name of another coordinator, if it is for one. */
  readonly at: unknown;
  readonly method: string;
  readonly body: JsonMessage;
  /** The size of the message. */
  readonly bytes: number;
}

const placeOf = (calls: JsonConnection, scope: Scope, of: JsonCalls | null = null): Place => {
  const watches = new HiddenWatches((body) => calls.unary('SetWatchFrames', body));
  return { of, calls, scope, watches, files: new SentFiles(calls) };
};

const isChannel = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxChannel;

/** Null if it is not a frame with a number. */
function countFrame(bytes: Uint8Array) {
  try {
    const frame = decodeFrame(bytes);
    return { ...frame, count: decodeCount(frame) };
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is JsonMessage =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): JsonMessage | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
