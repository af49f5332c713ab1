import { setTimeout as pause } from 'node:timers/promises';
import { ignored } from '#base';
import { isListening } from '#config';
import { asVtrError, isAddress, type SessionInfo, type SessionsEvent, type VtrError } from '#model';
import type { Context } from '../context.ts';
import {
  chosenCoordinators,
  connectionTo,
  type KnownCoordinator,
} from '../coordinators/known-coordinators.ts';
import type { ListedSession } from '../output/session-table.ts';

/** The time between two looks for coordinators that run, in ms. */
const lookMs = 1_000;

/** The time between two attempts to reach a coordinator at an address, in ms: each starts a program. */
const farPauseMs = 10_000;

/** `gone`: the coordinator ended, and its sessions with it as far as is known. */
export type FollowedEvent = SessionsEvent | { readonly type: 'gone' };

type OnEvent = (coordinator: KnownCoordinator, event: FollowedEvent) => Promise<void> | void;

/**
 * Watches the sessions of the named coordinator, or of all known ones, until `signal` is aborted. Those
 * that do not run are not started, but followed once they do. Events of one coordinator are delivered one
 * after the other; a slow consumer gets the newest state.
 *
 * @throws VtrError INVALID_ARGUMENT for an unknown coordinator
 */
export async function followSessions(
  context: Context,
  named: string | undefined,
  signal: AbortSignal,
  onEvent: OnEvent,
): Promise<void> {
  const followed = new Map<string, Promise<void>>();
  const failures = new Map<string, { readonly message: string; readonly atMs: number }>();
  const mayFollow = async (socket: string) => {
    if (!isAddress(socket)) return isListening(socket);
    const { atMs } = failures.get(socket) ?? { atMs: Number.NEGATIVE_INFINITY };
    return performance.now() - atMs > farPauseMs;
  };
  const failed = (socket: string, { message, details }: VtrError) => {
    const before = failures.get(socket);
    failures.set(socket, { message, atMs: performance.now() });
    const isNews = !isAddress(socket) || message !== before?.message;
    if (!signal.aborted && isNews && details['reason'] !== 'ENOENT') {
      context.say(`skipped: ${message}`);
    }
  };
  let first = true;
  while (!signal.aborted) {
    for (const coordinator of await chosenCoordinators(context, named)) {
      const { socket } = coordinator;
      if (followed.has(socket) || !(await mayFollow(socket))) continue;
      // Following several coordinators must not ask for passwords again and again.
      const mayPrompt = named !== undefined || coordinator.pattern === null;
      const following = follow(context, coordinator, { mayPrompt, signal }, onEvent).then(
        () => followed.delete(socket),
        (error) => {
          followed.delete(socket);
          failed(socket, asVtrError(error));
        },
      );
      followed.set(
        socket,
        following.then(() => {}),
      );
    }
    // The list should not wait for a coordinator that does not run.
    if (first && followed.size === 0) await onEvent(nobody, { type: 'gone' });
    first = false;
    await ignored(pause(lookMs, undefined, { signal }), 'an abort ends the pause');
  }
  await Promise.all(followed.values());
}

const nobody: KnownCoordinator = { socket: '', name: '', pattern: null };

async function follow(
  context: Context,
  coordinator: KnownCoordinator,
  { mayPrompt, signal }: { readonly mayPrompt: boolean; readonly signal: AbortSignal },
  onEvent: OnEvent,
): Promise<void> {
  if (coordinator.failure !== undefined) throw coordinator.failure;
  const client = await connectionTo(context, coordinator, { mayPrompt });
  const watch = await client.watchSessions();
  const leave = () => watch.dispose();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    for await (const event of watch) await onEvent(coordinator, event);
  } catch (error) {
    // It ended, or was killed and its sessions did not continue.
    if (asVtrError(error).code !== 'UNAVAILABLE') throw error;
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
    await client.close();
    if (!signal.aborted) await onEvent(coordinator, { type: 'gone' });
  }
}

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
    const before = this.#sessions.get(coordinator.socket) ?? new Map<string, ListedSession>();
    this.#sessions.set(coordinator.socket, before);
    switch (event.type) {
      case 'sessions': {
        const ids = new Set(event.sessions.map(({ id }) => id));
        const removed = [...before.keys()].filter((id) => !ids.has(id));
        const gone = removed.flatMap((id) => this.#remove(before, id));
        return [...gone, ...event.sessions.flatMap((info) => this.#set(before, coordinator, info))];
      }
      case 'session':
        return this.#set(before, coordinator, event.session);
      case 'removed':
        return this.#remove(before, event.id);
      case 'gone':
        return [...before.keys()].flatMap((id) => this.#remove(before, id));
      case 'frame':
        return [];
    }
  }

  #set(
    sessions: Map<string, ListedSession>,
    coordinator: KnownCoordinator,
    info: SessionInfo,
  ): ListChange[] {
    if (!this.#isListed(coordinator, info)) return this.#remove(sessions, info.id);
    const session = { coordinator: coordinator.name, info };
    sessions.set(info.id, session);
    return [{ type: 'session', session }];
  }

  #remove(sessions: Map<string, ListedSession>, id: string): ListChange[] {
    const session = sessions.get(id);
    sessions.delete(id);
    return session === undefined ? [] : [{ type: 'removed', session }];
  }
}
