import { signal } from '@preact/signals';
import {
  decodeCount,
  decodeFrame,
  decodeMessage,
  encodeCount,
  type Frame,
  frameKinds,
  parse,
  type StreamMessage,
} from './frame.ts';
import { LinkError, lost } from './link-error.ts';

/** `refused`: the cookie is missing or no longer valid. */
export type LinkState = 'connecting' | 'up' | 'lost' | 'refused';

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

interface PendingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: LinkError) => void;
}

const firstPauseMs = 100;
const maxPauseMs = 1_000;
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
  readonly #streams = new Map<number, StreamListener>();
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
    this.#streams.set(channel, listener);
    this.#sendText({ open: channel, method, body });
    return {
      close: () => {
        if (this.#streams.get(channel) !== listener) return;
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
    socket.onclose = () => {
      clearTimeout(late);
      if (this.#socket === socket) void this.#closed();
    };
  }

  async #closed(): Promise<void> {
    this.#socket = null;
    this.#streams.clear();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    this.state.value = 'lost';
    for (const { reject } of calls) reject(lost());
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
    const listener = this.#streams.get(channel);
    if (listener === undefined) return;
    if (kind === frameKinds.end) {
      this.#streams.delete(channel);
      listener.ended(payload.length === 0 ? null : LinkError.from(parse(payload)));
      return;
    }
    const shown = listener.message(decodeMessage(frame));
    const credit = () => this.#sendCount(frameKinds.credit, channel, payload.length);
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
