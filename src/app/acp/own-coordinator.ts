import { existsSync } from 'node:fs';
import { asVtrError, type Coordinator } from '#model';

/** The user's own coordinator, which is started where none runs. */
export class OwnCoordinator {
  readonly #socket: string;
  readonly #startDaemon: () => Promise<unknown>;
  #connection: Promise<Coordinator> | null = null;

  constructor(socket: string, startDaemon: () => Promise<unknown>) {
    this.#socket = socket;
    this.#startDaemon = startDaemon;
  }

  /** @throws VtrError UNAVAILABLE; the next call tries again */
  reach(): Promise<Coordinator> {
    // A daemon that ends takes its socket with it; to another one the connection is made anew.
    if (this.#connection !== null && existsSync(this.#socket)) return this.#connection;
    const previous = this.#connection;
    const connection = this.#connect(previous);
    this.#connection = connection;
    connection.catch(() => {
      if (this.#connection === connection) this.#connection = null;
    });
    return connection;
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    await connection?.then((each) => each.close()).catch(() => {});
  }

  async #connect(previous: Promise<Coordinator> | null): Promise<Coordinator> {
    await previous?.then((each) => each.close()).catch(() => {});
    // Many an agent never asks for it.
    const { connect } = await import('#wire/grpc');
    if (existsSync(this.#socket)) {
      try {
        return await connect({ socket: this.#socket });
      } catch (error) {
        // A daemon that was killed leaves its socket.
        if (!isRefused(error)) throw error;
      }
    }
    await this.#startDaemon();
    return connect({ socket: this.#socket });
  }
}

/** By its code: the client is a file of its own, with a copy of the class. */
const isRefused = (error: unknown): boolean =>
  /ECONNREFUSED|ENOENT/.test(
    String(asVtrError(error).details['reason'] ?? asVtrError(error).message),
  );
