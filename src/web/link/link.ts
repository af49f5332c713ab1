import { type ReadonlySignal, signal } from '@preact/signals';
import { ignored, joinBytes, Outages, ownTimers } from '#base';
import type { AnswerJson, RequestJson, StreamName, UnaryName } from '#messages';
import {
  decodeCount,
  decodeFrame,
  encodeCount,
  type FilePart,
  type FilePartAnswer,
  type Frame,
  type FrameKind,
  frameKinds,
  sendFile,
} from '#messages/page';
import { decodeMessage, parse, type StreamMessage } from './frame.ts';

/** `refused`: the cookie is missing or no longer valid. `ended`: the share has ended. */
export type LinkState = 'connecting' | 'up' | 'lost' | 'refused' | 'ended';

/** @template Body a message of the stream */
export interface StreamListener<Body> {
  /** @returns when the message has been shown; the server sends on as far as it has */
  message(message: StreamMessage<Body>): void | Promise<void>;
  /** The stream has ended, for a reason if there is one: UNAVAILABLE if the connection is lost. */
  ended(reason: LinkError | null): void;
}

/** The calls of one coordinator. */
export interface Calls {
  readonly state: ReadonlySignal<LinkState>;
  /** Calls `listener` now if the connection is up, and each time that it is up again. */
  onUp(listener: () => void): () => void;
  /** Calls a unary method of the service. @throws LinkError */
  call<Name extends UnaryName>(method: Name, body: RequestJson<Name>): Promise<AnswerJson<Name>>;
  /** Sends a part of a file to the coordinator's machine. @throws LinkError */
  sendFile(part: FilePart): Promise<FilePartAnswer>;
  /** Opens a stream. It ends at once while the connection is not up. */
  open<Name extends StreamName>(
    method: Name,
    body: RequestJson<Name>,
    listener: StreamListener<AnswerJson<Name>>,
  ): Stream;
}

/** A stream that the page has opened. */
export interface Stream {
  close(): void;
}

interface OpenStream {
  readonly listener: StreamListener<never>;
  /** Parts of a payload that is not complete. */
  parts: Uint8Array[];
}

interface PendingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: LinkError) => void;
}

/** The connection is tried again for ever: often at first, because another daemon follows soon. */
const patience = { firstPauseMs: 50, steadyMs: 2_000, maxPauseMs: 500 };
/** The code with which the server closes a connection when another daemon follows. */
const restarting = 1012;
/** The code with which the server closes the connection of a share that has ended. */
const shareEnded = 4001;
/** An answer to the connection that is older than this is not expected, in ms. */
const connectMs = 5_000;
/** After a sleep, a connection that answers nothing within this time is made again, in ms. */
const probeMs = 700;
/** A timer of {@link tickMs} that is later by so much was held up by a sleep, in ms. */
const sleepMs = 5_000;
const tickMs = 2_000;
/** While a call is pending, a connection that receives nothing for this time is sent a ping, in ms. */
const quietMs = 3_000;
/** If it does not answer within this time, its calls are withdrawn, in ms. */
const answerMs = 2_000;
/** A timer that is later than this, in ms, was held up by this page. */
const maxLateMs = 500;

/**
 * The page's one connection. Calls and streams end with it; it is made again by itself, and
 * `onUp` opens the streams again.
 */
export class Link implements Calls {
  readonly state = signal<LinkState>('connecting');
  readonly #url: string;
  readonly #checkLogin: () => Promise<boolean>;
  readonly #ups = new Set<() => void>();
  readonly #calls = new Map<number, PendingCall>();
  readonly #streams = new Map<number, OpenStream>();
  #socket: WebSocket | null = null;
  #lastCall = 0;
  #lastChannel = 0;
  readonly #outages = new Outages(ownTimers, patience);
  #probe: ReturnType<typeof setTimeout> | null = null;
  #quiet: ReturnType<typeof setTimeout> | null = null;

