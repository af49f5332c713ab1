import { request } from 'node:http';
import { connect } from 'node:net';
import WebSocket from 'ws';
import { type Answered, openSocket, type ServedPage } from './fixture-page.ts';

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One request; `fetch` would not let a test choose its Host. */
export function ask({ server }: ServedPage, path: string, details: Asked = {}): Promise<Answered> {
  const { method = 'GET', headers = {}, body = '' } = details;
  return new Promise((resolve, reject) => {
    const options = { port: server.port, path, method, headers, agent: false };
    const outgoing = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        const pairs = Object.entries(response.headers).map(([name, value]) => [
          name,
          String(value),
        ]);
        const headers = new Headers(pairs as [string, string][]);
        resolve({ status: response.statusCode ?? 0, headers: headers, body: text });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** Asks for a WebSocket. Returns the status of the answer: 101 if it is open. */
export async function upgradeStatus(
  { server }: ServedPage,
  path: string,
  headers: Readonly<Record<string, string>>,
  protocols = ['v1.vtr'],
): Promise<number> {
  const result = await openSocket(`ws://127.0.0.1:${server.port}${path}`, protocols, headers);
  return result instanceof WebSocket ? 101 : result.status;
}

/** Sends a text over a connection of its own. Returns all that comes back until the connection is closed. */
export function replyTo({ server }: ServedPage, text: string, host = '127.0.0.1'): Promise<string> {
  return new Promise((resolve, reject) => {
    let all = '';
    const socket = connect(server.port, host, () => socket.write(text));
    socket.on('data', (chunk) => {
      all += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(all));
  });
}
