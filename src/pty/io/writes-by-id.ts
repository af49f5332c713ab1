import { Cancellation, type CancelSignal, InputIds } from '#model';
import type { WriteOptions, WriteReceipt } from '../port.ts';

/** The ids that are known. */
const maxIds = 64;

interface FirstWrite {
  readonly receipt: Promise<WriteReceipt>;
  readonly withdrawal: Cancellation;
  readonly content: string | undefined;
  isDone: boolean;
}

/** Makes a write with an id happen at most once. Contract: `WriteOptions.inputId`. */
export class WritesById {
  readonly #writes = new InputIds<FirstWrite>(maxIds, { mayForget: ({ isDone }) => isDone });

  /**
   * Returns the result of the first call with the id. Rejects as {@link InputIds.find}.
   *
   * @param write called for the first, with a signal that any of the calls can abort
   */
  once(
    { inputId, content, signal }: WriteOptions,
    write: (signal: CancelSignal | undefined) => Promise<WriteReceipt>,
  ): Promise<WriteReceipt> {
    if (inputId === undefined) return write(signal);
    let firstWrite: FirstWrite | undefined;
    try {
      firstWrite = this.#writes.find(inputId, () => content);
    } catch (error) {
      return Promise.reject(error);
    }
    if (firstWrite !== undefined) return withdrawnBy(signal, firstWrite);
    const withdrawal = new Cancellation();
    if (signal?.aborted) withdrawal.abort();
    const first = { receipt: write(withdrawal), withdrawal, content, isDone: false };
    this.#writes.add(inputId, first);
    first.receipt.then(
      () => this.#done(first),
      (error) => {
        this.#done(first);
        if (!acceptedSome(error)) this.#writes.delete(inputId, first);
      },
    );
    return withdrawnBy(signal, first);
  }

  #done(first: FirstWrite): void {
    first.isDone = true;
    this.#writes.trim();
  }
}

async function withdrawnBy(
  signal: CancelSignal | undefined,
  { receipt, withdrawal }: FirstWrite,
): Promise<WriteReceipt> {
  const onAbort = () => withdrawal.abort();
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  try {
    return await receipt;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Whether the program accepted a part of the input of a write that failed. */
function acceptedSome(error: unknown): boolean {
  const details = (error as { details?: { acceptedBytes?: unknown } } | null)?.details;
  return typeof details?.acceptedBytes === 'number' && details.acceptedBytes > 0;
}
