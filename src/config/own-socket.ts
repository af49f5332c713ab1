import { defaultSocket } from './default-socket.ts';
import type { Place } from './places.ts';
import { readServerConfig } from './server-config.ts';

/**
 * Where the user's own coordinator listens, and where it is looked for: VTR_SOCKET, else
 * `socket_path` of `server.toml`, else the place that all have.
 *
 * @throws VtrError INVALID_ARGUMENT for a broken `server.toml`, or an address in VTR_SOCKET
 */
export async function ownSocket(place: Place): Promise<string> {
  if (place.env['VTR_SOCKET']) return defaultSocket(place);
  return (await readServerConfig(place)).socketPath ?? defaultSocket(place);
}
