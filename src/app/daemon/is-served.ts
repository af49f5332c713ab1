import { claimHolder } from './claim.ts';
import { isListening } from './probe.ts';

/** Whether a daemon is at a socket, starting and ending ones included. */
export async function isServed(socket: string): Promise<boolean> {
  return claimHolder(socket) !== null || (await isListening(socket));
}
