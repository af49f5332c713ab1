import type { RpcMessage } from './rpc-message.ts';

/**
 * Calls in progress, by client and id. A client that opened with `initialize` cancels one by another
 * request. Clients of protocol version 2026-07-28 close the call's own request instead.
 */
export class OpenCalls {
  readonly #open = new Map<string, AbortController>();

  /** @returns removes the call */
  open(client: string, { id }: RpcMessage, cancelled: AbortController): () => void {
    if (id === null) return () => {};
    const key = keyOf(client, id);
    this.#open.set(key, cancelled);
    return () => {
      if (this.#open.get(key) === cancelled) this.#open.delete(key);
    };
  }

  /** Cancels the call that a `notifications/cancelled` names; ignores other messages. */
  cancelBy(client: string, { method, params }: RpcMessage): void {
    if (method !== 'notifications/cancelled') return;
    this.#open.get(keyOf(client, params['requestId']))?.abort();
  }
}

const keyOf = (client: string, id: unknown): string => JSON.stringify([client, id]);
