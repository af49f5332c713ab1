import type { Disposable, Log } from '#base';
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

export interface SessionWatch extends Disposable {
  /** Whether it reports nothing more: the session has ended, or there was none. */
  readonly isOver: boolean;
}

export interface Watcher {
  /** Whether the present state is a change, because the session was made after the last watch. */
  readonly isLate: boolean;
  readonly changed: (name: ResourceName) => void;
  readonly log: Log;
}

/**
 * Calls `changed` for changes in a session, until disposed or the session ends. Does nothing if there
 * is no such session.
 */
export function watchSession(
  host: SessionHost,
  session: string,
  { isLate, changed, log }: Watcher,
): SessionWatch {
  let subscription: Subscription | null = null;
  let isOver = false;
  const follow = async () => {
    const coordinator = await host.reach();
    if (coordinator === null || isOver) return;
    const opened = await coordinator.subscribe(session);
    if (isOver) return opened.dispose();
    subscription = opened;
    let isFirst = !isLate;
    for await (const { type } of opened) {
      if (!isFirst) for (const name of changedBy[type]) changed(name);
      isFirst = false;
    }
  };
  const end = () => {
    isOver = true;
    subscription?.dispose();
    subscription = null;
  };
  follow()
    .catch((error) => log('info', `${session} is no longer watched: ${codeOf(error)}`))
    .finally(end);
  return {
    get isOver() {
      return isOver;
    },
    dispose: end,
  };
}

const codeOf = (thrown: unknown): string => asVtrError(thrown).code;
