/** At most so many requests are remembered whose answer has not come. */
const maxPending = 1_000;

/** Where each conversation works: what its request said, by the id that its answer has given it. */
export class Conversations {
  readonly #cwds = new Map<string, string>();
  /** By the id of `session/new`. */
  readonly #pending = new Map<string, string>();

  cwd(conversationId: string): string | undefined {
    return this.#cwds.get(conversationId);
  }

  set(conversationId: string, cwd: string): void {
    this.#cwds.set(conversationId, cwd);
  }

  /** The answer to a request tells the conversation's id. */
  expect(requestId: string, cwd: string): void {
    if (this.#pending.size < maxPending) this.#pending.set(requestId, cwd);
  }

  isExpected(requestId: string): boolean {
    return this.#pending.has(requestId);
  }

  /** @param conversationId null where the request has failed */
  answered(requestId: string, conversationId: string | null): void {
    const cwd = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    if (cwd !== undefined && conversationId !== null) this.#cwds.set(conversationId, cwd);
  }

  delete(conversationId: string): void {
    this.#cwds.delete(conversationId);
  }
}
