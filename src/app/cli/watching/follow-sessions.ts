import { setTimeout as pause } from 'node:timers/promises';
import { isListening } from '#config';
import { asVtrError, isAddress, type SessionsEvent, type VtrError } from '#model';
import type { Context } from '../context.ts';
import type { KnownCoordinator } from '../coordinators/known-coordinator.ts';
import { chosenCoordinators, connectionTo } from '../coordinators/known-coordinators.ts';

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
    await pause(lookMs, undefined, { signal }).catch(() => {});
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
