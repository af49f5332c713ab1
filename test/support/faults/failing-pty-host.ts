import { PtyServer } from '#app/ptyd';
import { ignored } from '#base';
import { systemClock } from '#coordinator';
import { VtrError } from '#model';
import { createPtyHost, type OwningPtyHost } from '#pty';
import { connectPtyHost, type HostedPtyHost } from '#pty/hosted';
import { LastingListener } from '../../../src/app/ptyd/run-ptyd.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { failingBinding } from './libc-calls.ts';

/** A PTY host as a process of its own runs it, in this process, of which each system call can fail. */
export class FailingPtyHost {
  readonly socket: string;
  readonly #log: (line: string) => void;
  readonly #owner: OwningPtyHost;
  readonly #listener: LastingListener;
  readonly #connected: HostedPtyHost[] = [];

  constructor(socket: string, log: (line: string) => void) {
    this.socket = socket;
    this.#log = log;
    this.#owner = createPtyHost({}, () => failingBinding as NonNullable<typeof failingBinding>);
    const now = () => ({ wallMs: Date.now(), bootMs: systemClock.nowMs() });
    // Its lifetime does not end, however slow the machine is.
    const clock = new VirtualClock();
    const server = new PtyServer({
      host: this.#owner,
      version: 'test',
      now,
      clock,
      log,
      onEnd: () => {},
    });
    this.#listener = new LastingListener({
      path: socket,
      clock,
      log,
      onConnection: (connection) => server.accept(connection),
    });
  }

  /** @throws VtrError UNAVAILABLE, as the process that starts a host reports it */
  async open(): Promise<void> {
    try {
      await this.#listener.open();
    } catch (error) {
      throw new VtrError('UNAVAILABLE', `it did not start: ${(error as Error).message}`);
    }
  }

  /**
   * Connects a coordinator, which the programs outlive.
   *
   * @param socket at which the host is reached
   */
  async connect(socket = this.socket): Promise<HostedPtyHost> {
    const host = await connectPtyHost({
      socket,
      version: 'test',
      survival: { again: null },
      onListenerError: (error) => this.#log(`fault: ${error}`),
    });
    this.#connected.push(host);
    return host;
  }

  /** Ends everything. */
  async close(): Promise<void> {
    for (const host of this.#connected)
      await ignored(host.detach(), 'its connection may be broken');
    await this.#owner.close({ force: true });
    this.#listener.close();
  }
}
