import { flow } from '#model';

/** In flight: sent to the coordinator, and not acknowledged. */

const {
  expressBytes,
  floodBytes,
  floodMs,
  aloneBytes,
  maxSharedBytes,
  minSharedBytes,
  sharedMs,
  replayBytes,
  weight,
  aloneMs,
} = flow.window;
const { minAckBytes } = flow.receiving;

/** A session whose output the window lets through or holds back. */
export interface WindowMember {
  /**
   * Sends more of the output that is held back. Calls {@link Window.isOpenFor} for each step until one is
   * held back, or {@link Window.leave} if there is nothing to send.
   */
  pump(): void;
}

interface Flow {
  inFlight: number;
  /** The part of it that counts for the shared limit. */
  bulk: number;
  /** Whether the coordinator has paused the session: nothing counts. */
  isPaused: boolean;
  /** Whether its kept output is replayed to a new coordinator: nothing counts. */
  isReplaying: boolean;
  /** The bytes sent lately, which decrease to 0 in {@link floodMs}. */
  lately: number;
  latelyAtMs: number;
}

/** When a session was last active. */
interface Activity {
  readonly member: WindowMember | null;
  readonly atMs: number;
}

const nobody: Activity = { member: null, atMs: Number.NEGATIVE_INFINITY };

/** Limits the output in flight, so that a session that floods does not delay the others. */
export class Window {
  readonly #nowMs: () => number;
  readonly #flows = new Map<WindowMember, Flow>();
  /** Those held back, in the order in which they are served. */
  readonly #waiting = new Set<WindowMember>();
  /** The bytes in flight of all sessions that count for the shared limit. */
  #bulkBytes = 0;
  /** How long the coordinator takes for a byte, in ms; 0 if unknown. */
  #byteMs = 0;
  /** Since when the coordinator has had bytes that it has not acknowledged. */
  #busySinceMs = 0;
  /** The bytes that were acknowledged since the last measurement. */
  #handledBytes = 0;
  /** The two sessions that were last active, newest first. */
  #last = nobody;
  #beforeLast = nobody;
  #isServing = false;

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Must be called for input and output of a session. */
  noteActivity(member: WindowMember): void {
    const atMs = this.#nowMs();
    if (this.#last.member !== member) this.#beforeLast = this.#last;
    this.#last = { member, atMs };
  }

  /** Must be called when the program of a session has exited: nothing more comes that others must wait for. */
  noteExit(member: WindowMember): void {
    if (this.#beforeLast.member === member) this.#beforeLast = nobody;
    if (this.#last.member !== member) return;
    this.#last = this.#beforeLast;
    this.#beforeLast = nobody;
  }

  /**
   * Whether a session may send `bytes` now. If not, it is pumped when it may: those that are held back send
   * one step each in turn. One that is replaying must try again after each acknowledgement.
   */
  isOpenFor(member: WindowMember, bytes: number): boolean {
    const flow = this.#flowOf(member);
    if (flow.isReplaying) return flow.inFlight === 0 || flow.inFlight + bytes <= replayBytes;
    const isExpress = !this.#floods(flow) && flow.inFlight + bytes <= expressBytes;
    const isOpen = isExpress || (this.#isFirst(member) && this.#hasRoom(member, flow, bytes));
    if (isOpen) this.#waiting.delete(member);
    else this.#waiting.add(member);
    return isOpen;
  }

  /** A session has nothing to send, or must not: it does not wait. */
  leave(member: WindowMember): void {
    if (this.#waiting.delete(member)) this.#serveWaiting();
  }

  /** Whether acknowledgements for a session may be rare. */
  isAlone(member: WindowMember): boolean {
    const { atMs } = this.#last.member === member ? this.#beforeLast : this.#last;
    return this.#nowMs() - atMs >= aloneMs;
  }

  /** Whether the coordinator has output of a session that it will acknowledge. */
  isAwaited(member: WindowMember): boolean {
    return acknowledgeable(this.#flowOf(member).inFlight) > 0;
  }

  /** Whether a session sent much lately. */
  floods(member: WindowMember): boolean {
    return this.#floods(this.#flowOf(member));
  }

  /** Sets the bytes in flight of a session. */
  setInFlight(member: WindowMember, bytes: number): void {
    const flow = this.#flowOf(member);
    const change = bytes - flow.inFlight;
    if (change > 0) this.#noteSent(flow, change);
    else if (flow.bulk > 0) this.#handledBytes -= change;
    flow.inFlight = bytes;
    this.#count(flow);
  }

  /**
   * Sets whether the coordinator has paused a session. What it has of it is acknowledged only after the pause,
   * so others do not wait for that.
   */
  setPaused(member: WindowMember, isPaused: boolean): void {
    const flow = this.#flowOf(member);
    if (isPaused === flow.isPaused) return;
    flow.isPaused = isPaused;
    this.#count(flow);
    if (!isPaused) return;
    this.#waiting.delete(member);
    this.serve();
  }

  /** Sets whether the kept output of a session is replayed to a new coordinator. */
  setReplaying(member: WindowMember, isReplaying: boolean): void {
    const flow = this.#flowOf(member);
    flow.isReplaying = isReplaying;
    this.#count(flow);
    if (isReplaying) this.leave(member);
  }

  /**
   * Pumps the sessions that are held back, in turn, as far as the window is open. Must be called after
   * acknowledgements.
   */
  serve(): void {
    this.#measure();
    this.#serveWaiting();
  }

  /** Forgets a session. Its output will not be acknowledged: those that waited for that are served. */
  delete(member: WindowMember): void {
    this.#bulkBytes -= this.#flows.get(member)?.bulk ?? 0;
    this.#flows.delete(member);
    this.#waiting.delete(member);
    this.noteExit(member);
    this.serve();
  }

  /** Pumps the first until it keeps its place: then the window is closed. */
  #serveWaiting(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      for (let first = this.#first; first !== undefined; ) {
        first.pump();
        const next = this.#first;
        first = next === first ? undefined : next;
      }
    } finally {
      this.#isServing = false;
    }
  }

  get #first(): WindowMember | undefined {
    return this.#waiting.values().next().value;
  }

  /** Whether no other session waits before one. */
  #isFirst(member: WindowMember): boolean {
    const first = this.#first;
    return first === undefined || first === member;
  }

  #hasRoom(member: WindowMember, flow: Flow, bytes: number): boolean {
    const all = this.#bulkBytes - flow.bulk + acknowledgeable(flow.inFlight);
    // A step may be larger than the limit, and only what will be acknowledged can open the window.
    return all === 0 || all + bytes <= this.#budgetOf(member);
  }

