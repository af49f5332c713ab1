import { chmodSync, linkSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { VtrError } from '#model';

/** How often the socket's file is looked after. */
const lookEveryMs = 1000;
/** So often in a row it may be found missing or replaced. */
const maxLost = 4;

export interface PrivateListenerOptions {
  readonly path: string;
  /** Permission bits of the socket. */
  readonly mode: number;
  readonly onConnection: (connection: Socket) => void;
  readonly log: (line: string) => void;
  /** Called before the file is made again: its folder may be gone too. */
  readonly onRemoved: () => void;
  /** Called once, when nobody has been able to come in for some seconds, and nobody will. */
  readonly onLost: () => void;
}

/**
 * Listens at a Unix socket whose file it looks after: made with its final permissions, put in place
 * in one step, made again when somebody removes it, and removed at the end only while it is ours.
 * Who cannot be reached any more is told, for that is worse than to have ended.
 */
export class PrivateListener {
  readonly #options: PrivateListenerOptions;
  readonly #servers: Server[] = [];
  /** Of the file that was put in place last. */
  #inode: number | null = null;
  /** How often in a row it was not there. */
  #lost = 0;
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
    const { path, log, onLost } = this.#options;
    const inode = inodeOf(path);
    if (this.#inode === null) return;
    if (inode === this.#inode) {
      this.#lost = 0;
      return;
    }
    this.#lost++;
    const problem = inode === null ? await this.#bindAgain() : 'was replaced by somebody';
    if (problem !== null && this.#lost === 1) log(`${path} ${problem}`);
    if (problem === null || this.#lost !== maxLost) return;
    log(`nobody can reach this daemon any more, because ${path} ${problem}`);
    onLost();
  }

  /** @returns why it cannot be made again, null when it is */
  async #bindAgain(): Promise<string | null> {
    const { path, log, onRemoved } = this.#options;
    try {
      onRemoved();
      await this.#bind();
      log(`${path} was removed; it is there again`);
      return null;
    } catch (error) {
      return `was removed and cannot be made again: ${(error as Error).message}`;
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
