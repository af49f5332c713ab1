import { type Clock, Queue } from '#base';
import { encodeCount, encodeFrame, type FrameKind, frameKinds } from '#messages/page';
import { flow } from '#model';
import type { PageSocket } from './page-socket.ts';

const { maxUnsentBytes, streamPartBytes, leastTilePartBytes } = flow.page;

/** The kinds of streams: tiles wait for all others. */
export type Priority = 'tile' | 'stream';

/**
 * Sends the messages of a connection. Answers are sent at once. Streams take turns, part by part, and
 * wait until the line takes more; tiles until little of them is under way.
 */
export class Sending {
  readonly #socket: PageSocket;
  readonly #line: Line;
  readonly #waiting = { tile: new Queue<() => void>(), stream: new Queue<() => void>() };
  #isEnded = false;

  constructor(socket: PageSocket, clock: Clock) {
    this.#socket = socket;
    this.#line = new Line(clock);
    socket.onSent(() => this.#wake());
  }

  /** Sends a text at once. */
  text(text: string): void {
    if (this.#isEnded) return;
    this.#socket.send(text, true);
    this.#line.onSend(Buffer.byteLength(text), false);
  }

  /** Sends a message at once. */
  frame(kind: FrameKind, channel: number, payload: Uint8Array, priority: Priority): void {
    if (this.#isEnded) return;
    const isTile = priority === 'tile';
    this.#socket.send(encodeFrame(kind, channel, payload), !isTile);
    this.#line.onSend(payload.length, isTile);
    this.#ping();
  }

  /**
   * Sends a payload in parts, each when the line takes it.
   *
   * @param isEnded whether the rest has become useless
   */
  async inParts(
    kind: FrameKind,
    channel: number,
    payload: Uint8Array,
    priority: Priority,
    isEnded: () => boolean,
  ): Promise<void> {
    for (let at = 0; ; ) {
      await this.turn(priority);
      if (isEnded()) return;
      const end = Math.min(payload.length, at + this.#partBytes(priority));
      const isLast = end === payload.length;
      this.frame(isLast ? kind : frameKinds.part, channel, payload.subarray(at, end), priority);
      at = end;
      if (isLast) return;
    }
  }

  /** Resolves when a stream may send, or the connection has ended. Those that wait take turns. */
  async turn(priority: Priority): Promise<void> {
    while (!this.#isEnded && !this.#takes(priority)) {
      this.#ping();
      await new Promise<void>((resolve) => this.#waiting[priority].push(resolve));
    }
  }

  /** The page has echoed a ping. */
  echoed(total: number): void {
    this.#line.echoed(total);
    this.#wake();
    this.#ping();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  #partBytes(priority: Priority): number {
    if (priority === 'stream') return streamPartBytes;
    return Math.max(leastTilePartBytes, this.#line.tileRoom);
  }

  #takes(priority: Priority): boolean {
    if (this.#socket.unsentBytes > maxUnsentBytes) return false;
    if (priority === 'stream') return this.#line.takesStream;
    return this.#line.tileRoom > 0;
  }

  /** Each looks again whether it may send, in the order in which they began to wait. */
  #wake(): void {
    for (const priority of ['stream', 'tile'] as const) {
      if (!this.#isEnded && !this.#takes(priority)) continue;
      const queue = this.#waiting[priority];
      for (let left = queue.length; left > 0; left--) queue.shift()?.();
    }
  }

  #ping(): void {
    const total = this.#line.ping();
    if (total === null) return;
    this.#socket.send(encodeCount(frameKinds.ping, 0, total));
  }
}

const { leastTileMs, mostTileMs, streamMs, leastTileBytes, leastStreamBytes, rateWindowMs } =
  flow.page;
/** Pings for each amount that may be under way. */
const pingsPerBound = 4;
/** Pings without an echo: far more than are under way on any line. */
const maxPings = 1024;
/** If this many echoes in a row are late, the delay of the line has grown. */
const lateEchoes = 5;

interface Ping {
  /** Bytes that were sent before it. */
  readonly total: number;
  readonly tileTotal: number;
  readonly atMs: number;
  readonly underWay: number;
  /** When what was under way began to be counted: at the echo before, or when the line was idle. */
  readonly sinceMs: number;
}

interface Measured {
  readonly atMs: number;
  /** In bytes per ms. */
  readonly rate: number;
}

/**
 * What is under way on a connection, by pings that the page echoes: also what is in buffers of the
 * system, which a process does not see. Tiles may take as much as the line carries in {@link mostTileMs}, so
 * that what is sent after them is not late.
 *
 * If b bytes were under way when a ping was sent, and its echo came t ms after the echo before, the line
 * carries b/t bytes per ms. With less under way than its rate times its delay, the line is idle at times;
 * what is more waits in front of it. Echoes can be handled late and together, because the page or this process
 * was busy: then b is too high. So t is not measured from the sending of the ping: it would be too short.
 */
class Line {
  readonly #clock: Clock;
  readonly #pings: Ping[] = [];
  #total = 0;
  #tileTotal = 0;
  #arrived = 0;
  #tilesArrived = 0;
  #pinged = 0;
  #delayMs = Number.POSITIVE_INFINITY;
  /** Echoes in a row that took longer than the delay, with little under way. */
  #lateMs: number[] = [];
  /** When the last echo came, or the line began to be used. */
  #sinceMs = 0;
  #rates: Measured[] = [];
  /** The greatest of them. */
  #rate = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Must be called with all that is sent to the page, but pings. */
  onSend(bytes: number, isTile: boolean): void {
    if (this.#total === this.#arrived) this.#sinceMs = this.#clock.nowMs();
    this.#total += bytes;
    if (isTile) this.#tileTotal += bytes;
  }

  /** How many bytes of tiles may be sent now. */
  get tileRoom(): number {
    return Math.max(0, this.#tileBytes - (this.#tileTotal - this.#tilesArrived));
  }

  /** Whether more of another stream may be sent now. */
  get takesStream(): boolean {
    return this.#total - this.#arrived < Math.max(leastStreamBytes, this.#carried(streamMs));
  }

  /** The most bytes of tiles that may be under way. */
  get #tileBytes(): number {
    return Math.max(
      leastTileBytes,
      this.#carried(Math.min(mostTileMs, Math.max(leastTileMs, this.#delayMs / 2))),
    );
  }

  /** Returns the number of a ping that is due now; null if none is. */
  ping(): number | null {
    const unpinged = this.#total - this.#pinged;
    if (unpinged === 0 || this.#pings.length >= maxPings) return null;
    if (this.#pings.length > 0 && unpinged < this.#tileBytes / pingsPerBound) return null;
    this.#pinged = this.#total;
    this.#pings.push({
      total: this.#total,
      tileTotal: this.#tileTotal,
      atMs: this.#clock.nowMs(),
      underWay: this.#total - this.#arrived,
      sinceMs: this.#sinceMs,
    });
    return this.#total;
  }

  /** The page has everything up to a ping. Unknown numbers are ignored. */
  echoed(total: number): void {
    const index = this.#pings.findIndex((ping) => ping.total === total);
    const ping = this.#pings[index];
    if (ping === undefined) return;
    this.#pings.splice(0, index + 1);
    this.#arrived = ping.total;
    this.#tilesArrived = ping.tileTotal;
    const nowMs = this.#clock.nowMs();
    this.#sinceMs = nowMs;
    this.#measureDelay(nowMs - ping.atMs, ping.underWay);
    // Timers of pages are coarse.
    const rate = ping.underWay / Math.max(0.05, nowMs - ping.sinceMs);
    const recent = this.#rates.filter(({ atMs }) => nowMs - atMs < rateWindowMs);
    this.#rates = [...recent, { atMs: nowMs, rate }];
    this.#rate = Math.max(...this.#rates.map((each) => each.rate));
  }

  #measureDelay(tookMs: number, underWay: number): void {
    if (tookMs < this.#delayMs) this.#delayMs = Math.max(0.05, tookMs);
    if (tookMs <= this.#delayMs + mostTileMs) this.#lateMs = [];
    // With so few bytes under way, this one cannot have waited for long.
    else if (underWay <= leastTileBytes) this.#lateMs.push(tookMs);
    if (this.#lateMs.length < lateEchoes) return;
    this.#delayMs = Math.min(...this.#lateMs);
    this.#lateMs = [];
  }

  /** What the line carries in its delay and a time, in bytes; 0 if that is not known. */
  #carried(ms: number): number {
    return this.#rate === 0 ? 0 : this.#rate * (this.#delayMs + ms);
  }
}
