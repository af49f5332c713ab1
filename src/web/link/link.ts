import { signal } from '@preact/signals';
import {
  decodeCount,
  decodeFrame,
  decodeMessage,
  encodeCount,
  type Frame,
  frameKinds,
  joined,
  parse,
  type StreamMessage,
} from './frame.ts';
import { LinkError, lost } from './link-error.ts';

/** `refused`: the cookie is missing or no longer valid. `ended`: the share has ended. */
export type LinkState = 'connecting' | 'up' | 'lost' | 'refused' | 'ended';

export interface StreamListener {
  /** @returns when the message has been shown; the server sends on as far as it has */
  message(message: StreamMessage): void | Promise<void>;
  /** The stream has ended, for a reason if there is one. Not called when the connection is lost. */
  ended(reason: LinkError | null): void;
}

/** A stream that the page has opened. */
export interface Stream {
  close(): void;
}

interface OpenStream {
  readonly listener: StreamListener;
  /** Parts of a payload that is not complete. */
  parts: Uint8Array[];
}

interface PendingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: LinkError) => void;
}

const firstPauseMs = 100;
const maxPauseMs = 1_000;
/** The code with which the server closes the connection of a share that has ended. */
const shareEnded = 4001;
/** An answer to the connection that is older than this is not expected, in ms. */
const connectMs = 5_000;

/**
 * The page's one connection. Calls and streams end with it; it is made again by itself, and
 * `onUp` opens the streams again.
 */
export class Link {
  readonly state = signal<LinkState>('connecting');
  readonly #url: string;
  readonly #checkLogin: () => Promise<boolean>;
  readonly #ups = new Set<() => void>();
  readonly #calls = new Map<number, PendingCall>();
  readonly #streams = new Map<number, OpenStream>();
  #socket: WebSocket | null = null;
  #lastCall = 0;
  #lastChannel = 0;
  #pauseMs = firstPauseMs;
  #retry: ReturnType<typeof setTimeout> | null = null;

  /** @param checkLogin returns whether the server still accepts the page's cookie; fails if it does not answer */
  constructor(url: string, checkLogin: () => Promise<boolean>) {
    this.#url = url;
    this.#checkLogin = checkLogin;
    for (const event of ['online', 'pageshow', 'focus']) {
      addEventListener(event, () => this.#hurry());
    }
    document.addEventListener('visibilitychange', () => {
      this.#sendText({ hidden: document.hidden });
      if (!document.hidden) this.#hurry();
    });
    this.#connect();
  }

  /** Calls `listener` now if the connection is up, and each time that it is up again. */
  onUp(listener: () => void): () => void {
    this.#ups.add(listener);
    if (this.state.value === 'up') listener();
    return () => this.#ups.delete(listener);
  }

  /** Calls a unary method of the service. @throws LinkError */
  call<Result>(method: string, body: object): Promise<Result> {
    if (this.state.value !== 'up') return Promise.reject(lost());
    const id = ++this.#lastCall;
    return new Promise<unknown>((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#sendText({ id, method, body });
    }) as Promise<Result>;
  }

  /** Opens a stream. Nothing happens while the connection is not up. */
  open(method: string, body: object, listener: StreamListener): Stream {
    if (this.state.value !== 'up') return { close: () => {} };
    // Numbers are used again only after all others.
    this.#lastChannel = (this.#lastChannel % 0xffff) + 1;
    const channel = this.#lastChannel;
    const stream: OpenStream = { listener, parts: [] };
    this.#streams.set(channel, stream);
    this.#sendText({ open: channel, method, body });
    return {
      close: () => {
        if (this.#streams.get(channel) !== stream) return;
        this.#streams.delete(channel);
        this.#sendText({ close: channel });
      },
    };
  }

  #connect(): void {
    this.#retry = null;
    const socket = new WebSocket(this.#url, 'v1.vtr');
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    const late = setTimeout(() => socket.close(), connectMs);
    socket.onopen = () => {
      clearTimeout(late);
      this.#pauseMs = firstPauseMs;
      this.state.value = 'up';
      if (document.hidden) this.#sendText({ hidden: true });
      for (const listener of [...this.#ups]) listener();
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.#answered(JSON.parse(data));
      else this.#received(decodeFrame(new Uint8Array(data as ArrayBuffer)));
    };
    socket.onclose = ({ code }) => {
      clearTimeout(late);
      if (this.#socket === socket) void this.#closed(code);
    };
  }

  async #closed(code: number): Promise<void> {
    this.#socket = null;
    this.#streams.clear();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    this.state.value = code === shareEnded ? 'ended' : 'lost';
    for (const { reject } of calls) reject(lost());
    if (code === shareEnded) return;
    try {
      if (!(await this.#checkLogin())) {
        this.state.value = 'refused';
        return;
      }
    } catch {
      // Nothing listens at the moment.
    }
    if (this.#socket !== null || this.#retry !== null) return;
    this.#retry = setTimeout(() => this.#connect(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
  }

  /** Tries again at once: the machine woke up, or the person came back. */
  #hurry(): void {
    if (this.#retry === null) return;
    clearTimeout(this.#retry);
    this.#pauseMs = firstPauseMs;
    this.#connect();
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
      this.#sendCount(frameKinds.pong, 0, decodeCount(frame));
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
    const whole = parts.length === 0 ? payload : joined([...parts, payload]);
    const shown = listener.message(decodeMessage({ kind, channel, payload: whole }));
    const credit = () => this.#sendCount(frameKinds.credit, channel, whole.length);
    if (shown === undefined) credit();
    else void shown.then(credit);
  }

  #sendText(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #sendCount(kind: number, channel: number, count: number): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(encodeCount(kind, channel, count));
  }
}
