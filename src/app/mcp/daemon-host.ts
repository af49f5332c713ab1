import { existsSync } from 'node:fs';
import { asVtrError, type Coordinator, VtrError } from '#model';
import type { SessionHost } from '#wire/mcp';

/** The user's own coordinator, in a daemon that outlives this process. */
export class DaemonHost implements SessionHost {
  readonly #socket: string;
  readonly #startDaemon: () => Promise<unknown>;
  #coordinator: Promise<Coordinator> | null = null;
  #starting: Promise<unknown> | null = null;

  constructor(socket: string, startDaemon: () => Promise<unknown>) {
    this.#socket = socket;
    this.#startDaemon = startDaemon;
  }

  async reach(): Promise<Coordinator | null> {
    // A daemon that ends takes its socket with it.
    if (!existsSync(this.#socket)) {
      await this.close();
      return null;
    }
    this.#coordinator ??= this.#connect();
    try {
      return await this.#coordinator;
    } catch (error) {
      this.#coordinator = null;
      // One that was killed leaves its socket.
      if (asVtrError(error).details['reason'] === 'ECONNREFUSED') return null;
      throw error;
    }
  }

  async start(): Promise<Coordinator> {
    const running = await this.#answering();
    if (running !== null) return running;
    // Calls that come together need one daemon between them.
    this.#starting ??= this.#startDaemon().finally(() => {
      this.#starting = null;
    });
    await this.#starting;
    const started = await this.reach();
    if (started !== null) return started;
    throw new VtrError('UNAVAILABLE', `the daemon at ${this.#socket} has ended again; see its log`);
  }

  async close(): Promise<void> {
    const coordinator = this.#coordinator;
    this.#coordinator = null;
    await coordinator?.then((each) => each.close()).catch(() => {});
  }

  /** Until the connection is lost: who was killed does not answer, and another may have its place. */
  #connect(): Promise<Coordinator> {
    const onLost = () => {
      if (this.#coordinator === connection) this.#coordinator = null;
    };
    // A host that only asks what tools there are is answered before the client of the service is loaded.
    const connection = import('#wire/service').then(({ connect }) =>
      connect({ socket: this.#socket, onLost }),
    );
    return connection;
  }

  /** One that was killed this moment is found out by its silence. */
  async #answering(): Promise<Coordinator | null> {
    const coordinator = await this.reach();
    try {
      await coordinator?.list();
      return coordinator;
    } catch (error) {
      if (asVtrError(error).code !== 'UNAVAILABLE') throw error;
      await this.close();
      return this.reach();
    }
  }
}
