import { isAddress } from '#model';

/** What to do about a daemon that accepts connections and answers nothing. */
export async function silentDaemonHint(socket: string): Promise<string> {
  if (isAddress(socket)) return 'run vtr doctor there';
  // For its process checks; no other part of the daemon is used.
  const { claimHolder, listenerPid, silenceOf } = await import('#app/daemon');
  const holder = claimHolder(socket);
  if (holder === null) return foreignHint(socket, await listenerPid(socket));
  const { pid } = holder;
  const end = `end it with kill -KILL ${pid}: its sessions continue with the next daemon`;
  const { process: state, work } = await silenceOf(pid);
  const at = work === undefined ? '' : ` (${work})`;
  switch (state) {
    case 'stopped':
      return `process ${pid} is suspended; continue it with kill -CONT ${pid}, or ${end}`;
    case 'waiting':
      return `process ${pid} hangs${at}; ${end}`;
    case 'working':
      return `process ${pid} is at work${at}, or the machine is overloaded: wait, and try again`;
  }
}

/** What to do about a daemon that has claimed a socket at which nothing listens: it starts, ends or hangs. Null if none has. */
export async function claimedDaemonHint(socket: string): Promise<string | null> {
  const { claimHolder } = await import('#app/daemon');
  return claimHolder(socket) === null ? null : silentDaemonHint(socket);
}

/** A daemon claims its socket. */
const foreignHint = (socket: string, pid: number | null): string =>
  pid === null
    ? `find the process that listens there with fuser ${socket}`
    : `process ${pid} listens there, and is not a daemon of vtr; end it with kill ${pid}`;
