import { once } from 'node:events';
import { lstatSync, unlinkSync } from 'node:fs';
import { chmod, link, mkdir, unlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import { ignored } from '#base';

/** Which file it is: another one may have its path meanwhile. */
interface Identity {
  readonly dev: number;
  readonly ino: number;
}

/**
 * The file at the socket path of a server, for scripts that look whether it is there (`test -S`). Nothing listens
 * there. A tmux that uses the path sees that no server runs, and puts its own file there.
 */
export class SocketFile {
  readonly #path: string;
  #identity: Identity | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Makes the file, and its directory. A file of somebody else stays; where none can be made, there is none. */
  async make(): Promise<void> {
    try {
      await ignored(
        mkdir(dirname(this.#path), { mode: 0o700 }),
        'it exists, or the file cannot be made either',
      );
      // The file of a server that was killed is in the way.
      if (identityOf(this.#path) !== null && (await isDead(this.#path))) await unlink(this.#path);
      const own = `${this.#path}.${process.pid}`;
      const server = createServer().listen(own);
      await once(server, 'listening');
      try {
        await chmod(own, 0o600);
        // Unlike rename(2), link(2) replaces nothing.
        await link(own, this.#path);
        this.#identity = identityOf(own);
      } finally {
        // This removes the first name.
        server.close();
        await once(server, 'close');
      }
    } catch {
      this.#identity = null;
    }
  }

  remove(): void {
    const [identity, now] = [this.#identity, identityOf(this.#path)];
    this.#identity = null;
    if (identity === null || now === null || identity.ino !== now.ino || identity.dev !== now.dev)
      return;
    try {
      unlinkSync(this.#path);
    } catch {
      // Somebody else has removed it.
    }
  }
}

/** Null if there is no socket. */
function identityOf(path: string): Identity | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isSocket() === true ? { dev: stat.dev, ino: stat.ino } : null;
}

/** Whether nothing listens at a socket. */
async function isDead(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}