  /** @param checkLogin returns whether the server still accepts the page's cookie; fails if it does not answer */
  constructor(url: string, checkLogin: () => Promise<boolean>) {
    this.#url = url;
    this.#checkLogin = checkLogin;
    for (const event of ['online', 'pageshow', 'focus']) {
      addEventListener(event, () => this.#awake());
    }
    document.addEventListener('visibilitychange', () => {
      this.#sendText({ hidden: document.hidden });
      if (!document.hidden) this.#awake();
    });
    let lastMs = Date.now();
    setInterval(() => {
      const nowMs = Date.now();
      if (nowMs - lastMs > tickMs + sleepMs) this.#awake();
      lastMs = nowMs;
    }, tickMs);
    this.#connect();
  }

  /** Returns the calls of another coordinator. */
  at(coordinator: string): Calls {
    return {
      state: this.state,
      onUp: (listener) => this.onUp(listener),
      call: (method, body) => this.#call({ at: coordinator, method, body }),
      sendFile: (body) => this.#call({ at: coordinator, method: sendFile, body }),
      open: (method, body, listener) => this.#open({ at: coordinator, method, body }, listener),
    };
  }

  onUp(listener: () => void): () => void {
    this.#ups.add(listener);
    if (this.state.value === 'up') listener();
    return () => this.#ups.delete(listener);
  }

  call<Name extends UnaryName>(method: Name, body: RequestJson<Name>): Promise<AnswerJson<Name>> {
    return this.#call({ method, body });
  }

  sendFile(body: FilePart): Promise<FilePartAnswer> {
    return this.#call({ method: sendFile, body });
  }

  open<Name extends StreamName>(
    method: Name,
    body: RequestJson<Name>,
    listener: StreamListener<AnswerJson<Name>>,
  ): Stream {
    return this.#open({ method, body }, listener);
  }

  #call<Result>(request: object): Promise<Result> {
    if (this.state.value !== 'up') return Promise.reject(lost());
    const id = ++this.#lastCall;
    return new Promise<unknown>((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#sendText({ id, ...request });
      this.#quiet ??= this.#listen();
    }) as Promise<Result>;
  }

