import { type Disposable, type Log, toDisposable } from '#base';
import { asVtrError, type Subscription, type SubscriptionEvent } from '#model';
import type { SessionHost } from '../session-host.ts';
import type { ResourceName } from './resource-address.ts';

/** The resources that an event changes. The first event of a subscription is the present state, not a change. */
const changedBy: Readonly<Record<SubscriptionEvent['type'], readonly ResourceName[]>> = {
  // Sent in place of events that a slow subscriber missed.
  snapshot: ['screen', 'scrollback', 'commands'],
  output: ['screen', 'scrollback'],
  resize: ['screen', 'scrollback'],
  exit: ['screen', 'scrollback', 'commands'],
  mark: ['commands'],
  title: [],
  bell: [],
  cwd: [],
  progress: [],
  notification: [],
  clipboard: [],
};

/**
 * Calls `changed` for changes in a session, until disposed or the session ends. Does nothing if there
 * is no such session.
 */
export function watchSession(
  host: SessionHost,
  session: string,
  changed: (name: ResourceName) => void,
  log: Log,
): Disposable {
  let subscription: Subscription | null = null;
  let isOver = false;
  const follow = async () => {
    const coordinator = await host.reach();
    if (coordinator === null || isOver) return;
    const opened = await coordinator.subscribe(session);
    if (isOver) return opened.dispose();
    subscription = opened;
    let isFirst = true;
    for await (const { type } of opened) {
      if (!isFirst) for (const name of changedBy[type]) changed(name);
      isFirst = false;
    }
  };
  follow().catch((error) => log('info', `${session} is no longer watched: ${codeOf(error)}`));
  return toDisposable(() => {
    isOver = true;
    subscription?.dispose();
  });
}

const codeOf = (thrown: unknown): string => asVtrError(thrown).code;
