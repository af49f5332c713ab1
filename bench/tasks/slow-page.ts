import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { WebSocket } from 'ws';

const kinds = { message: 1, bytes: 2, credit: 4, ping: 5, pong: 6, part: 7 };
const channels = { watch: 1, keys: 2, view: 3 };

/** A client of the page's protocol (docs/web.md): the grid and a terminal on one connection. */
export class SlowPage {
  readonly #socket: WebSocket;
  readonly #unfinished = new Map<number, Buffer[]>();
  readonly #listeners = new Map<number, (body: Record<string, unknown>, bytes: Buffer) => void>();
  #viewer = '';

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.#received(data as Buffer);
    });
  }

  /** @param port of the slow line to the server of `origin` */
  static async open(port: number, origin: string, cookie: string): Promise<SlowPage> {
    const headers = { host: new URL(origin).host, origin, cookie };
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, 'v1.vtr', { headers });
    await once(socket, 'open');
    return new SlowPage(socket);
  }

  /** Shows all sessions as tiles, and one as a terminal whose keys it sends. */
  async watchAll(): Promise<void> {
    const watching = new Promise<string>((resolve) => {
      this.#listeners.set(channels.watch, ({ watchId, sessions }) => {
        if (typeof watchId !== 'string') return;
        const all = (sessions as { sessions: { name: string; id: string }[] }).sessions;
        const tiles = all.map(({ name, id: sessionId }) => ({ name, sessionId }));
        const frames = { sessions: tiles, perSecond: 10 };
        this.#send({ id: 1, method: 'SetWatchFrames', body: { watchId, frames } });
        resolve(watchId);
      });
    });
    this.#send({ open: channels.watch, method: 'WatchSessions', body: {} });
    await watching;
    const keys = { name: 'keys' };
    const viewing = new Promise<void>((resolve) => {
      this.#listeners.set(channels.view, ({ viewId, drives }) => {
        this.#viewer = String(viewId);
        if (drives === true) resolve();
      });
    });
    const view = { ...keys, cols: 80, rows: 24, as: 'VIEW_AS_TAKE' };
    this.#send({ open: channels.view, method: 'View', body: view });
    await viewing;
    const subscribe = { ...keys, includeEvents: true, scrollbackLines: 0 };
    this.#send({ open: channels.keys, method: 'Subscribe', body: subscribe });
  }

  /** Returns the time from a key to the event with its echo, in ms. */
  keyMs(name: string): Promise<number> {
    const begin = performance.now();
    return new Promise((resolve) => {
      this.#listeners.set(channels.keys, (body) => {
        if (body['output'] !== undefined) resolve(performance.now() - begin);
      });
      const body = { name, keys: [{ shortForm: 'x' }], viewer: this.#viewer };
      this.#send({ id: 2, method: 'SendKey', body });
    });
  }

  close(): void {
    this.#socket.terminate();
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  #received(frame: Buffer): void {
    const { value: channel, end } = number(frame, 1);
    const payload = frame.subarray(end);
    if (frame[0] === kinds.ping) {
      this.#socket.send(Buffer.concat([Buffer.from([kinds.pong, 0]), payload]));
      return;
    }
    const parts = [...(this.#unfinished.get(channel) ?? []), payload];
    this.#unfinished.set(channel, frame[0] === kinds.part ? parts : []);
    if (frame[0] === kinds.part) return;
    const whole = Buffer.concat(parts);
    this.#socket.send(Buffer.from([kinds.credit, channel, ...digits(whole.length)]));
    const listener = this.#listeners.get(channel);
    if (frame[0] === kinds.message) listener?.(JSON.parse(whole.toString()), Buffer.alloc(0));
    if (frame[0] !== kinds.bytes) return;
    const length = number(whole, 0);
    const split = length.end + length.value;
    listener?.(JSON.parse(whole.toString('utf8', length.end, split)), whole.subarray(split));
  }
}

/** Reads an unsigned LEB128 number. */
function number(bytes: Buffer, from: number): { value: number; end: number } {
  let value = 0;
  let end = from;
  for (let factor = 1; ; factor *= 0x80) {
    const byte = bytes[end++] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, end };
  }
}

function digits(value: number): number[] {
  const all: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) all.push((rest % 0x80) | 0x80);
  return [...all, rest];
}
