import type { RpcMessage } from './rpc-message.ts';

/**
 * Calls in progress, by the session id of their client and their own. A client that opened with
 * `initialize` cancels one by another request. Clients without a session id cannot be told apart, and
 * their calls have the same ids; they close the call's own request instead, as those of protocol version
 * 2026-07-28 do.
 */
export class OpenCalls {
  readonly #open = new Map<string, AbortController>();

  /** @returns removes the call */
  open(session: string | null, { id }: RpcMessage, cancelled: AbortController): () => void {
    if (session === null || id === null) return () => {};
    const key = keyOf(session, id);
    this.#open.set(key, cancelled);
    return () => {
      if (this.#open.get(key) === cancelled) this.#open.delete(key);
    };
  }

  /** Cancels the call that a `notifications/cancelled` names; ignores other messages. */
  cancelBy(session: string | null, { method, params }: RpcMessage): void {
    if (session === null || method !== 'notifications/cancelled') return;
    this.#open.get(keyOf(session, params['requestId']))?.abort();
  }
}

const keyOf = (session: string, id: unknown): string => JSON.stringify([session, id]);
