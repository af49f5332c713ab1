/** In flight: sent to the coordinator, and not acknowledged. */

/** A session with this many bytes in flight or less is never held back: an echo, a few lines. */
const expressBytes = 4 * 1024;
/** The most bytes in flight of flooding sessions, if one floods and nothing else happens. */
const aloneBytes = 1024 * 1024;
/**
 * The most bytes in flight of all flooding sessions otherwise. The output of any other session waits
 * until the coordinator has handled them.
 */
const sharedBytes = 32 * 1024;
/** A session is alone if no other had input or output for this time, in ms. */
const aloneMs = 250;

/** A session whose output the window lets through or holds back. */
export interface WindowMember {
  /** Sends more of the output that is held back. Calls {@link Window.isOpenFor} for each step. */
  pump(): void;
}

/** Limits the output in flight, so that a session that floods does not delay the others. */
export class Window {
  readonly #nowMs: () => number;
  readonly #inFlight = new Map<WindowMember, number>();
  /** Those held back, in the order in which they are served. */
  readonly #waiting = new Set<WindowMember>();
  /** The bytes in flight of the sessions above {@link expressBytes}. */
  #bulkBytes = 0;
  /** The two sessions that were last active, newest first. */
  #last: { readonly member: WindowMember | null; atMs: number } = { member: null, atMs: -aloneMs };
  #beforeLastMs = -aloneMs;

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Must be called for input and output of a session. */
  noteActivity(member: WindowMember): void {
    const atMs = this.#nowMs();
    if (this.#last.member === member) {
      this.#last.atMs = atMs;
      return;
    }
    this.#beforeLastMs = this.#last.atMs;
    this.#last = { member, atMs };
  }

  /** Whether a session may send `bytes` now. If not, it is pumped when it may. */
  isOpenFor(member: WindowMember, bytes: number): boolean {
    const inFlight = this.#inFlight.get(member) ?? 0;
    const others = this.#bulkBytes - bulkOf(inFlight);
    const isOpen =
      inFlight + bytes <= expressBytes || others + inFlight + bytes <= this.#budgetOf(member);
    if (isOpen) this.#waiting.delete(member);
    else this.#waiting.add(member);
    return isOpen;
  }

  /** Whether acknowledgements for a session may be rare. */
  isAlone(member: WindowMember): boolean {
    const othersMs = this.#last.member === member ? this.#beforeLastMs : this.#last.atMs;
    return this.#nowMs() - othersMs >= aloneMs;
  }

  /** Sets the bytes in flight of a session. */
  setInFlight(member: WindowMember, bytes: number): void {
    this.#bulkBytes += bulkOf(bytes) - bulkOf(this.#inFlight.get(member) ?? 0);
    this.#inFlight.set(member, bytes);
  }

  /** Pumps the sessions that are held back, one after the other, as far as the window is open. */
  serve(): void {
    // One that sends and has to wait again is then behind the others, which keep their places.
    for (const member of [...this.#waiting]) member.pump();
  }

  delete(member: WindowMember): void {
    this.setInFlight(member, 0);
    this.#inFlight.delete(member);
    this.#waiting.delete(member);
  }

  #budgetOf(member: WindowMember): number {
    return this.isAlone(member) ? aloneBytes : sharedBytes;
  }
}

const bulkOf = (bytes: number): number => (bytes > expressBytes ? bytes : 0);
