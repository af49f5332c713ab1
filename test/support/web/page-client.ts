import { expect, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { credit, RecordingPage, type Shown } from './page-socket.ts';

const pollMs = 10;

/** A page of the web server, without a browser. */
export class PageClient {
  readonly socket: WebSocket;
  readonly page = new RecordingPage();
  readonly closed: Promise<number>;
  #id = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    onTestFinished(() => socket.terminate());
    this.page.onAnswer = (message) => socket.send(message);
    socket.on('message', (data: Buffer, isBinary) => {
      this.page.send(isBinary ? data : data.toString());
      // All of it was shown.
      if (isBinary) socket.send(credit(this.page.shown.at(-1)?.channel ?? 1, data.length));
    });
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }

  /** Connects with a cookie. */
  static async connect(origin: string, cookie: string): Promise<PageClient> {
    const url = `${origin.replace(/^http/, 'ws')}/ws`;
    const client = new PageClient(new WebSocket(url, 'v1.vtr', { headers: { origin, cookie } }));
    await new Promise((resolve, reject) => {
      client.socket.once('open', resolve);
      client.socket.once('error', reject);
    });
    return client;
  }

  /** Logs in with a link, and connects. */
  static async open(link: string): Promise<PageClient> {
    const { origin, cookie } = await logIn(link);
    return PageClient.connect(origin, cookie);
  }

  /** Makes a call; its error is the answer, too. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the answers
  async call(method: string, body: object = {}): Promise<any> {
    const id = ++this.#id;
    this.socket.send(JSON.stringify({ id, method, body }));
    const find = () => (this.page.texts as { id: number }[]).find((each) => each.id === id);
    await expect.poll(find, { interval: pollMs }).toBeDefined();
    return find();
  }

  stream(channel: number, method: string, body: object = {}): void {
    this.socket.send(JSON.stringify({ open: channel, method, body }));
  }

  /** Resolves to the first message of a channel that `matches`. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the messages
  async message(channel: number, matches: (json: any, shown: Shown) => boolean): Promise<Shown> {
    const find = () => this.page.of(channel).find((each) => matches(each.json ?? {}, each));
    await expect.poll(find, { interval: pollMs }).toBeDefined();
    return find() as Shown;
  }
}

/** Logs in with a link. */
export async function logIn(link: string): Promise<{ origin: string; cookie: string }> {
  const { origin, hash } = new URL(link);
  const body = JSON.stringify({ token: hash.replace(/^#t=/, '') });
  const answer = await fetch(`${origin}/login`, { method: 'POST', headers: { origin }, body });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`login: ${answer.status} ${await answer.text()}`);
  return { origin, cookie };
}
