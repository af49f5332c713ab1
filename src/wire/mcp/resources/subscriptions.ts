import { type Disposable, toDisposable } from '#base';
import type { ResourceWatch } from './resource-watch.ts';

/** A message of a client, as far as it is looked at here. */
interface Heard {
  readonly method?: unknown;
  readonly id?: unknown;
  readonly params?: unknown;
}

/** The URIs of `subscriptions/listen` (2026-07-28); none for other messages. */
export function listenedUris({ method, params }: Heard): readonly string[] {
  if (method !== 'subscriptions/listen') return [];
  const filter = objectIn(objectIn(params)['notifications']);
  const uris = filter['resourceSubscriptions'];
  return Array.isArray(uris) ? uris.filter((each) => typeof each === 'string') : [];
}

export function wantAll(watch: ResourceWatch, uris: readonly string[]): Disposable {
  const wanted = uris.slice(0, maxListenedUris).map((uri) => watch.want(uri));
  return toDisposable(() => {
    for (const each of wanted) each.dispose();
  });
}

/** Each may be another session that is watched. */
const maxListenedUris = 1000;

/**
 * What the client of one connection listens to. The library answers `subscriptions/listen` itself,
 * and tells the server behind it nothing of it; so we hear each message before the library does.
 */
export class Listens {
  readonly #watch: ResourceWatch;
  readonly #open = new Map<unknown, Disposable>();

  constructor(watch: ResourceWatch) {
    this.#watch = watch;
  }

  heard(message: Heard): void {
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
