import { Cancellation, type CancelSignal, inputIdUsed } from '#model';
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
export class InputIds {
  /** Oldest first. */
  readonly #writes = new Map<string, FirstWrite>();

  /**
   * Returns the result of the first call with the id.
   *
   * @param write called for the first, with a signal that any of the calls can abort
   */
  once(
    { inputId, content, signal }: WriteOptions,
    write: (signal: CancelSignal | undefined) => Promise<WriteReceipt>,
  ): Promise<WriteReceipt> {
    if (inputId === undefined) return write(signal);
    const known = this.#writes.get(inputId);
    if (known !== undefined) {
      const isOther = (content ?? known.content) !== (known.content ?? content);
      return isOther ? Promise.reject(inputIdUsed()) : withdrawnBy(signal, known);
    }
    const withdrawal = new Cancellation();
    if (signal?.aborted) withdrawal.abort();
    const first = { receipt: write(withdrawal), withdrawal, content, isDone: false };
    this.#writes.set(inputId, first);
    first.receipt.then(
      () => this.#done(first),
      (error) => {
        this.#done(first);
        if (!acceptedSome(error) && this.#writes.get(inputId) === first) {
          this.#writes.delete(inputId);
        }
      },
    );
    return withdrawnBy(signal, first);
  }

  #done(first: FirstWrite): void {
    first.isDone = true;
    for (const [id, { isDone }] of this.#writes) {
      if (this.#writes.size <= maxIds) return;
      if (isDone) this.#writes.delete(id);
    }
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
