import { type McpServer, ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { Disposable } from '#base';
import { asVtrError } from '#model';
import type { SessionHost } from '../session-host.ts';
import { resourcePlace } from './resource-address.ts';
import type { ResourceWatch } from './resource-watch.ts';

/**
 * `resources/subscribe` and `resources/unsubscribe`, as clients that opened with `initialize` have
 * it, for as long as their connection lasts.
 *
 * @returns whether the client of this server wants to hear of a resource
 */
export function acceptSubscriptions(
  { server }: McpServer,
  host: SessionHost,
  watch: ResourceWatch,
): (uri: string) => boolean {
  const wanted = new Map<string, Disposable>();
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (!(await exists(uri, host))) throw new ResourceNotFoundError(uri);
    if (!wanted.has(uri)) wanted.set(uri, watch.want(uri));
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    wanted.get(uri)?.dispose();
    wanted.delete(uri);
    return {};
  });
  return (uri) => wanted.has(uri);
}

async function exists(uri: string, host: SessionHost): Promise<boolean> {
  const place = resourcePlace(uri);
  const coordinator = place === null ? null : await host.reach();
  if (place === null || coordinator === null) return false;
  try {
    return (await coordinator.info(place.session)) !== undefined;
  } catch (error) {
    if (asVtrError(error).code === 'SESSION_NOT_FOUND') return false;
    throw error;
  }
}
