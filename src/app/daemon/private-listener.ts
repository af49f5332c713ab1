import { chmodSync, linkSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { VtrError } from '#model';

/** How often the socket's file is looked after. */
const lookEveryMs = 1000;

export interface PrivateListenerOptions {
  readonly path: string;
  /** Permission bits of the socket. */
  readonly mode: number;
  readonly onConnection: (connection: Socket) => void;
  readonly log: (line: string) => void;
}

/**
 * Listens at a Unix socket whose file it looks after: made with its final permissions, put in place
 * in one step, made again when somebody removes it, and removed at the end only while it is ours.
 */
export class PrivateListener {
  readonly #options: PrivateListenerOptions;
  readonly #servers: Server[] = [];
  /** Of the file that was put in place last. */
  #inode: number | null = null;
  #wasReplaced = false;
  readonly #watch: NodeJS.Timeout;

  private constructor(options: PrivateListenerOptions) {
    this.#options = options;
    this.#watch = setInterval(() => void this.#look(), lookEveryMs).unref();
  }

  /** @throws VtrError UNAVAILABLE */
  static async open(options: PrivateListenerOptions): Promise<PrivateListener> {
    removeStale(options.path);
    const listener = new PrivateListener(options);
    try {
      await listener.#bind();
    } catch (error) {
      listener.close();
      throw new VtrError(
        'UNAVAILABLE',
        `cannot listen at ${options.path}: ${(error as Error).message}`,
        { cause: error },
      );
    }
    return listener;
  }

  /** Takes no more connections; those that are open go on. */
  close(): void {
    clearInterval(this.#watch);
    const { path } = this.#options;
    if (this.#inode !== null && inodeOf(path) === this.#inode) rmSync(path, { force: true });
    this.#inode = null;
    for (const server of this.#servers) server.close();
  }

  /**
   * Under a name of its own first. It is only seen when it listens, and Node, which removes the file
   * that it bound whatever has become of it, removes nothing.
   */
  async #bind(): Promise<void> {
    const { path, mode, onConnection } = this.#options;
    const temporary = join(dirname(path), `.${process.pid.toString(36)}`);
    rmSync(temporary, { force: true });
    const server = createServer(onConnection);
    this.#servers.push(server);
    await listen(server, temporary);
    try {
      chmodSync(temporary, mode);
      linkSync(temporary, path);
      this.#inode = inodeOf(path);
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  async #look(): Promise<void> {
    const { path, log } = this.#options;
    const inode = inodeOf(path);
    if (inode === this.#inode || this.#inode === null) return;
    if (inode !== null) {
      if (!this.#wasReplaced) log(`${path} was replaced by somebody; it leads elsewhere now`);
      this.#wasReplaced = true;
      return;
    }
    try {
      await this.#bind();
      log(`${path} was removed; it is there again`);
    } catch (error) {
      log(`${path} was removed and cannot be made again: ${(error as Error).message}`);
    }
  }
}

/** Nobody listens there, which the caller has seen to. @throws VtrError UNAVAILABLE */
function removeStale(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const uid = process.getuid?.() ?? stat.uid;
  const problem = !stat.isSocket()
    ? `${path} is there, and no socket`
    : stat.uid !== uid
      ? `the socket ${path} belongs to user ${stat.uid}`
      : null;
  if (problem !== null) {
    throw new VtrError('UNAVAILABLE', `${problem}; remove it, or choose another with --socket`);
  }
  rmSync(path, { force: true });
}

/** The socket is made within the call, so the umask is ours for that moment and nobody else's. */
function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const umask = process.umask(0o177);
    try {
      server.listen({ path }, () => {
        server.off('error', reject);
        resolve();
      });
    } finally {
      process.umask(umask);
    }
  });
}

const inodeOf = (path: string): number | null =>
  lstatSync(path, { throwIfNoEntry: false })?.ino ?? null;
