import { isAddress } from '#model';

/** Returns a function that tells whether the daemon of a socket is stopped by a signal; false for an address. */
export const daemonSuspended = (socket: string) => async (): Promise<boolean> => {
  if (isAddress(socket)) return false;
  // Loaded only if the daemon does not answer.
  const { isHolderSuspended } = await import('#app/daemon');
  return isHolderSuspended(socket);
};
