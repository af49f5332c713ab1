import { connect } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { isAddress, silentReason, VtrError } from '#model';

/** A call without an answer for this time makes its client check the coordinator, in ms. */
export const suspicionMs = 300;
/** A coordinator that answers nothing at all for this time does not respond, in ms. */
const silenceMs = 2_000;
/** The most times longer if more processes than processors want to run. */
const maxOverload = 10;
/** How much later than the last moment of its start the answer to a call may come, in ms. */
const answerMs = 200;

/**
 * Returns after which silence a coordinator is given up, in ms: 2 s, or more on a machine that is overloaded.
 * Where ten processes share a processor, each gets a tenth of its time.
 */
export function silenceLimitMs(): number {
  const [load = 0] = loadavg();
  return silenceMs * Math.min(maxOverload, Math.max(1, load / availableParallelism()));
}

/** The load of a machine changes slowly, and a person's key must cost little. */
const keptForMs = 1_000;
let kept = { withinMs: 0, untilMs: Number.NEGATIVE_INFINITY };

/**
 * Returns within which time a coordinator must begin a call that is made now, in ms. Afterwards its client
 * gives it up, and the coordinator does not carry it out any more.
 */
export function startWithinMs(): number {
  const nowMs = performance.now();
  if (nowMs > kept.untilMs) {
    kept = { withinMs: suspicionMs + silenceLimitMs(), untilMs: nowMs + keptForMs };
  }
  return kept.withinMs;
}

/**
 * Within which time a coordinator at an address must begin a call, in ms. Its connection may have to be made
 * first. Whether it responds is checked by `vtr connect` there.
 */
export const farStartMs = 60_000;

/** Returns when a client gives up a call to a coordinator that does not respond, in ms after its start. */
export const givenUpAfterMs = (withinMs: number): number => withinMs + answerMs;

/** The text for a coordinator that accepts connections and answers nothing. */
export const silentText = (place: string): string =>
  `${place} does not respond: its process is suspended or hangs`;

/**
 * Whether the coordinator's process is stopped by a signal. One that is not may be slow, because the machine
 * is overloaded, and gets more time.
 */
export type IsSuspended = () => Promise<boolean>;

export interface ProbeParts {
  /** Called once the process answers; also if nothing listens: the call itself reports that. */
  readonly onAnswer: () => void;
  readonly isSuspended: IsSuspended | null;
  /** Called if the process has not answered for 2 s, and is suspended. */
  readonly onSuspended: () => void;
}

/** A connection that asks the process that listens at a socket for anything. */
class Probe {
  readonly #parts: ProbeParts;
  readonly #close: () => void;
  readonly #timer: NodeJS.Timeout;

  /** The kernel accepts connections for a process that is suspended or hangs. */
  constructor(socketPath: string, parts: ProbeParts) {
    this.#parts = parts;
    const socket = connect(socketPath);
    this.#close = () => socket.destroy();
    this.#timer = setTimeout(() => void this.#look(), silenceMs);
    let isOver = false;
    const answered = () => {
      if (isOver) return;
      isOver = true;
      this.close();
      parts.onAnswer();
    };
    socket.once('data', answered);
    // EAGAIN: the queue of connections that were not accepted is full.
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      isOver ||= code === 'EAGAIN';
    });
    socket.once('close', answered);
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  }

  /** Neither function is called any more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#close();
  }

  async #look(): Promise<void> {
    if (await this.#parts.isSuspended?.()) this.#parts.onSuspended();
  }
}

/**
 * Whether the process that listens at a socket answers, or nothing listens.
 *
 * @param timeoutMs less if the process is suspended
 */
export function responds(
  socketPath: string,
  timeoutMs: number,
  isSuspended: IsSuspended | null = null,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (answer: boolean) => {
      clearTimeout(timer);
      probe.close();
      resolve(answer);
    };
    const timer = setTimeout(() => end(false), timeoutMs);
    const probe = new Probe(socketPath, {
      isSuspended,
      onAnswer: () => end(true),
      onSuspended: () => end(false),
    });
  });
}

/** As {@link responds}, within the time that calls get. */
export const respondsInTime = (socketPath: string, isSuspended: IsSuspended): Promise<boolean> =>
  responds(socketPath, givenUpAfterMs(startWithinMs()) - suspicionMs, isSuspended);

/** Takes a function that cancels a call. */
export type CancelBy = (cancel: () => unknown) => void;

