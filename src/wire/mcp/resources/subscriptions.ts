import { type McpServer, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { type Disposable, toDisposable } from '#base';
import { asVtrError } from '#model';
import type { SessionHost } from '../redacted-host.ts';
import type { ResourceWatch } from './resource-watch.ts';
import { parseResourceUri } from './resources.ts';

/**
 * Handles `resources/subscribe` and `resources/unsubscribe` of clients that opened with `initialize`.
 * Subscriptions last until the connection ends.
 *
 * @returns a predicate: whether the client is subscribed to a URI
 */
export function acceptSubscriptions(
  { server }: McpServer,
  host: SessionHost,
  watch: ResourceWatch,
): (uri: string) => boolean {
  const subscriptions = new Map<string, Disposable>();
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (!(await exists(uri, host))) throw new ResourceNotFoundError(uri);
    const before = subscriptions.get(uri);
    subscriptions.set(uri, watch.want(uri));
    before?.dispose();
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscriptions.get(uri)?.dispose();
    subscriptions.delete(uri);
    return {};
  });
  return (uri) => subscriptions.has(uri);
}

async function exists(uri: string, host: SessionHost): Promise<boolean> {
  const address = parseResourceUri(uri);
  const coordinator = address === null ? null : await host.reach();
  if (address === null || coordinator === null) return false;
  try {
    return (await coordinator.info(address.session)) !== undefined;
  } catch (error) {
    if (asVtrError(error).code === 'SESSION_NOT_FOUND') return false;
    throw error;
  }
}

/** The parts of a client's message that are read here. */
interface ListenMessage {
  readonly method?: unknown;
  readonly id?: unknown;
  readonly params?: unknown;
}

/** Returns the URIs of a `subscriptions/listen` (version 2026-07-28); none for other messages. */
export function listenedUris({ method, params }: ListenMessage): readonly string[] {
  if (method !== 'subscriptions/listen') return [];
  const filter = objectIn(objectIn(params)['notifications']);
  const uris = filter['resourceSubscriptions'];
  return Array.isArray(uris) ? uris.filter((each) => typeof each === 'string') : [];
}

export function wantAll(watch: ResourceWatch, uris: readonly string[]): Disposable {
  const watches = uris.slice(0, maxListenedUris).map((uri) => watch.want(uri));
  return toDisposable(() => {
    for (const each of watches) each.dispose();
  });
}

/** Each may need a watch of another session. */
const maxListenedUris = 1000;

/**
 * The `subscriptions/listen` requests of one connection. The library answers them itself and does not
 * pass them to the server, so each message is read here before the library handles it.
 */
export class Listens {
  readonly #watch: ResourceWatch;
  readonly #open = new Map<unknown, Disposable>();

  constructor(watch: ResourceWatch) {
    this.#watch = watch;
  }

  heard(message: ListenMessage): void {
    if (message.method === 'notifications/cancelled') {
      this.#end(objectIn(message.params)['requestId']);
    }
    const uris = listenedUris(message);
    if (uris.length === 0) return;
    this.#end(message.id);
    this.#open.set(message.id, wantAll(this.#watch, uris));
  }

  #end(id: unknown): void {
    this.#open.get(id)?.dispose();
    this.#open.delete(id);
  }
}

const objectIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
