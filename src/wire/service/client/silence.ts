import { connect, type Socket } from 'node:net';
import { machineMs } from '#base';
import { isAddress, type Stuck, silentReason, VtrError } from '#model';
import {
  givenUpAfterMs,
  type IsStuck,
  silenceMs,
  silentText,
  startWithinMs,
  suspicionMs,
} from './silence-limits.ts';

export interface ProbeParts {
  /** Called once the process answers; also if nothing listens: the call itself reports that. */
  readonly onAnswer: () => void;
  readonly isStuck: IsStuck | null;
  /** Called if the process has not answered for 2 s, with the reason. One at work may still answer. */
  readonly onStuck: (how: Stuck) => void;
}

/** A connection that asks the process that listens at a socket for anything. */
class Probe {
  readonly #parts: ProbeParts;
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout;
  #isOver = false;

  /** The kernel accepts connections for a process that is suspended or hangs. */
  constructor(socketPath: string, parts: ProbeParts) {
    this.#parts = parts;
    const socket = connect(socketPath);
    this.#socket = socket;
    this.#timer = setTimeout(() => void this.#look(), silenceMs);
    let isFull = false;
    const answered = () => {
      if (this.#isOver) return;
      this.close();
      parts.onAnswer();
    };
    socket.once('data', answered);
    // EAGAIN: the queue of connections that were not accepted is full.
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      isFull ||= code === 'EAGAIN';
    });
    socket.once('close', () => isFull || answered());
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  }

  /** After this, neither function is called. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#socket.destroy();
  }

  async #look(): Promise<void> {
    const { isStuck, onStuck } = this.#parts;
    const isOver = () => this.#isOver;
    const how = (await isStuck?.(this.#socket, isOver)) ?? null;
    if (how === null) return;
    // Timers fire before pending I/O, so an answer may be there.
    afterPendingIo(() => {
      if (!this.#isOver) onStuck(how);
    });
  }
}

/**
 * Whether the process that listens at a socket answers, or nothing listens.
 *
 * @param timeoutMs less if the process is suspended or hangs
 * @param onStuck called with the reason why it does not answer, if that is known
 */
export function responds(
  socketPath: string,
  timeoutMs: number,
  isStuck: IsStuck | null = null,
  onStuck: (how: Stuck) => void = () => {},
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (answer: boolean) => {
      clearTimeout(timer);
      probe.close();
      resolve(answer);
    };
    const timer = setTimeout(() => end(false), timeoutMs);
    const probe = new Probe(socketPath, {
      isStuck,
      onAnswer: () => end(true),
      onStuck: (how) => {
        onStuck(how);
        if (how.process !== 'working') end(false);
      },
    });
  });
}

/** As {@link responds}, within the time that calls get. */
export const respondsInTime = (socketPath: string, isStuck: IsStuck): Promise<boolean> =>
  responds(socketPath, givenUpAfterMs(startWithinMs()) - suspicionMs, isStuck);

/** Takes a function that cancels a call, and one that tells whether its answer has begun. */
export type CancelBy = (cancel: () => unknown, isArriving?: () => boolean) => void;

/** A timer that fires this much later shows that this process was suspended, in ms. */
const awayMs = 1_000;

/** A call that is not answered. */
interface Unanswered {
  readonly withinMs: number;
  /** When the coordinator is probed, in ms; infinite once it was. */
  suspectMs: number;
  /** When the call is given up, in ms; infinite until the coordinator is probed, and once it has answered. */
  giveUpMs: number;
  /** When it is given up also if the coordinator answers others, in ms. */
  lateMs: number;
  readonly limitMs: number;
  cancel: () => unknown;
  isArriving: () => boolean;
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
  readonly #isStuck: IsStuck | null;
  readonly #calls = new Set<Unanswered>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, in ms; infinite without one. */
  #dueMs = Number.POSITIVE_INFINITY;
  #probe: Probe | null = null;
  /** What the probe has found of a process at work; null: it is not known to be. */
  #working: Stuck | null = null;

  /** @param place the coordinator, for the message */
  constructor(socketPath: string, place: string, isStuck: IsStuck | null) {
    this.#socketPath = socketPath;
    this.#isFar = isAddress(socketPath);
    this.#place = place;
    this.#isStuck = isStuck;
  }

