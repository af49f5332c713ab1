import type { Clock } from '#base';
import type { WaitRequest, WaitResult } from '#model';
import type { Session } from '#session';
import { waitFor } from '#watch';
import { looksLikePrompt } from './patterns.ts';

/**
 * Waits in a session; see `Coordinator.wait`.
 *
 * @throws VtrError INVALID_PATTERN, INVALID_MARK, INVALID_ARGUMENT: synchronously, before the wait
 * begins
 */
export function waitInSession(
  session: Session,
  request: WaitRequest,
  clock: Clock,
): Promise<WaitResult> {
  return waitFor(session.view, request, clock, () => session.activity(looksLikePrompt));
}
