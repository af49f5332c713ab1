import type { Lease, VtrError } from '#model';
import type { OpenLeaseResponse } from '../gen/vtr.gen.ts';

export interface RemoteLeaseOptions {
  readonly opened: AsyncIterable<OpenLeaseResponse>;
  /** Of the stream. */
  readonly cancel: AbortController;
  /** Resolves when the programs of the lease have ended. */
  readonly close: (id: string) => Promise<unknown>;
  readonly toError: (error: unknown) => VtrError;
}

/** A lease on the other side of a connection, which holds it by a stream. */
export async function openRemoteLease(options: RemoteLeaseOptions): Promise<Lease> {
  const { opened, cancel, close, toError } = options;
  const stream = opened[Symbol.asyncIterator]();
  try {
    const { value } = await stream.next();
    const id = value?.leaseId ?? '';
    // It has no other message; somebody has to hear of its end.
    stream.next().catch(() => {});
    let closing: Promise<void> | null = null;
    return {
      id,
      close() {
        closing ??= close(id).then(
          () => cancel.abort(),
          (error) => {
            cancel.abort();
            throw error;
          },
        );
        return closing;
      },
    };
  } catch (error) {
    throw toError(error);
  }
}