  #open(request: object, listener: StreamListener<never>): Stream {
    if (this.state.value !== 'up') {
      queueMicrotask(() => listener.ended(lost()));
      return { close: () => {} };
    }
    // Numbers are used again only after all others. The server allows fewer streams than there are.
    do {
      this.#lastChannel = (this.#lastChannel % 0xffff) + 1;
    } while (this.#streams.has(this.#lastChannel));
    const channel = this.#lastChannel;
    const stream: OpenStream = { listener, parts: [] };
    this.#streams.set(channel, stream);
    this.#sendText({ open: channel, ...request });
    return {
      close: () => {
        if (this.#streams.get(channel) !== stream) return;
        this.#streams.delete(channel);
        this.#sendText({ close: channel });
      },
    };
  }

  #connect(): void {
    const socket = new WebSocket(this.#url, 'v1.vtr');
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    const late = setTimeout(() => socket.close(), connectMs);
    socket.onopen = () => {
      clearTimeout(late);
      this.#outages.back();
      this.state.value = 'up';
      if (document.hidden) this.#sendText({ hidden: true });
      for (const listener of [...this.#ups]) listener();
    };
    socket.onmessage = ({ data }) => {
      this.#stopProbe();
      this.#heard();
      if (typeof data === 'string') this.#answered(JSON.parse(data));
      else this.#received(decodeFrame(new Uint8Array(data as ArrayBuffer)));
    };
    socket.onclose = ({ code }) => {
      clearTimeout(late);
      if (this.#socket === socket) void this.#closed(code);
    };
  }

  async #closed(code: number, reason = lost()): Promise<void> {
    if (this.state.value === 'refused') return;
    const wasUp = this.state.value === 'up';
    this.#socket = null;
    this.#stopProbe();
    this.#stopListening();
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    this.state.value = code === shareEnded ? 'ended' : 'lost';
    for (const { reject } of calls) reject(reason);
    for (const { listener } of streams) listener.ended(lost());
    if (code === shareEnded) return;
    this.#outages.lost();
    await this.#again(wasUp, code !== restarting);
  }

  /**
   * Connects when the server answers. It is asked by requests, because browsers delay WebSockets after some have failed.
   *
   * @param isFirst whether no attempt to connect has failed yet
   * @param mayBeSlow whether the server may answer late, so that the first attempt does not wait for it
   */
  async #again(isFirst: boolean, mayBeSlow: boolean): Promise<void> {
    for (let isBlind = isFirst && mayBeSlow; ; isBlind = false) {
      const pause = this.#outages.pause();
      const answer = this.#checkLogin().then(
        (isKnown) => (isKnown ? 'known' : 'refused'),
        () => 'silent' as const,
      );
      const isLate = isBlind && (await Promise.race([pause, answer])) === true;
      const result = isLate ? 'known' : await answer;
      if (this.state.value !== 'lost') return;
      if (result === 'refused') {
        this.#outages.end();
        this.state.value = 'refused';
        return;
      }
      const isDue = (result === 'known' && isFirst) || (await pause);
      if (!isDue) return;
      if (result === 'known') {
        this.#connect();
        return;
      }
      this.#outages.lost();
    }
  }

  /**
   * The machine woke up, or the person came back: tries again at once. A connection that seems to be up
   * may have been lost meanwhile, without notice to this side.
   */
  #awake(): void {
    if (!this.#outages.hurry()) this.#ask(probeMs, lost);
  }

  /** Makes the connection again unless it answers within a time. @param reason why its calls fail */
  #ask(withinMs: number, reason: () => LinkError): void {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN || this.#probe !== null) return;
    const dueMs = performance.now() + withinMs;
    this.#probe = setTimeout(() => {
      this.#probe = null;
      // What has arrived meanwhile is not handled yet.
      if (performance.now() - dueMs > maxLateMs) {
        this.#ask(withinMs, reason);
        return;
      }
      socket.onclose = null;
      socket.onmessage = null;
      // If it was suspended, it must not carry out later what it was sent.
      this.#sendText({ withdraw: true });
      socket.close();
      void this.#closed(0, reason());
    }, withinMs);
    ignored(
      this.#call({ method: 'Ping', body: {} }),
      'the timer notices a link that does not answer',
    );
  }

  /** Looks after a time whether calls are answered. */
  #listen(): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      this.#quiet = null;
      if (this.#calls.size > 0) this.#ask(answerMs, silent);
    }, quietMs);
  }

  #heard(): void {
    this.#stopListening();
    if (this.#calls.size > 0) this.#quiet = this.#listen();
  }

  #stopListening(): void {
    if (this.#quiet !== null) clearTimeout(this.#quiet);
    this.#quiet = null;
  }

  #stopProbe(): void {
    if (this.#probe !== null) clearTimeout(this.#probe);
    this.#probe = null;
  }

  #answered({ id, result, error }: { id: number; result?: unknown; error?: unknown }): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) call?.resolve(result ?? {});
    else call?.reject(LinkError.from(error));
  }

  #received(frame: Frame): void {
    const { kind, channel, payload } = frame;
    if (kind === frameKinds.ping) {
      this.#sendCount(frameKinds.echo, 0, decodeCount(frame));
      return;
    }
    const stream = this.#streams.get(channel);
    if (stream === undefined) return;
    const { listener, parts } = stream;
    if (kind === frameKinds.end) {
      this.#streams.delete(channel);
      listener.ended(payload.length === 0 ? null : LinkError.from(parse(payload)));
      return;
    }
    if (kind === frameKinds.part) {
      parts.push(payload);
      return;
    }
    stream.parts = [];
    const whole = parts.length === 0 ? payload : joinBytes([...parts, payload]);
    const shown = listener.message(decodeMessage({ kind, payload: whole }));
    const credit = () => this.#sendCount(frameKinds.credit, channel, whole.length);
    if (shown === undefined) credit();
    else void shown.finally(credit);
  }

  #sendText(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #sendCount(kind: FrameKind, channel: number, count: number): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(encodeCount(kind, channel, count));
  }
}

/** Why a call or a stream failed: a code of docs/errors.md, and text for people. */
export class LinkError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** Returns the error that the server sent. */
  static from(value: unknown): LinkError {
    const { code, message, details } = (value ?? {}) as Partial<LinkError>;
    return new LinkError(String(code ?? 'INTERNAL'), String(message ?? 'it failed'), details);
  }
}

export const lost = (): LinkError => new LinkError('UNAVAILABLE', 'the connection is lost');

/** The coordinator does not respond: what was sent is withdrawn, and must not be sent again. */
export const silent = (): LinkError =>
  new LinkError('UNAVAILABLE', 'vtr does not respond', { reason: 'SILENT' });

export const isSilent = (error: unknown): boolean =>
  error instanceof LinkError && error.details['reason'] === 'SILENT';

/** Returns the text of any error. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
