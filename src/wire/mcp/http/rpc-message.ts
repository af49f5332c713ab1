import { CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';

/** The parts of a message that are read before the library handles it. */
export interface RpcMessage {
  readonly method: string;
  readonly id: string | number | null;
  readonly params: Readonly<Record<string, unknown>>;
}

const message = z.looseObject({
  method: z.string().catch(''),
  id: z.union([z.string(), z.number(), z.null()]).catch(null),
  params: z.record(z.string(), z.unknown()).catch({}),
});

const named = z.looseObject({ name: z.string() });
const meta = z.looseObject({ [CLIENT_INFO_META_KEY]: named });

/** A body that is not a request, a batch or an answer becomes a message without a method. */
export function rpcMessage(body: unknown): RpcMessage {
  const parsed = message.safeParse(body);
  return parsed.success ? parsed.data : { method: '', id: null, params: {} };
}

/** Returns the client's name, which clients of version 2026-07-28 send with each request. */
export const clientNameOf = ({ params }: RpcMessage): string | null =>
  clientNameIn(params['_meta']);

export function clientNameIn(message: unknown): string | null {
  const parsed = meta.safeParse(message);
  return parsed.success ? (parsed.data[CLIENT_INFO_META_KEY] as z.infer<typeof named>).name : null;
}

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
