import { type Disposable, type Log, toDisposable } from '#base';
import { asVtrError, type Subscription, type SubscriptionEvent } from '#model';
import type { SessionHost } from '../service.ts';
import type { ResourceName } from './resource-address.ts';

/** What an event changes; the first of a subscription tells how things are, and changes nothing. */
const changedBy: Readonly<Record<SubscriptionEvent['type'], readonly ResourceName[]>> = {
  // A subscriber that was too slow has missed what happened.
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
 * Hears what happens in a session, from its coordinator, until it is disposed of or the session
 * ends. Where there is no such session, nothing does.
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
