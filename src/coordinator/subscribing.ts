import { type Clock, type Disposable, toDisposable } from '#base';
import {
  checkScrollbackLines,
  checkWaitingBytes,
  type SubscribeRequest,
  type Subscription,
} from '#model';
import type { SecretRule } from '#recording';
import type { Session } from '#session';
import { EventFeed, markOffset, missedEvents } from '#watch';
import { RedactedEvents, type RedactedSource } from './redacting/redacted-streams.ts';
import type { Resizes } from './resizes.ts';

export interface SubscribingOptions {
  readonly clock: Clock;
  readonly resizes: Resizes;
  /** Begins a use of the session. */
  readonly use: () => Disposable;
  /** Finds the secrets that are replaced; null if none are. */
  readonly rules: readonly SecretRule[] | null;
}

/**
 * Subscribes to the events of a session.
 *
 * @throws VtrError INVALID_MARK, INVALID_ARGUMENT
 */
export async function subscribe(
  session: Session,
  { since, scrollbackLines, maxWaitingBytes }: SubscribeRequest,
  { clock, resizes, use, rules }: SubscribingOptions,
): Promise<Subscription> {
  const { view } = session;
  const source: RedactedSource = {
    snapshotting: (lines) => view.snapshotting(lines),
    terminal: view.terminal,
    exitStatus: view.exitStatus,
    onEvent: (listener) => {
      const parts = [view.onEvent(listener), use()];
      return toDisposable(() => {
        for (const part of parts) part.dispose();
      });
    },
  };
  const bounds = {
    ...(scrollbackLines === undefined
      ? {}
      : { scrollbackLines: checkScrollbackLines(scrollbackLines) }),
    ...(maxWaitingBytes === undefined
      ? {}
      : { maxWaitingBytes: checkWaitingBytes(maxWaitingBytes) }),
  };
  // A secret may begin before the mark: starting there would show the rest of it.
  if (rules !== null) return new RedactedEvents(source, rules, { clock, ...bounds });
  if (since === undefined) return new EventFeed(source, { clock, ...bounds });
  return view.withKeptOutput(markOffset(view, since), () => {
    const missed = missedEvents(view, since, resizes.of(session), clock.wallMs());
    return new EventFeed(source, { clock, ...bounds, ...(missed && { missed }) });
  });
}
