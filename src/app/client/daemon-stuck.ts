import type { Socket } from 'node:net';
import type { Stuck } from '#model';

/**
 * Returns a function that tells why the process that listens at a socket can answer nothing; null if it can.
 *
 * @returns given a connection (a `Socket` of Node) that was not answered for 2 s, and whether it is over
 */
export const daemonStuck =
  (socket: string) =>
  async (connection: object, isOver: () => boolean): Promise<Stuck | null> => {
    // Loaded only if the daemon does not answer.
    const { listenerStuck } = await import('#app/daemon');
    // The declaration needs no types of Node, which a user of the library may not have.
    return listenerStuck(connection as Socket, socket, isOver);
  };

export type IsStuck = ReturnType<typeof daemonStuck>;
