/** Returns a function that tells whether the daemon of a socket is stopped by a signal. */
export const daemonSuspended = (socket: string) => async (): Promise<boolean> => {
  // Loaded only if the daemon does not answer.
  const { isHolderSuspended } = await import('#app/daemon');
  return isHolderSuspended(socket);
};
