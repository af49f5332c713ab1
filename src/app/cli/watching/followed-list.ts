import type { SessionInfo } from '#model';
import type { KnownCoordinator } from '../coordinators/known-coordinator.ts';
import type { ListedSession } from '../output/session-table.ts';
import type { FollowedEvent } from './follow-sessions.ts';

/** A change of a list: a session that is new or changed, or one that is not in the list any more. */
export type ListChange =
  | { readonly type: 'session'; readonly session: ListedSession }
  | { readonly type: 'removed'; readonly session: ListedSession };

/** The sessions of several coordinators that pass a filter, as they change. */
export class FollowedList {
  readonly #isListed: (coordinator: KnownCoordinator, info: SessionInfo) => boolean;
  /** By socket, then by id. */
  readonly #sessions = new Map<string, Map<string, ListedSession>>();

  constructor(isListed: (coordinator: KnownCoordinator, info: SessionInfo) => boolean) {
    this.#isListed = isListed;
  }

  /** Those of each coordinator together, oldest first. */
  get sessions(): ListedSession[] {
    return [...this.#sessions.values()].flatMap((each) => [...each.values()]);
  }

  /** Returns what an event changes. */
  apply(coordinator: KnownCoordinator, event: FollowedEvent): ListChange[] {
    const known = this.#sessions.get(coordinator.socket) ?? new Map<string, ListedSession>();
    this.#sessions.set(coordinator.socket, known);
    switch (event.type) {
      case 'sessions': {
        const ids = new Set(event.sessions.map(({ id }) => id));
        const removed = [...known.keys()].filter((id) => !ids.has(id));
        const gone = removed.flatMap((id) => this.#remove(known, id));
        return [...gone, ...event.sessions.flatMap((info) => this.#set(known, coordinator, info))];
      }
      case 'session':
        return this.#set(known, coordinator, event.session);
      case 'removed':
        return this.#remove(known, event.id);
      case 'gone':
        return [...known.keys()].flatMap((id) => this.#remove(known, id));
      case 'frame':
        return [];
    }
  }

  #set(
    known: Map<string, ListedSession>,
    coordinator: KnownCoordinator,
    info: SessionInfo,
  ): ListChange[] {
    if (!this.#isListed(coordinator, info)) return this.#remove(known, info.id);
    const session = { coordinator: coordinator.name, info };
    known.set(info.id, session);
    return [{ type: 'session', session }];
  }

  #remove(known: Map<string, ListedSession>, id: string): ListChange[] {
    const session = known.get(id);
    known.delete(id);
    return session === undefined ? [] : [{ type: 'removed', session }];
  }
}
