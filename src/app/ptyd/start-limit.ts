import { lateReason, VtrError } from '#model';

/**
 * Checks, before a request is carried out, that its coordinator still waits for it. After the limit the
 * coordinator and its client have given the request up.
 *
 * @param startByMs until when it may be begun; absent: at any time
 * @param nowMs on the same clock
 * @throws VtrError UNAVAILABLE
 */
export function checkStartLimit(startByMs: number | undefined, nowMs: number): void {
  if (startByMs === undefined || nowMs <= startByMs) return;
  const seconds = ((nowMs - startByMs) / 1e3).toFixed(1);
  throw new VtrError(
    'UNAVAILABLE',
    `the request was not carried out: the PTY host read it ${seconds} s after its limit; it was suspended, or the machine is overloaded`,
    { details: { reason: lateReason, acceptedBytes: 0 } },
  );
}
