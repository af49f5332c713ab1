import { type CancelSignal, type SessionRef, VtrError } from '#model';
import { nameOf } from './checked.ts';

const messages = {
  wait: 'the wait was cancelled; the program is not affected',
  search: 'the search was cancelled',
};

/**
 * Makes a call that its caller may withdraw.
 *
 * @throws VtrError CANCELLED when it was
 */
export async function cancellable<T>(
  ref: SessionRef,
  signal: CancelSignal | undefined,
  what: keyof typeof messages,
  call: (abort: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const cancelled = () => new VtrError('CANCELLED', `session ${nameOf(ref)}: ${messages[what]}`);
  if (signal?.aborted) throw cancelled();
  signal?.addEventListener('abort', abort);
  try {
    return await call(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? cancelled() : error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
