import { type Clock, type Disposable, toDisposable } from '#base';
import { LocalCoordinator } from '#coordinator';
import {
  asVtrError,
  type Coordinator,
  type SendResult,
  type SessionInfo,
  type Viewing,
  type ViewRequest,
} from '#model';
import { FakePtyHost } from '../pty/fake-pty-host.ts';
import { VirtualClock } from '../virtual-clock.ts';

/** The clock of a process that can be killed: nothing happens in it afterwards. */
class ProcessClock implements Clock {
  readonly #clock: VirtualClock;
  #isKilled = false;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  nowMs = (): number => this.#clock.nowMs();
  wallMs = (): number => this.#clock.wallMs();

  kill(): void {
    this.#isKilled = true;
  }

  schedule(delayMs: number, run: () => void): Disposable {
    return this.#clock.schedule(delayMs, () => this.#run(run));
  }

  afterPendingIo(run: () => void): Disposable {
    return this.#isKilled
      ? toDisposable(() => {})
      : this.#clock.afterPendingIo(() => this.#run(run));
  }

  #run(run: () => void): void {
    if (!this.#isKilled) run();
  }
}

/** How a person comes; see `ViewRequest`. */
type As = NonNullable<ViewRequest['as']>;

/** The size of a window, and of a session at first. */
export const windowSize = { cols: 80, rows: 24 } as const;

/** A session without a program, in a coordinator that can be killed and continued by another one. */
export class DrivenSession {
  readonly time = new VirtualClock();
  readonly faults: unknown[] = [];
  readonly name = 'one';
  #host = new FakePtyHost();
  #clock = new ProcessClock(this.time);
  coordinator: Coordinator = this.#begin();

  static async begin(): Promise<DrivenSession> {
    const session = new DrivenSession();
    await session.coordinator.spawn({ name: session.name, program: '/bin/fake' });
    return session;
  }

  /** A session, and a person who views it in a window of 80 columns. */
  static async withViewer(as: As = 'auto', name = 'alice') {
    const driven = await DrivenSession.begin();
    return { driven, viewing: await driven.join(name, as) };
  }

  /** A person views the session in a window of 80 columns. */
  join(name: string, as: As = 'auto'): Promise<Viewing> {
    return this.coordinator.view(this.name, { name, kind: 'attach', size: windowSize, as });
  }

  /** A person types in a viewing. */
  type({ id }: Viewing): Promise<SendResult> {
    return this.coordinator.sendText(this.name, 'x', { viewer: id });
  }

  #begin(): LocalCoordinator {
    const onFault = (error: unknown) => this.faults.push(error);
    return new LocalCoordinator({ ptyHost: this.#host, clock: this.#clock, onFault });
  }

  async restart(): Promise<void> {
    this.#clock.kill();
    this.#clock = new ProcessClock(this.time);
    this.#host = new FakePtyHost(this.#host);
    const coordinator = this.#begin();
    this.coordinator = coordinator;
    await coordinator.adopt();
    await this.settled();
  }

  async pass(ms: number): Promise<void> {
    this.time.advance(ms);
    await this.settled();
  }

  info(): Promise<SessionInfo> {
    return this.coordinator.info(this.name);
  }

  /** Lets all promises settle that do not wait for time. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) {
      this.time.settleIo();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** The present state of a viewing; null after its end. */
export async function stateOf(viewing: Viewing) {
  const states = viewing[Symbol.asyncIterator]();
  const { done, value } = await states.next();
  return done ? null : value;
}

/** The code of a failure; null for success. */
export const codeOf = (call: Promise<unknown>): Promise<string | null> =>
  call.then(
    () => null,
    (error) => asVtrError(error).code,
  );
