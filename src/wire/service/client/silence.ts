import { connect } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { silentReason, VtrError } from '#model';

/** A call without an answer for this time makes its client check the coordinator, in ms. */
export const suspicionMs = 300;
/** A coordinator that answers nothing at all for this time does not respond, in ms. */
const silenceMs = 2_000;
/** The most times longer if more processes than processors want to run. */
const maxOverload = 10;

/** Where ten processes share a processor, each gets a tenth of its time. */
function allowedSilenceMs(): number {
  const [load = 0] = loadavg();
  return silenceMs * Math.min(maxOverload, Math.max(1, load / availableParallelism()));
}

/** The text for a coordinator that accepts connections and answers nothing. */
export const silentText = (place: string): string =>
  `${place} does not respond: its process is suspended or hangs`;

/**
 * Whether the process that listens at a socket answers. The kernel accepts connections for a process
 * that is suspended or hangs. True also if nothing listens: the call itself reports that.
 *
 * @param timeoutMs default: 2 s, and more where the machine is overloaded
 */
export function responds(socketPath: string, timeoutMs = allowedSilenceMs()): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const end = (answer: boolean) => {
      resolve(answer);
      socket.destroy();
    };
    socket.setTimeout(timeoutMs, () => end(false));
    // The queue of connections that were not accepted is full.
    socket.once('error', ({ code }: NodeJS.ErrnoException) => end(code !== 'EAGAIN'));
    socket.once('data', () => end(true));
    socket.once('close', () => end(true));
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  });
}

/** A call that is not answered. */
interface Unanswered {
  /** When the coordinator is checked, in ms; infinite once it was. */
  dueMs: number;
  readonly reject: (error: VtrError) => void;
}

/**
 * Ends calls to a coordinator that does not respond. One timer and one check serve all calls of a client,
 * because a person's key must cost little.
 */
export class Silence {
  readonly #socketPath: string;
  readonly #place: string;
  readonly #calls = new Set<Unanswered>();
  #timer: NodeJS.Timeout | null = null;
  #check: Promise<boolean> | null = null;

  /** @param place the coordinator, for the message */
  constructor(socketPath: string, place: string) {
    this.#socketPath = socketPath;
    this.#place = place;
  }

  /** Returns the result of a call. @throws VtrError UNAVAILABLE with {@link silentReason} */
  during<T>(call: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const unanswered = { dueMs: performance.now() + suspicionMs, reject };
      this.#calls.add(unanswered);
      this.#timer ??= this.#wake(suspicionMs);
      call.then(resolve, reject).finally(() => this.#calls.delete(unanswered));
    });
  }

  /** The connection, not this timer, keeps the process alive. */
  #wake(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(), delayMs).unref();
  }

  #look(): void {
    this.#timer = null;
    const nowMs = performance.now();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const each of this.#calls) {
      if (each.dueMs <= nowMs) {
        each.dueMs = Number.POSITIVE_INFINITY;
        void this.#suspect(each);
      }
      nextMs = Math.min(nextMs, each.dueMs);
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.#timer = this.#wake(nextMs - nowMs);
  }

  async #suspect({ reject }: Unanswered): Promise<void> {
    if (await this.#responds()) return;
    const details = { socket: this.#socketPath, reason: silentReason };
    reject(new VtrError('UNAVAILABLE', silentText(this.#place), { details }));
  }

  #responds(): Promise<boolean> {
    this.#check ??= responds(this.#socketPath).finally(() => {
      this.#check = null;
    });
    return this.#check;
  }
}
