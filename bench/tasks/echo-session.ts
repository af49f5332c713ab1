import { performance } from 'node:perf_hooks';
import type { Coordinator, SessionInfo, SubscriptionEvent } from '#model';

const script = 'stty raw -echo; echo ready; exec cat';
/** Echoes its input unchanged, after `ready`. */
export const echoProgram = { program: 'sh', args: ['-c', script] };
export const probe = Uint8Array.of(0x2e);

/** A session that echoes its input, with a subscription. */
export class EchoSession {
  readonly #coordinator: Coordinator;
  readonly #session: SessionInfo;
  readonly #events: AsyncIterator<SubscriptionEvent>;

  static async start(coordinator: Coordinator): Promise<EchoSession> {
    const session = await coordinator.spawn(echoProgram);
    const subscription = await coordinator.subscribe(session);
    const echo = new EchoSession(coordinator, session, subscription[Symbol.asyncIterator]());
    for (let output = ''; !output.includes('ready'); ) output += (await echo.#output()).toString();
    return echo;
  }

  private constructor(
    coordinator: Coordinator,
    session: SessionInfo,
    events: AsyncIterator<SubscriptionEvent>,
  ) {
    this.#coordinator = coordinator;
    this.#session = session;
    this.#events = events;
  }

  /** From the call that sends a byte to the output event with its echo, in ms. */
  async roundTripMs(): Promise<number> {
    const begin = performance.now();
    const output = this.#output();
    await Promise.all([this.#coordinator.sendBytes(this.#session, probe), output]);
    return performance.now() - begin;
  }

  end(): Promise<unknown> {
    return this.#coordinator.remove(this.#session, { force: true });
  }

  /** The bytes of the next output event, or of the snapshot in place of earlier ones. */
  async #output(): Promise<Buffer> {
    for (;;) {
      const { value, done } = await this.#events.next();
      if (done === true) throw new Error('the session that echoes has ended');
      if (value.type === 'output') return Buffer.from(value.bytes);
      if (value.type === 'snapshot') return Buffer.from(value.dump);
    }
  }
}
