import type { Socket } from 'node:net';

/**
 * Returns a function that tells whether the process that listens at a socket can answer nothing.
 *
 * @returns given a connection (a `Socket` of Node) that was not answered for 2 s, and whether it is over
 */
export const daemonStuck =
  (socket: string) =>
  async (connection: object, isOver: () => boolean): Promise<boolean> => {
    // Loaded only if the daemon does not answer.
    const { isListenerStuck } = await import('#app/daemon');
    // The declaration needs no types of Node, which a user of the library may not have.
    return isListenerStuck(connection as Socket, socket, isOver);
  };

export type IsStuck = ReturnType<typeof daemonStuck>;
