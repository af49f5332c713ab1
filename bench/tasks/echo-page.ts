import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/** Sends each key over a WebSocket, and shows what comes back as text. */
const html = `<!doctype html>
<title>echo</title>
<main></main>
<script>
  const socket = new WebSocket(location.href.replace('http', 'ws'));
  const main = document.querySelector('main');
  const text = main.appendChild(new Text());
  socket.onopen = () => (main.dataset.open = '');
  socket.onmessage = ({ data }) => text.appendData(data);
  addEventListener('keydown', ({ key }) => socket.send(key === 'Enter' ? ' ' : key));
</script>`;

/** A page that does no more than echo what is typed, by this process. */
export class EchoPage {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: WebSocketServer;

  private constructor(server: Server, sockets: WebSocketServer) {
    this.#server = server;
    this.#sockets = sockets;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  static async open(): Promise<EchoPage> {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(html);
    });
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => {
      socket.on('message', (data) => socket.send(String(data)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new EchoPage(server, sockets);
  }

  close(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
    this.#server.close();
  }
}
