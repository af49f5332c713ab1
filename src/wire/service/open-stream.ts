import { connect, type OnReadOpts, Socket } from 'node:net';
import { isAddress, VtrError } from '#model';
import { untrustedSocket } from '#trust';
import { ToolStream, type ToolStreamOptions } from './tool-stream.ts';

export interface StreamOptions extends ToolStreamOptions {
  /** Receives the data of a socket, without events. */
  readonly onread?: OnReadOpts;
}

/**
 * Opens a connection to a coordinator. Whose socket it is, is checked first; a failure is the error of the
 * stream.
 *
 * @param place path of a Unix socket, or an address
 */
export function openStream(
  place: string,
  { onread, ...options }: StreamOptions = {},
): Socket | ToolStream {
  if (isAddress(place)) return new ToolStream(place, options);
  const untrusted = untrustedSocket(place);
  if (untrusted === null) return connect({ path: place, ...(onread && { onread }) });
  const { message, details } = untrusted;
  return new Socket().destroy(new VtrError('UNAVAILABLE', message, { details }));
}
