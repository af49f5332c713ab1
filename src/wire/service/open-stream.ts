import { connect, Socket } from 'node:net';
import { isAddress, VtrError } from '#model';
import { untrustedSocket } from '#trust';
import { ToolStream } from './tool-stream.ts';

/**
 * Opens a connection to a coordinator. Whose socket it is, is checked first; a failure is the error of the
 * stream.
 *
 * @param place path of a Unix socket, or an address
 */
export function openStream(place: string): Socket | ToolStream {
  if (isAddress(place)) return new ToolStream(place);
  const untrusted = untrustedSocket(place);
  if (untrusted === null) return connect(place);
  const { message, details } = untrusted;
  return new Socket().destroy(new VtrError('UNAVAILABLE', message, { details }));
}
