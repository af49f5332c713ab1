import { type CancelSignal, VtrError } from '#model';

/** What is promised, or CANCELLED when the signal comes first. Leaves no listener behind. */
export async function unlessCancelled<T>(promised: Promise<T>, signal: CancelSignal): Promise<T> {
  let cancel = () => {};
  const cancelled = new Promise<never>((_resolve, reject) => {
    cancel = () => reject(new VtrError('CANCELLED', 'the request was cancelled'));
  });
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  try {
    return await Promise.race([promised, cancelled]);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
