import type { Link } from '../link/link.ts';
import type { Me } from '../link/login.ts';
import type { SessionList } from '../sessions/session-list.ts';

/** What all views share. */
export interface App {
  readonly link: Link;
  readonly me: Me;
  readonly sessions: SessionList;
}
