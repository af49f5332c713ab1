import { ignored } from '#base';
import { encodeKey, parseKey } from '#keys';
import {
  asVtrError,
  type ExitStatus,
  initialViewModes,
  type KeyModes,
  type KeyPress,
  type Size,
  type Subscription,
  type ViewingState,
  VtrError,
} from '#model';
import {
  capabilitiesOf,
  enterRawTty,
  leaveRawTty,
  statusQuery,
  TtyDecoder,
  type TtyEnvironment,
} from '#tty';
import type { Keys } from '../keys.ts';
import { AwaitedAnswers } from '../tty-screen/awaited-answers.ts';
import { ttyClock } from '../tty-screen/tty.ts';
import { onEndOfProcess, type ProcessEnd, TtyDevice } from '../tty-screen/tty-device.ts';
import { InputQueue, sendInput } from './input-queue.ts';
import type { AttachEnd, AttachOptions } from './scene.ts';
import { SessionConnection } from './session-connection.ts';

type RawEnd = Exclude<AttachEnd, { type: 'overview' }>;

/** For how long the last answer is awaited, in ms: nothing was asked before, so the terminal may give none. */
const maxAnswerMs = 300;
/** The state of the session that follows is complete. */
const clear = '\x1b[m\x1b[r\x1b[H\x1b[2J\x1b[3J';
/** On the last row; the state that follows a lost connection replaces it. */
const lostText = '\x1b7\x1b[m\x1b[r\x1b[999;1H\x1b[7m connection lost · reconnecting \x1b[m\x1b8';

/**
 * Passes the output of a session to the person's terminal, and what is typed to the session, as they
 * are. Only the keys that detach are not passed on. A lost connection is made again.
 *
 * @throws VtrError INVALID_ARGUMENT without a terminal; NOT_DRIVER if somebody else drives; of the calls
 */
export function attachRaw(env: TtyEnvironment, options: AttachOptions): Promise<RawEnd> {
  return new RawTty(env, options).run();
}

class RawTty {
  readonly #env: TtyEnvironment;
  readonly #session: { readonly name: string; readonly id: string };
  readonly #device: TtyDevice;
  readonly #leader: LeaderBytes;
  readonly #input: InputQueue;
  readonly #connection: SessionConnection;
  /** Null until it is known that the person drives: before, the terminal is left as it is. */
  #endings: ProcessEnd | null = null;
  #subscription: Subscription | null = null;
  #hasLeft = false;
  /** The terminal is the shell's while this process is suspended. */
  #isAway = false;
  #isLost = false;
  #drained: () => void = () => {};
  #end: (end: RawEnd) => void = () => {};
  #fail: (error: VtrError) => void = () => {};