/** A call that is not answered. */
interface Unanswered {
  readonly withinMs: number;
  /** When the coordinator is probed, in ms; infinite once it was. */
  suspectMs: number;
  /** When the call is given up, in ms; infinite until the coordinator is probed, and once it has answered. */
  giveUpMs: number;
  cancel: () => unknown;
  readonly reject: (error: VtrError) => void;
}

/**
 * Ends calls to a coordinator that does not respond. One timer and one probe serve all calls of a client,
 * because a person's key must cost little.
 */
export class Silence {
  readonly #socketPath: string;
  readonly #isFar: boolean;
  readonly #place: string;
  readonly #isSuspended: IsSuspended | null;
  readonly #calls = new Set<Unanswered>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, in ms; infinite without one. */
  #dueMs = Number.POSITIVE_INFINITY;
  #probe: Probe | null = null;

  /** @param place the coordinator, for the message */
  constructor(socketPath: string, place: string, isSuspended: IsSuspended | null) {
    this.#socketPath = socketPath;
    this.#isFar = isAddress(socketPath);
    this.#place = place;
    this.#isSuspended = isSuspended;
  }

  /**
   * Makes a call. If it is given up, it is cancelled, too: a coordinator that continues must not carry it
   * out.
   *
   * @throws VtrError of the call; UNAVAILABLE with {@link silentReason}
   */
  during<T>(send: (cancelBy: CancelBy) => Promise<T>): Promise<T> {
    if (this.#isFar) return send(() => {});
    return new Promise((resolve, reject) => {
      const call: Unanswered = {
        ...{ withinMs: startWithinMs(), suspectMs: performance.now() + suspicionMs },
        ...{ giveUpMs: Number.POSITIVE_INFINITY, cancel: () => {}, reject },
      };
      this.#calls.add(call);
      if (call.suspectMs < this.#dueMs) this.#wakeAt(call.suspectMs);
      const answer = send((cancel) => {
        call.cancel = cancel;
      });
      answer.then(resolve, reject).finally(() => this.#end(call));
    });
  }

  #end(call: Unanswered): void {
    this.#calls.delete(call);
    if (this.#probe === null) return;
    for (const { giveUpMs } of this.#calls) if (giveUpMs < Number.POSITIVE_INFINITY) return;
    this.#probe.close();
    this.#probe = null;
  }

  /** The connection, not this timer, keeps the process alive. */
  #wakeAt(dueMs: number): void {
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => this.#look(), dueMs - performance.now()).unref();
  }

  #look(): void {
    this.#dueMs = Number.POSITIVE_INFINITY;
    const nowMs = performance.now();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const each of this.#calls) {
      if (each.giveUpMs <= nowMs) this.#giveUp(each);
      else if (each.suspectMs <= nowMs) this.#suspect(each, nowMs);
      for (const dueMs of [each.suspectMs, each.giveUpMs]) {
        if (dueMs > nowMs) nextMs = Math.min(nextMs, dueMs);
      }
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.#wakeAt(nextMs);
  }

  #suspect(call: Unanswered, nowMs: number): void {
    call.suspectMs = Number.POSITIVE_INFINITY;
    // Not from the sending of the call: this process may have been suspended.
    call.giveUpMs = nowMs - suspicionMs + givenUpAfterMs(call.withinMs);
    this.#probe ??= new Probe(this.#socketPath, {
      isSuspended: this.#isSuspended,
      onAnswer: () => this.#answered(),
      onSuspended: () => this.#giveUpAll(),
    });
  }

  /** The coordinator responds: what has waited since before the probe may take its time. */
  #answered(): void {
    this.#probe = null;
    for (const each of this.#calls) {
      if (each.suspectMs === Number.POSITIVE_INFINITY) each.giveUpMs = Number.POSITIVE_INFINITY;
    }
  }

  #giveUpAll(): void {
    for (const each of [...this.#calls]) {
      if (each.giveUpMs < Number.POSITIVE_INFINITY) this.#giveUp(each);
    }
  }

  /** Timers fire before pending I/O, so an answer may be there. */
  #giveUp(call: Unanswered): void {
    afterPendingIo(() => {
      if (call.giveUpMs === Number.POSITIVE_INFINITY || !this.#calls.has(call)) return;
      this.#end(call);
      const details = { socket: this.#socketPath, reason: silentReason };
      call.reject(new VtrError('UNAVAILABLE', silentText(this.#place), { details }));
      call.cancel();
    });
  }
}

/** The first runs after the poll phase of this iteration of the event loop, the second after the next. */
function afterPendingIo(run: () => void): void {
  setImmediate(() => setImmediate(run));
}
