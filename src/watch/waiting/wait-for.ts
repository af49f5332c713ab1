import type { Clock } from '#base';
import type { WaitRequest, WaitResult } from '#model';
import type { Watched } from '../watched.ts';
import { conditionsOf } from './conditions.ts';
import { waitForAny } from './wait.ts';

/**
 * Waits for the first of what is asked for. The answer rejects with CANCELLED when `request.signal`
 * says so; the program is left alone.
 *
 * @throws VtrError INVALID_PATTERN, INVALID_MARK, INVALID_ARGUMENT: at once, before anything is waited for
 */
export function waitFor(watched: Watched, request: WaitRequest, clock: Clock): Promise<WaitResult> {
  return waitForAny(watched, conditionsOf(request), request, clock);
}