  #flowOf(member: WindowMember): Flow {
    const memberFlow = this.#flows.get(member);
    if (memberFlow !== undefined) return memberFlow;
    const flow = {
      inFlight: 0,
      bulk: 0,
      isPaused: false,
      isReplaying: false,
      lately: 0,
      latelyAtMs: 0,
    };
    this.#flows.set(member, flow);
    return flow;
  }

  #count(flow: Flow): void {
    const { inFlight, isPaused, isReplaying } = flow;
    const isBulk = !isPaused && !isReplaying && (inFlight > expressBytes || this.#floods(flow));
    const bulk = isBulk ? acknowledgeable(inFlight) : 0;
    this.#bulkBytes += bulk - flow.bulk;
    flow.bulk = bulk;
  }

  #noteSent(flow: Flow, bytes: number): void {
    const atMs = this.#nowMs();
    if (this.#bulkBytes === 0) this.#busySinceMs = atMs;
    flow.lately = this.#lately(flow) + bytes;
    flow.latelyAtMs = atMs;
  }

  /** Between two acknowledgements the coordinator had bytes to handle. */
  #measure(): void {
    if (this.#handledBytes === 0) return;
    const atMs = this.#nowMs();
    const byteMs = (atMs - this.#busySinceMs) / this.#handledBytes;
    this.#byteMs += (this.#byteMs === 0 ? 1 : weight) * (byteMs - this.#byteMs);
    this.#busySinceMs = atMs;
    this.#handledBytes = 0;
  }

  #lately({ lately, latelyAtMs }: Flow): number {
    return lately * Math.max(0, 1 - (this.#nowMs() - latelyAtMs) / floodMs);
  }

  #floods(flow: Flow): boolean {
    return this.#lately(flow) > floodBytes;
  }

  #budgetOf(member: WindowMember): number {
    if (this.isAlone(member)) return aloneBytes;
    const handled = this.#byteMs === 0 ? maxSharedBytes : sharedMs / this.#byteMs;
    return Math.min(Math.max(handled, minSharedBytes), maxSharedBytes);
  }
}

/** The bytes in flight of a session, unless they are too few to be acknowledged. */
const acknowledgeable = (bytes: number): number => (bytes < minAckBytes ? 0 : bytes);

const { maxAllBytes, maxWideAllBytes } = flow.steps;

/** The memory that the steps of all sessions take. */
export class SharedLimit {
  readonly #onReleased: () => void;
  #bytes = 0;

  /** @param onReleased called when there is less again than one of the limits */
  constructor(onReleased: () => void) {
    this.#onReleased = onReleased;
  }

  /** Whether no session may be read. */
  get isReached(): boolean {
    return this.#bytes > maxAllBytes;
  }

  /** Whether a session may have more than its part. */
  get hasRoomForWide(): boolean {
    return this.#bytes <= maxWideAllBytes;
  }

  add(bytes: number): void {
    const before = this.#bytes;
    this.#bytes += bytes;
    const isReleased = (limit: number) => before > limit && this.#bytes <= limit;
    if (isReleased(maxAllBytes) || isReleased(maxWideAllBytes)) this.#onReleased();
  }
}