  constructor(
    env: TtyEnvironment,
    { link, session, person, as = 'auto', sizing, settings }: AttachOptions,
  ) {
    this.#env = env;
    this.#session = session;
    this.#leader = new LeaderBytes(settings.keys);
    this.#device = new TtyDevice({
      data: (bytes) => this.#read(bytes),
      resized: () =>
        void ignored(
          this.#connection.viewing?.resize(this.#size),
          'the connection itself notices a loss',
        ),
      drained: () => this.#drained(),
      closed: () => this.#endings?.end('SIGHUP'),
    });
    this.#connection = new SessionConnection({
      link,
      session,
      person,
      as,
      sizing,
      timers: ttyClock,
      size: () => this.#size,
      mirror: {
        load: async () => {},
        follow: (subscription) => this.#follow(subscription),
        dispose: () => this.#subscription?.dispose(),
      },
      listener: {
        connected: () => {
          this.#isLost = false;
        },
        viewing: (state) => this.#viewing(state),
        sessions: () => {},
        lost: () => this.#lost(),
        // A text would stay on the screen of the program.
        silent: () => {},
        gone: (reason) => this.#gone(reason),
      },
    });
    this.#input = new InputQueue(
      (input) => sendInput(this.#connection, session, input),
      (error) => this.#inputFailed(error),
    );
  }

  async run(): Promise<RawEnd> {
    const ended = new Promise<RawEnd>((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    const keeping = this.#connection.keep();
    try {
      const end = await ended;
      // What is typed from now on is for the program that reads the terminal next.
      if (this.#endings !== null) this.#device.pause();
      const isSent = await this.#input.finish();
      return end.type === 'detached' && !isSent ? { ...end, isUnsent: true } : end;
    } finally {
      await this.#connection.dispose();
      await keeping;
      if (this.#endings !== null) {
        this.#endings.dispose();
        this.#leave();
        this.#device.end();
      }
    }
  }

  get #size(): Size {
    return this.#device.size;
  }

  /** Output is shown from the moment that the person drives. */
  #viewing({ drives, driver }: ViewingState): void {
    if (drives) {
      if (this.#endings === null) this.#begin();
      return;
    }
    if (this.#endings !== null) return;
    const message = `${driver?.name ?? 'another person'} holds ${this.#session.name}; add --force`;
    this.#fail(new VtrError('NOT_DRIVER', message));
  }

  #begin(): void {
    this.#endings = onEndOfProcess({
      leave: () => this.#leave(),
      suspend: () => this.#suspend(),
      resume: () => this.#resume(),
    });
    this.#device.begin();
    this.#device.write(enterRawTty(capabilitiesOf(this.#env)));
    if (this.#subscription !== null) void this.#pass(this.#subscription);
  }

  #suspend(): void {
    if (this.#hasLeft) return;
    this.#isAway = true;
    this.#handOver();
    this.#endings?.stop();
  }

  #resume(): void {
    if (this.#hasLeft) return;
    this.#device.renewRaw();
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#device.write(enterRawTty(capabilitiesOf(this.#env)));
    // The shell has written on the screen.
    void this.#renew();
  }

  #leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#handOver();
  }

  #handOver(): void {
    this.#device.writeNow(leaveRawTty(capabilitiesOf(this.#env)) + statusQuery);
    // The program may have asked something, or requested reports.
    const answers = new AwaitedAnswers(ttyClock);
    answers.ask('status');
    const late = answers.readNow(this.#device, new TtyDecoder(), maxAnswerMs);
    if (late.isTyped) this.#device.writeNow('\x07');
    this.#device.setRaw(false);
  }

  #follow(subscription: Subscription): void {
    this.#subscription?.dispose();
    this.#subscription = subscription;
    if (this.#endings !== null) void this.#pass(subscription);
  }

  async #pass(subscription: Subscription): Promise<void> {
    let status: ExitStatus | null = null;
    try {
      for await (const event of subscription) {
        if (subscription !== this.#subscription) return;
        if (event.type === 'snapshot') {
          await this.#write(Buffer.concat([Buffer.from(clear), event.dump]));
        } else if (event.type === 'output') await this.#write(event.bytes);
        else if (event.type === 'resize') void this.#renew();
        else if (event.type === 'exit') ({ status } = event);
      }
    } catch (error) {
      if (subscription === this.#subscription) this.#connection.interrupted(asVtrError(error));
      return;
    }
    if (status !== null) this.#end({ type: 'ended', session: this.#session.name, status });
  }

  /** The person's terminal does not wrap lines again as the session's does: it gets the state anew. */
  async #renew(): Promise<void> {
    const { coordinator } = this.#connection;
    try {
      const subscription = await coordinator?.subscribe(this.#session, { scrollbackLines: 0 });
      if (subscription === undefined) return;
      if (this.#connection.coordinator === coordinator) this.#follow(subscription);
      else subscription.dispose();
    } catch {
      // The connection is lost, and the next one brings the state.
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
    if (rest.length > 0 && this.#isLost) this.#device.write('\x07');
    else if (rest.length > 0) this.#input.add({ type: 'bytes', bytes: rest });
    if (detaches) this.#end({ type: 'detached', session: this.#session.name });
  }

  #lost(): void {
    this.#isLost = true;
    this.#input.clear();
    if (this.#endings !== null) this.#device.write(lostText);
  }

  #gone(reason: VtrError): void {
    if (reason.code === 'UNAVAILABLE') this.#end({ type: 'lost', reason: reason.message });
    else this.#fail(reason);
  }

  /** An interrupted call is told by the connection, too. */
  #inputFailed(error: unknown): void {
    if (error === null || asVtrError(error).code === 'UNAVAILABLE') this.#device.write('\x07');
    else this.#end({ type: 'lost', reason: asVtrError(error).message });
  }
}

/** The modes in which a terminal may encode the leader: those that the program requested. */
const encodings: readonly KeyModes[] = [
  initialViewModes,
  { ...initialViewModes, kittyFlags: 1 },
  { ...initialViewModes, modifyOtherKeys: 2 },
];

/** Returns all ways to encode a key. One that an encoding does not have, such as a media key, is left out. */
const waysOf = (press: KeyPress): readonly string[] =>
  [...new Set(encodings.map((modes) => bytesText(encodeKey(press, modes))))].filter(
    (text) => text !== '',
  );

/** Finds the keys that detach in bytes that are otherwise passed on. Keys are not split over reads. */
export class LeaderBytes {
  readonly #leaders: readonly string[];
  readonly #detaching: readonly string[];
  readonly #direct: readonly string[];
  #isLeading = false;

  constructor(keys: Pick<Keys, 'leader' | 'of' | 'directOf'>) {
    const bytesOf = (names: readonly string[]) => names.flatMap((name) => waysOf(parseKey(name)));
    this.#leaders = keys.leader === null ? [] : waysOf(keys.leader);
    const detaching = keys.of('attach', 'detach').filter((key) => key !== 'leader');
    const single = detaching.filter((key) => !key.includes(' '));
    // A sequence of keys is not looked for here.
    const isSequence = detaching.length > 0 && single.length === 0;
    this.#detaching = bytesOf(isSequence ? ['d'] : single);
    this.#direct = bytesOf(keys.directOf('detach'));
  }

  /** Returns the bytes to pass on, and whether the keys that detach were pressed. */
  read(bytes: Uint8Array): { readonly rest: Uint8Array; readonly detaches: boolean } {
    let passed = '';
    for (let text = bytesText(bytes); text !== ''; ) {
      const leader = this.#leaders.find((each) => text.startsWith(each));
      const length = leader?.length ?? 1;
      const detaching = this.#isLeading ? this.#detaching : this.#direct;
      if (leader === undefined && detaching.some((each) => text.startsWith(each))) {
        return { rest: Buffer.from(passed, 'latin1'), detaches: true };
      }
      // The leader twice, or any other key after it, is for the program.
      if (leader === undefined || this.#isLeading) passed += text.slice(0, length);
      this.#isLeading = leader !== undefined && !this.#isLeading;
      text = text.slice(length);
    }
    return { rest: Buffer.from(passed, 'latin1'), detaches: false };
  }
}

/** One character per byte. */
const bytesText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