  /**
   * Makes a call. If it is given up, it is cancelled, too: a coordinator that continues must not carry it
   * out.
   *
   * @param limitMs after which it is given up although the coordinator answers others, unless its answer has begun
   * @throws VtrError of the call; UNAVAILABLE, with {@link silentReason} if nothing is answered
   */
  during<T>(
    send: (cancelBy: CancelBy) => Promise<T>,
    limitMs: number = Number.POSITIVE_INFINITY,
  ): Promise<T> {
    if (this.#isFar && limitMs === Number.POSITIVE_INFINITY) return send(() => {});
    return new Promise((resolve, reject) => {
      const now = machineMs();
      const call: Unanswered = {
        withinMs: startWithinMs(),
        // Whether an address responds is checked there.
        suspectMs: this.#isFar ? Number.POSITIVE_INFINITY : now + suspicionMs,
        giveUpMs: Number.POSITIVE_INFINITY,
        lateMs: now + limitMs,
        limitMs,
        cancel: () => {},
        isArriving: () => false,
        reject,
      };
      this.#calls.add(call);
      const firstMs = Math.min(call.suspectMs, call.lateMs);
      if (firstMs < this.#dueMs) this.#wakeAt(firstMs);
      const answer = send((cancel, isArriving = () => false) => {
        Object.assign(call, { cancel, isArriving });
      });
      answer.then(resolve, reject).finally(() => this.#end(call));
    });
  }

  #end(call: Unanswered): void {
    this.#calls.delete(call);
    if (this.#probe === null) return;
    for (const { giveUpMs } of this.#calls) if (giveUpMs < Number.POSITIVE_INFINITY) return;
    this.#probe.close();
    this.#probeEnded();
  }

  #probeEnded(): void {
    this.#probe = null;
    this.#working = null;
  }

  /** The connection, not this timer, keeps the process alive. */
  #wakeAt(dueMs: number): void {
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => this.#look(), dueMs - machineMs()).unref();
  }

  #look(): void {
    this.#dueMs = Number.POSITIVE_INFINITY;
    const now = machineMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const each of this.#calls) {
      if (each.giveUpMs <= now) this.#giveUp(each);
      else if (each.suspectMs <= now) this.#suspect(each, now);
      if (each.lateMs <= now) this.#late(each, now);
      for (const dueMs of [each.suspectMs, each.giveUpMs, each.lateMs]) {
        if (dueMs > now) nextMs = Math.min(nextMs, dueMs);
      }
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.#wakeAt(nextMs);
  }

  #suspect(call: Unanswered, now: number): void {
    call.suspectMs = Number.POSITIVE_INFINITY;
    // The time does not count from the sending of the call: this process may have been suspended since.
    call.giveUpMs = now - suspicionMs + givenUpAfterMs(call.withinMs);
    this.#probe ??= new Probe(this.#socketPath, {
      isStuck: this.#isStuck,
      onAnswer: () => this.#answered(),
      onStuck: (how) => {
        if (how.process === 'working') this.#working = how;
        else this.#giveUpAll(how);
      },
    });
  }

  /** The coordinator responds: what has waited since before the probe may take its time. */
  #answered(): void {
    this.#probeEnded();
    for (const each of this.#calls) {
      if (each.suspectMs === Number.POSITIVE_INFINITY) each.giveUpMs = Number.POSITIVE_INFINITY;
    }
  }

  #giveUpAll(how: Stuck): void {
    for (const each of [...this.#calls]) {
      if (each.giveUpMs < Number.POSITIVE_INFINITY) this.#giveUp(each, how);
    }
  }

  #late(call: Unanswered, now: number): void {
    const { lateMs, limitMs } = call;
    const wasAway = now - lateMs > awayMs;
    call.lateMs = wasAway ? now + limitMs : Number.POSITIVE_INFINITY;
    if (wasAway) return;
    afterPendingIo(() => {
      if (!this.#calls.has(call)) return;
      if (call.isArriving()) {
        // Its pace is kept by the connection.
        call.lateMs = machineMs() + awayMs;
        if (call.lateMs < this.#dueMs) this.#wakeAt(call.lateMs);
        return;
      }
      this.#end(call);
      const message = `${this.#place} does not respond: no answer for ${limitMs / 1000} s`;
      call.reject(new VtrError('UNAVAILABLE', message, { details: { socket: this.#socketPath } }));
      call.cancel();
    });
  }

  /** Timers fire before pending I/O, so an answer may be there. */
  #giveUp(call: Unanswered, how: Stuck | null = this.#working): void {
    afterPendingIo(() => {
      if (call.giveUpMs === Number.POSITIVE_INFINITY || !this.#calls.has(call)) return;
      this.#end(call);
      const details = { socket: this.#socketPath, reason: silentReason, ...how };
      call.reject(new VtrError('UNAVAILABLE', silentText(this.#place, how), { details }));
      call.cancel();
    });
  }
}

/** The first runs after the poll phase of this iteration of the event loop, the second after the next. */
function afterPendingIo(run: () => void): void {
  setImmediate(() => setImmediate(run));
}
