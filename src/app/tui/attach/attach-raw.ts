import {
  asVtrError,
  type Coordinator,
  type SessionRef,
  type Subscription,
  type Viewing,
  VtrError,
} from '#model';
import { capabilitiesOf, leaveTty, type TtyEnvironment } from '#tty';
import { onEndOfProcess } from '../tty-screen/end-of-process.ts';
import { TtyDevice } from '../tty-screen/tty-device.ts';
import type { AttachEnd, AttachOptions } from './attach-options.ts';
import { InputQueue } from './input-queue.ts';
import { LeaderBytes } from './leader-bytes.ts';
import { sendInput } from './send-input.ts';

type RawEnd = Exclude<AttachEnd, { type: 'overview' }>;

/** The state of the session that follows is complete. */
const clear = '\x1b[m\x1b[r\x1b[H\x1b[2J\x1b[3J';

/**
 * Passes the output of a session to the person's terminal, and what is typed to the session, as they
 * are. Only the leader with `d`, which detaches, is not passed on.
 *
 * @throws VtrError INVALID_ARGUMENT without a terminal; NOT_DRIVER if somebody else drives; of the calls
 */
export async function attachRaw(env: TtyEnvironment, options: AttachOptions): Promise<RawEnd> {
  const { link, session, person, as = 'auto' } = options;
  const coordinator = await link.connect();
  try {
    const size = { cols: process.stdout.columns, rows: process.stdout.rows };
    const viewing = await coordinator.view(session, { name: person, kind: 'attach', size, as });
    await checkDrives(viewing, session.name);
    const end = await new RawTty(env, options, coordinator, viewing).run();
    await viewing.dispose().catch(() => {});
    return end;
  } finally {
    await coordinator.close();
  }
}

/** @throws VtrError NOT_DRIVER */
async function checkDrives(viewing: Viewing, session: string): Promise<void> {
  for await (const { drives, driver } of viewing) {
    if (drives) return;
    const message = `--raw needs to drive ${session}, which ${driver?.name ?? 'nobody'} drives; add --take`;
    throw new VtrError('NOT_DRIVER', message);
  }
}

class RawTty {
  readonly #env: TtyEnvironment;
  readonly #session: { readonly name: string; readonly id: string };
  readonly #coordinator: Coordinator;
  readonly #device: TtyDevice;
  readonly #leader: LeaderBytes;
  readonly #input: InputQueue;
  #drained: () => void = () => {};
  #end: (end: RawEnd) => void = () => {};
  #closed: () => void = () => {};

  constructor(
    env: TtyEnvironment,
    { session, settings }: AttachOptions,
    coordinator: Coordinator,
    viewing: Viewing,
  ) {
    this.#env = env;
    this.#session = session;
    this.#coordinator = coordinator;
    this.#leader = new LeaderBytes(settings.leader);
    this.#input = new InputQueue(
      (input) => sendInput({ coordinator, viewing }, session, input),
      (error) => error !== null && this.#lost(error),
    );
    this.#device = new TtyDevice({
      data: (bytes) => this.#read(bytes),
      resized: () => void viewing.resize(this.#device.size).catch(() => {}),
      drained: () => this.#drained(),
      closed: () => this.#closed(),
    });
  }

  async run(): Promise<RawEnd> {
    const device = this.#device;
    const leave = () => {
      device.writeNow(leaveTty(capabilitiesOf(this.#env)));
      device.setRaw(false);
    };
    const endings = onEndOfProcess({
      leave,
      suspend: () => process.kill(process.pid, 'SIGSTOP'),
      resume: () => device.renewRaw(),
    });
    this.#closed = () => endings.end('SIGHUP');
    const ended = new Promise<RawEnd>((resolve) => {
      this.#end = resolve;
    });
    device.begin();
    const subscription = await this.#coordinator.subscribe(this.#session as SessionRef, {
      scrollbackLines: 0,
    });
    this.#pass(subscription).catch((error: unknown) => this.#lost(error));
    const end = await ended;
    subscription.dispose();
    endings.dispose();
    leave();
    device.end();
    return end;
  }

  async #pass(subscription: Subscription): Promise<void> {
    for await (const event of subscription) {
      if (event.type === 'snapshot')
        await this.#write(Buffer.concat([Buffer.from(clear), event.dump]));
      else if (event.type === 'output') await this.#write(event.bytes);
      else if (event.type === 'exit') {
        this.#end({ type: 'ended', session: this.#session.name, status: event.status });
      }
    }
  }

  /** Resolves when the terminal has accepted all. */
  #write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#drained = resolve;
      this.#device.write(bytes);
      if (!this.#device.isBusy) resolve();
    });
  }

  #read(bytes: Uint8Array): void {
    const { rest, detaches } = this.#leader.read(bytes);
    if (rest.length > 0) this.#input.add({ type: 'bytes', bytes: rest });
    if (detaches) this.#end({ type: 'detached', session: this.#session.name });
  }

  #lost(error: unknown): void {
    this.#end({ type: 'lost', reason: asVtrError(error).message });
  }
}
