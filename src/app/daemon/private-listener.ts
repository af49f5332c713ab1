import { chmodSync, linkSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { peerUid } from '#libc';
import { ioError, isVtrError, systemReason, VtrError } from '#model';
import { isOwn, mayConnect } from '#trust';

/** How often the socket file is checked. */
const checkEveryMs = 1000;
/** After this many failed checks in a row the socket is lost. */
const maxFailedChecks = 4;

export interface PrivateListenerOptions {
  readonly path: string;
  /** Permission bits of the socket. */
  readonly mode: number;
  readonly onConnection: (connection: Socket) => void;
  readonly log: (line: string) => void;
  /** Called before the socket is bound again: its directory may be missing too. */
  readonly onRemoved: () => void;
  /** Called once, when clients have been unable to connect for some seconds and cannot again. */
  readonly onLost: () => void;
}

/**
 * Listens at a Unix socket and maintains its file: created with its final permissions, moved into
 * place in one step, created again if it is removed, and removed at the end only if it is still ours.
 * Calls `onLost` if clients can no longer connect: an unreachable daemon is worse than none.
 */
export class PrivateListener {
  readonly #options: PrivateListenerOptions;
  readonly #servers: Server[] = [];
  /** The inode of the socket that was bound last; null before and after listening. */
  #inode: number | null = null;
  /** The number of failed checks in a row. */
  #failedChecks = 0;
  /** Why the last connection was not accepted. */
  #refusal: string | null = null;
  /** Users whose connections were refused. */
  readonly #refused = new Set<number>();
  readonly #watch: NodeJS.Timeout;

  private constructor(options: PrivateListenerOptions) {
    this.#options = options;
    this.#watch = setInterval(() => void this.#check(), checkEveryMs).unref();
  }

  /** @throws VtrError UNAVAILABLE */
  static async open(options: PrivateListenerOptions): Promise<PrivateListener> {
    const listener = new PrivateListener(options);
    try {
      removeStale(options.path);
      await listener.#bind();
    } catch (error) {
      listener.close();
      if (isVtrError(error)) throw error;
      throw new VtrError(
        'UNAVAILABLE',
        `cannot listen at ${options.path}: ${(error as Error).message}`,
        { cause: error },
      );
    }
    return listener;
  }

  /** Accepts no more connections; open ones continue. @throws VtrError IO_ERROR if the socket is left */
  close(): void {
    clearInterval(this.#watch);
    const { path } = this.#options;
    const inode = this.#inode;
    this.#inode = null;
    try {
      if (inode !== null && inodeOf(path) === inode) rmSync(path, { force: true });
    } catch (error) {
      throw ioError(path, 'removed', error);
    } finally {
      for (const server of this.#servers) server.close();
    }
  }

  /**
   * Binds a temporary name first. The socket becomes visible only when it listens. Node removes the
   * path that it bound, even if that is another file by then; the temporary name is already gone.
   */
  async #bind(): Promise<void> {
    const { path, mode } = this.#options;
    const temporary = join(dirname(path), `.${process.pid.toString(36)}`);
    rmSync(temporary, { force: true });
    const server = createServer((connection) => this.#accept(connection));
    await listen(server, temporary);
    server.on('error', (error) => this.#onRefused(error));
    try {
      chmodSync(temporary, mode);
      const inode = inodeOf(temporary);
      linkSync(temporary, path);
      this.#inode = inode;
      this.#servers.push(server);
    } catch (error) {
      server.close();
      throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  /** Without a descriptor for it, the system closes a connection: logged until one is accepted. */
  #onRefused(error: Error): void {
    const reason = systemReason(error);
    if (reason !== this.#refusal) this.#options.log(`a connection was closed: ${reason}`);
    this.#refusal = reason;
  }

  /** Refuses connections of other users, and logs each of these users once. */
  #accept(connection: Socket): void {
    this.#refusal = null;
    const { path, mode, log, onConnection } = this.#options;
    const uid = peerUid(connection);
    if (mayConnect(uid, mode)) {
      onConnection(connection);
      return;
    }
    connection.destroy();
    if (uid === null || this.#refused.has(uid)) return;
    this.#refused.add(uid);
    log(`refused a connection of user ${uid}: check the permissions of ${path}`);
  }

  async #check(): Promise<void> {
    const { path, log, onLost } = this.#options;
    if (this.#inode === null) return;
    const description = this.#socketState();
    if (description === 'ours') {
      this.#failedChecks = 0;
      return;
    }
    this.#failedChecks++;
    const problem = description === 'removed' ? await this.#bindAgain() : description;
    if (problem !== null && this.#failedChecks === 1) log(`${path} ${problem}`);
    if (problem === null || this.#failedChecks !== maxFailedChecks) return;
    log(`clients can no longer connect: ${path} ${problem}`);
    onLost();
  }

  /** Returns `ours`, `removed`, or the problem. */
  #socketState(): string {
    try {
      const inode = inodeOf(this.#options.path);
      if (inode === this.#inode) return 'ours';
      return inode === null ? 'removed' : 'was replaced';
    } catch (error) {
      return `cannot be checked: ${(error as Error).message}`;
    }
  }

  /** @returns the problem, or null if the socket was bound again */
  async #bindAgain(): Promise<string | null> {
    const { path, log, onRemoved } = this.#options;
    try {
      onRemoved();
      await this.#bind();
      log(`${path} was removed; created it again`);
      return null;
    } catch (error) {
      return `was removed and cannot be created again: ${(error as Error).message}`;
    }
  }
}

/** Removes the socket of a dead process; the caller has checked it. @throws VtrError UNAVAILABLE */
function removeStale(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const problem = !stat.isSocket()
    ? `${path} exists and is not a socket`
    : !isOwn(stat)
      ? `user ${stat.uid} owns the socket ${path}`
      : null;
  if (problem !== null) {
    throw new VtrError(
      'UNAVAILABLE',
      `${problem}; remove it, or choose another with --socket or VTR_SOCKET`,
    );
  }
  rmSync(path, { force: true });
}

/** The call creates the socket synchronously, so the umask applies to no other file. */
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
