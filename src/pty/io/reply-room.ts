/** The most bytes of the terminal's replies that wait for the program, in our queue and in the kernel. */
const maxPendingBytes = 4096;

/**
 * Limits the replies that a program has not read. The kernel takes some 20 KB of input that nobody reads:
 * a program that sends queries and reads later would read stale replies as input.
 */
export class ReplyRoom {
  #queued = 0;
  /** Passed to the kernel, and not read as far as known. */
  #passed = 0;

  /**
   * Takes room for a reply.
   *
   * @param unread bytes of input in the kernel that the program has not read; null if unknown
   * @returns false if there is none
   */
  take(bytes: number, unread: number | null): boolean {
    this.#passed = Math.min(this.#passed, unread ?? 0);
    if (this.#queued + this.#passed + bytes > maxPendingBytes) return false;
    this.#queued += bytes;
    return true;
  }

  /** Must be called when a reply was passed to the kernel, or will never be. */
  written(bytes: number, isPassed: boolean): void {
    this.#queued -= bytes;
    if (isPassed) this.#passed += bytes;
  }
}
