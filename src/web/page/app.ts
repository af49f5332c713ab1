import type { ReadonlySignal } from '@preact/signals';
import type { SessionInfo, WebWarning } from '#model';
import type { Calls } from '../link/link.ts';
import type { Me } from '../link/login.ts';
import type { SessionList } from '../sessions/session-list.ts';

/** A coordinator, as all views have it. */
export interface App {
  readonly link: Calls;
  readonly me: Me;
  readonly sessions: SessionList;
  /** The name of another coordinator; empty for the one that serves the page. */
  readonly coordinator: string;
  readonly others: ReadonlySignal<readonly App[]>;
  /** Why other coordinators are not known, for people. */
  readonly problems: ReadonlySignal<readonly string[]>;
  /** Logins that may not be the person's own. */
  readonly warnings: ReadonlySignal<readonly WebWarning[]>;
}

/** A session and its coordinator. */
export interface Placed {
  readonly app: App;
  readonly info: SessionInfo;
}

/** Returns the address of a session: `NAME`, or `COORDINATOR:NAME` for another coordinator's. */
export const addressOf = ({ coordinator }: App, name: string): string =>
  coordinator === '' ? name : `${coordinator}:${name}`;

/** Returns the coordinator in an address, null if the page does not know it, and the session's name. */
export function findApp(app: App, address: string): { readonly at: App | null; name: string } {
  const colon = address.lastIndexOf(':');
  const coordinator = address.slice(0, Math.max(0, colon));
  const name = address.slice(colon + 1);
  if (colon === -1 || coordinator === app.me.coordinator) return { at: app, name };
  const at = app.others.value.find((each) => each.coordinator === coordinator);
  return { at: at ?? null, name };
}
