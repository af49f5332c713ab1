/** Limit of requests without an answer. */
const maxPending = 1_000;

/** The directory of each conversation, from its first request; its id is in the answer. */
export class Conversations {
  readonly #cwds = new Map<string, string>();
  /** Directories by the request's id. */
  readonly #pending = new Map<string, string>();

  cwd(conversationId: string): string | undefined {
    return this.#cwds.get(conversationId);
  }

  set(conversationId: string, cwd: string): void {
    this.#cwds.set(conversationId, cwd);
  }

  /** Expects the conversation's id in the answer to a request. */
  expect(requestId: string, cwd: string): void {
    if (this.#pending.size < maxPending) this.#pending.set(requestId, cwd);
  }

  isExpected(requestId: string): boolean {
    return this.#pending.has(requestId);
  }

  /** @param conversationId null if the request failed */
  answered(requestId: string, conversationId: string | null): void {
    const cwd = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    if (cwd !== undefined && conversationId !== null) this.#cwds.set(conversationId, cwd);
  }

  delete(conversationId: string): void {
    this.#cwds.delete(conversationId);
  }
}
