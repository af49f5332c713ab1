import type { Clock } from '#base';
import type { WaitRequest, WaitResult } from '#model';
import type { Session } from '#session';
import { type AgentSource, waitFor } from '#watch';
import type { ShownView } from '../redacting/redacted-view.ts';

/**
 * Waits in a session; see `Coordinator.wait`.
 *
 * @param written settles when the next input of the session is written, if that is sent with the wait
 * @param shown the session as the result shows it
 * @param agent the coding agent in its foreground; default: there is none
 * @throws VtrError INVALID_PATTERN, INVALID_MARK, INVALID_ARGUMENT: synchronously, before the wait
 * begins
 */
export function waitInSession(
  session: Session,
  request: WaitRequest,
  clock: Clock,
  written?: Promise<unknown>,
  shown?: ShownView,
  agent?: AgentSource,
): Promise<WaitResult> {
  const activity = () => session.activity();
  const driving = session.gate === null ? {} : { driving: session.gate };
  return waitFor(session.view, request, clock, {
    activity,
    ...(written && { sendsInput: true, written }),
    ...driving,
    ...(shown && { shown }),
    ...(agent && { agent }),
  });
}
