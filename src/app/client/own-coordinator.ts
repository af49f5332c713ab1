import { existsSync } from 'node:fs';
import { ignored } from '#base';
import {
  asVtrError,
  type Coordinator,
  callByName,
  callOf,
  coordinatorOf,
  isAddress,
  isSessionCall,
  VtrError,
} from '#model';
import {
  afterEnding,
  callOrStart,
  daemonStuck,
  type IsStuck,
  isNotRunning,
} from './daemon-calls.ts';
import type { MayStart } from './start-daemon.ts';

export interface OwnCoordinatorOptions {
  /** Or an address. */
  readonly socket: string;
  /** The kind of this program. */
  readonly client: 'mcp' | 'acp';
  /** Starts the daemon of the socket if that is allowed. Returns whether one serves now. */
  readonly reach: (mayStart: Exclude<MayStart, 'never'>) => Promise<boolean>;
  /** Replaces the client of the service in tests. */
  readonly connect?: Connect;
}

type Connect = (options: {
  readonly socket: string;
  readonly client: 'mcp' | 'acp';
  readonly recover: () => Promise<boolean>;
  readonly isStuck: IsStuck;
}) => Promise<Coordinator>;

/**
 * The user's own coordinator, in a daemon that outlives this process. One connection, opened when it
 * is first needed, and again after the daemon ended or was killed.
 */
export class OwnCoordinator {
  /**
   * Sends each call to the daemon that runs at the time. Calls that make a session or a lease start
   * one if needed; the others, if sessions are left without one.
   */
  readonly coordinator: Coordinator;
  readonly #options: OwnCoordinatorOptions;
  #connection: Promise<Coordinator> | null = null;
  #starting: Promise<boolean> | null = null;
  #startingIfLeft: Promise<boolean> | null = null;
  #isClosed = false;

  constructor(options: OwnCoordinatorOptions) {
    this.#options = options;
    this.coordinator = coordinatorOf((name, connection) => {
      if (name === 'close') return this.close();
      // The caller may use an array again once this returns.
      const args = connection.map((each) =>
        each instanceof Uint8Array ? new Uint8Array(each) : each,
      );
      const send = () =>
        this.#send(this.#connect(), (to) => callByName(to, name, args) as Promise<unknown>);
      const makesFirst = callOf(name).kind === 'make' && !isSessionCall(name);
      return makesFirst
        ? callOrStart(
            () => afterEnding(send),
            () => this.#start(),
          )
        : callOrStart(send, () => this.#startIfLeft());
    });
  }

  /**
   * Returns the coordinator, or null if no daemon runs and no sessions are left without one.
   *
   * @throws VtrError UNAVAILABLE
   */
  async reach(): Promise<Coordinator | null> {
    try {
      await callOrStart(
        () => this.#connect(),
        () => this.#startIfLeft(),
      );
      return this.coordinator;
    } catch (error) {
      if (isNotRunning(error)) return null;
      throw error;
    }
  }

  /** Returns the coordinator, and starts a daemon if none runs. @throws VtrError UNAVAILABLE */
  async start(): Promise<Coordinator> {
    await callOrStart(
      () => this.#check(),
      () => this.#start(),
    );
    return this.coordinator;
  }

  /** Closes the connection for good: one that a later call opened would keep the process alive. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    await ignored(
      connection?.then((each) => each.close()),
      'a connection that could not be made need not be closed',
    );
  }

  async #send<T>(
    connection: Promise<Coordinator>,
    call: (to: Coordinator) => Promise<T>,
  ): Promise<T> {
    try {
      return await call(await connection);
    } catch (error) {
      // A daemon that was killed leaves its socket, and refuses the next connection.
      if (isNotRunning(error) && this.#connection === connection) void this.#disconnect();
      throw error;
    }
  }

  /** Finds out whether the daemon was killed since the last call. */
  async #check(): Promise<void> {
    const connection = this.#connect();
    try {
      await this.#send(connection, (to) => to.list());
    } catch (error) {
      if (asVtrError(error).code !== 'UNAVAILABLE') throw error;
      if (this.#connection === connection) await this.#disconnect();
      await this.#connect();
    }
  }

  /** One daemon for all calls that need one at the same time. */
  #start(): Promise<boolean> {
    this.#starting ??= this.#options.reach('always').finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** Closes the connection if the daemon ended together with its sessions. */
  #startIfLeft(): Promise<boolean> {
    if (this.#starting !== null) return this.#starting;
    const reach = async () => {
      const isServed = await this.#options.reach('if_left');
      if (!isServed) void this.#disconnect();
      return isServed;
    };
    this.#startingIfLeft ??= reach().finally(() => {
      this.#startingIfLeft = null;
    });
    return this.#startingIfLeft;
  }

  #connect(): Promise<Coordinator> {
    // A daemon that ends removes its socket.
    const { socket } = this.#options;
    if (this.#isClosed) {
      return Promise.reject(new VtrError('UNAVAILABLE', `the connection to ${socket} is closed`));
    }
    if (!isAddress(socket) && !existsSync(socket)) return Promise.reject(this.#notRunning());
    this.#connection ??= this.#open();
    return this.#connection;
  }

  #open(): Promise<Coordinator> {
    const { socket, client, connect = connectToService } = this.#options;
    const connection = connect({
      socket,
      client,
      recover: () => this.#startIfLeft(),
      isStuck: daemonStuck(socket),
    });
    connection.catch(() => {
      if (this.#connection === connection) this.#connection = null;
    });
    return connection;
  }

  #notRunning(): VtrError {
    const { socket } = this.#options;
    const message = `no coordinator runs at ${socket}; its sessions have ended, and the next new session starts one`;
    return new VtrError('UNAVAILABLE', message, { details: { socket, reason: 'ENOENT' } });
  }
}

/** Loads the client of the service when it is first needed, because many hosts and agents never need it. */
const connectToService: Connect = async (options) => {
  const { connect } = await import('#wire/service');
  return connect(options);
};
