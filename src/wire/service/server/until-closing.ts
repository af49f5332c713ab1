import type { HandlerContext } from '@connectrpc/connect';

/**
 * Resolves when the server begins to stop.
 *
 * @param closing aborted then
 * @throws the reason for which the call is over before
 */
export function untilClosing(closing: AbortSignal, { signal }: HandlerContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClosing = () => {
      signal.removeEventListener('abort', onLeave);
      resolve();
    };
    const onLeave = () => {
      closing.removeEventListener('abort', onClosing);
      reject(signal.reason);
    };
    if (closing.aborted) return resolve();
    if (signal.aborted) return reject(signal.reason);
    closing.addEventListener('abort', onClosing, { once: true });
    signal.addEventListener('abort', onLeave, { once: true });
  });
}
