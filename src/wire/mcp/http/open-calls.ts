import type { RpcMessage } from './rpc-message.ts';

/**
 * Calls that are being answered, by who makes them and by their ids, so that a client that opened
 * with `initialize` can withdraw one: it says so in another request. Clients of 2026-07-28 close the
 * call's own.
 */
export class Exchanges {
  readonly #open = new Map<string, AbortController>();

  /** @returns ends the exchange's place here */
  open(client: string, { id }: RpcMessage, withdrawn: AbortController): () => void {
    if (id === null) return () => {};
    const key = keyOf(client, id);
    this.#open.set(key, withdrawn);
    return () => {
      if (this.#open.get(key) === withdrawn) this.#open.delete(key);
    };
  }

  /** Looks whether the message withdraws a call, and ends it. */
  heard(client: string, { method, params }: RpcMessage): void {
    if (method !== 'notifications/cancelled') return;
    this.#open.get(keyOf(client, params['requestId']))?.abort();
  }
}

const keyOf = (client: string, id: unknown): string => JSON.stringify([client, id]);
