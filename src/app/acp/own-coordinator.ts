import { existsSync } from 'node:fs';
import { asVtrError, type Coordinator, VtrError } from '#model';
import type { CoordinatorSource } from './late-coordinator.ts';

/** The user's own coordinator, which is started where none runs. */
export class OwnCoordinator implements CoordinatorSource {
  readonly #socket: string;
  readonly #startDaemon: () => Promise<unknown>;
  #connection: Promise<Coordinator> | null = null;
  /** What {@link #connection} has come to. */
  #connected: Coordinator | null = null;

  constructor(socket: string, startDaemon: () => Promise<unknown>) {
    this.#socket = socket;
    this.#startDaemon = startDaemon;
  }

  /** The next call tries again where it fails. */
  reach(isNeeded: boolean): Promise<Coordinator> {
    // A daemon that ends takes its socket with it.
    if (this.#connection !== null && existsSync(this.#socket)) return this.#connection;
    // What was begun with the one before has ended with the connection.
    if (!isNeeded) return Promise.reject(this.#gone());
    const connection = this.#connect(this.#connection);
    this.#connection = connection;
    connection.then(
      (coordinator) => {
        this.#connected = coordinator;
      },
      () => this.#forget(connection),
    );
    return connection;
  }

  /** One that was killed leaves its socket: the next call finds out, and starts another. */
  lost(coordinator: Coordinator): void {
    if (this.#connected !== coordinator) return;
    this.#forget(this.#connection);
    void coordinator.close();
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#forget(connection);
    await connection?.then((each) => each.close()).catch(() => {});
  }

  #forget(connection: Promise<Coordinator> | null): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    this.#connected = null;
  }

  #gone(): VtrError {
    const message = `the coordinator at ${this.#socket} is gone, and all that ran there; the next terminal starts another`;
    return new VtrError('UNAVAILABLE', message);
  }

  async #connect(previous: Promise<Coordinator> | null): Promise<Coordinator> {
    await previous?.then((each) => each.close()).catch(() => {});
    // Many an agent never asks for it.
    const { connect } = await import('#wire/service');
    if (existsSync(this.#socket)) {
      try {
        return await connect({ socket: this.#socket });
      } catch (error) {
        if (!/ECONNREFUSED|ENOENT/.test(asVtrError(error).message)) throw error;
      }
    }
    await this.#startDaemon();
    return connect({ socket: this.#socket });
  }
}
