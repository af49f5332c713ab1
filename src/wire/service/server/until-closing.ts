import type { HandlerContext } from '@connectrpc/connect';

/** The reason with which `closing` is aborted if another coordinator takes over the sessions. */
export const restarting = 'restarting';

export const isRestarting = ({ reason }: AbortSignal): boolean => reason === restarting;

/**
 * Resolves when the server begins to stop.
 *
 * @param closing aborted when the server begins to stop
 * @throws the reason of the call's abort, if the call ends first
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
