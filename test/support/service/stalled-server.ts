import { Worker } from 'node:worker_threads';

/** What a client sends while the server in this process does nothing. */
export type Sent =
  | { readonly bytes: Uint8Array }
  | {
      readonly http2: {
        readonly headers: Readonly<Record<string, string>>;
        readonly body: Uint8Array;
      };
    };

const client = `
const { connect } = require('node:net');
const http2 = require('node:http2');
const { parentPort, workerData } = require('node:worker_threads');
const state = new Int32Array(workerData);
let connection = null;
function open({ socket, isHttp2 }, opened) {
  if (!isHttp2) {
    connection = connect(socket, opened);
    connection.on('error', () => {}).resume();
    return;
  }
  const session = http2.connect('http://localhost', { createConnection: () => connect(socket) });
  session.on('error', () => {});
  connection = session;
  opened();
}
function write({ bytes, http2 }, written) {
  if (http2 === undefined) return connection.write(bytes, written);
  const stream = connection.request(http2.headers);
  stream.on('error', () => {}).resume();
  stream.end(http2.body, written);
}
parentPort.on('message', (message) => {
  if (message.what === 'open') open(message, () => parentPort.postMessage('opened'));
  else {
    const done = () => {
      if (message.closes) connection.destroy();
      // What was sent is in the buffers of the system in a later turn.
      setTimeout(() => {
        Atomics.store(state, 0, 1);
        Atomics.notify(state, 0);
      }, 5);
    };
    const send = () => write(message.sent, done);
    if (message.opens) open(message, send);
    else send();
  }
});
`;

/** A client in another thread, which sends while this thread, and with it the server, is stopped. */
export class StallingClient {
  readonly #state = new SharedArrayBuffer(4);
  readonly #worker = new Worker(client, { eval: true, workerData: this.#state });

  /** Opens a connection that {@link send} uses. */
  open(socket: string, isHttp2: boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#worker.once('message', () => resolve());
      this.#worker.postMessage({ what: 'open', socket, isHttp2 });
    });
  }

  /**
   * Stops this thread until everything is sent, and for some time.
   *
   * @param socket of a new connection; null for the one that is open
   * @param closes whether the client closes its connection before this thread goes on
   */
  send(socket: string | null, message: Sent, closes: boolean, stoppedMs = 0): void {
    const state = new Int32Array(this.#state);
    Atomics.store(state, 0, 0);
    const opens = socket !== null;
    this.#worker.postMessage({
      what: 'send',
      opens,
      socket,
      isHttp2: 'http2' in message,
      sent: message,
      closes,
    });
    Atomics.wait(state, 0, 0, 10_000);
    if (stoppedMs > 0) Atomics.wait(state, 0, 1, stoppedMs);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
