import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { fromJsonString } from '@bufbuild/protobuf';
import { errorToJson } from '@connectrpc/connect/protocol-connect';
import { ReportRequestSchema } from '#messages';
import { asVtrError, type ReportRequest, type ReportResult, VtrError } from '#model';
import { fromReportRequest } from '../convert/activity.ts';
import { toStatus } from '../errors.ts';

/** The longest body, in bytes: a message of 2,048 bytes, escaped, and the other fields. */
const maxBodyBytes = 16 * 1024;
const maxHeadBytes = 4 * 1024;
/** The time for a whole request, in ms. */
const requestMs = 2_000;
/** Of open connections. Another one closes the one that has been open for longest. */
const maxConnections = 64;

const path = '/vtr.VTR/Report';

export interface ReportServerOptions {
  /**
   * @param peer the process that has connected; null if it is not known
   * @throws VtrError NOT_ALLOWED for a key of no session; as `Coordinator.report`
   */
  readonly report: (
    key: string,
    request: ReportRequest,
    peer: number | null,
  ) => Promise<ReportResult>;
  /** Returns the process that has opened a connection; null if it is not known. */
  readonly peerPid: (connection: Socket) => number | null;
  /** Called with defects. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Answers one call, `Report`, with the key of a session, as JSON over HTTP/1.1. Whoever can connect can do nothing
 * else: a sandbox that has only this socket lets an agent tell what it does.
 */
export class ReportServer {
  readonly #options: ReportServerOptions;
  readonly #server;
  /** The oldest first. */
  readonly #connections = new Set<Socket>();

  constructor(options: ReportServerOptions) {
    this.#options = options;
    this.#server = createServer(
      {
        maxHeaderSize: maxHeadBytes,
        requestTimeout: requestMs,
        headersTimeout: requestMs,
        connectionsCheckingInterval: requestMs,
        keepAlive: false,
      },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Takes over a connection. */
  accept(connection: Socket): void {
    const [oldest] = this.#connections;
    if (this.#connections.size >= maxConnections) oldest?.destroy();
    this.#connections.add(connection);
    connection.once('close', () => this.#connections.delete(connection));
    // Also for one on which nothing arrives, and one that does not read its answer.
    connection.setTimeout(2 * requestMs, () => connection.destroy());
    this.#server.emit('connection', connection);
  }

  close(): void {
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('content-type', 'application/json');
    response.setHeader('connection', 'close');
    response.on('error', () => {});
    try {
      if (request.method !== 'POST' || request.url !== path) {
        response.writeHead(404).end('{"code":"unimplemented"}');
        request.destroy();
        return;
      }
      const message = messageIn(await bodyOf(request));
      const peer = this.#options.peerPid(request.socket);
      const report = fromReportRequest(message);
      const { late } = await this.#options.report(message.key, report, peer);
      response.end(JSON.stringify({ late }));
    } catch (error) {
      this.#fail(response, error);
    }
  }

  #fail(response: ServerResponse, thrown: unknown): void {
    if (asVtrError(thrown).code === 'INTERNAL_ERROR') this.#options.onFault(thrown);
    const json = errorToJson(toStatus(thrown), undefined);
    response.writeHead(400).end(JSON.stringify(json));
  }
}

/** @throws VtrError INVALID_ARGUMENT */
function messageIn(body: string) {
  try {
    return fromJsonString(ReportRequestSchema, body, { ignoreUnknownFields: true });
  } catch (cause) {
    throw new VtrError('INVALID_ARGUMENT', 'the body is not a report in JSON', { cause });
  }
}

/** @throws VtrError INVALID_ARGUMENT */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBodyBytes)
      throw new VtrError('INVALID_ARGUMENT', `a report has at most ${maxBodyBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
