import { existsSync } from 'node:fs';
import type { IsStuck, MayStart } from '#app/client';
import { quoted } from '#base';
import {
  checkSocketPath,
  configuredSockets,
  expandHome,
  nameOfPlace,
  ownSocket,
  resolvePlace,
  unusedDirectories,
} from '#config';
import {
  asVtrError,
  type Coordinator,
  isAddress,
  isSelector,
  nameOfAddress,
  parseAddress,
  VtrError,
} from '#model';
import { JsonCoordinator, silenceLimitMs } from '#wire/service/short';
import { callerOf } from '../caller.ts';
import type { Context } from '../context.ts';

/** Returns the user's own coordinator, then the configured ones, each once. */
export async function knownCoordinators(context: Context): Promise<KnownCoordinator[]> {
  const { coordinators, selectors } = await withoutSelected(context);
  const selected = await Promise.all(selectors.map((each) => coordinatorsOf(context, each)));
  return eachOnce([...coordinators, ...selected.flat()]);
}

/** The user's own coordinator and the configured ones, without those of selectors, which take a program to list. */
async function withoutSelected(
  context: Context,
): Promise<{ coordinators: KnownCoordinator[]; selectors: string[] }> {
  const socket = await toldSocket(context);
  const own = { socket, name: nameOfPlace(socket), pattern: null };
  const configured = configuredSockets(await context.config(), context).map(withProblem);
  return {
    coordinators: eachOnce([own, ...configured.filter(({ socket }) => !isSelector(socket))]),
    selectors: configured.flatMap(({ socket }) => (isSelector(socket) ? [socket] : [])),
  };
}

/** One that has no usable path fails alone, as one that does not answer. */
function withProblem<Each extends { readonly socket: string }>(
  each: Each,
): Each & { readonly failure?: VtrError } {
  if (isAddress(each.socket)) return each;
  try {
    checkSocketPath(each.socket);
    return each;
  } catch (error) {
    return { ...each, failure: asVtrError(error) };
  }
}

const warned = new WeakSet<Context['say']>();

/** Warns once per command of directories of the environment that vtr does not use; see {@link unusedDirectories}. */
export function tellUnused(context: Pick<Context, 'env' | 'say'>): void {
  if (warned.has(context.say)) return;
  warned.add(context.say);
  for (const line of unusedDirectories(context)) context.say(`warning: ${line}`);
}

/** As {@link ownSocket}, and warns as {@link tellUnused}. */
export async function toldSocket(context: Context): Promise<string> {
  tellUnused(context);
  return ownSocket(context);
}

/** Returns the user's own coordinator. @throws VtrError INVALID_ARGUMENT for an invalid configuration */
async function ownCoordinator(context: Context): Promise<KnownCoordinator> {
  const { coordinators } = await withoutSelected(context);
  // It is always known and comes first.
  return coordinators[0] as KnownCoordinator;
}

function eachOnce(all: readonly KnownCoordinator[]): KnownCoordinator[] {
  const first = new Map<string, KnownCoordinator>();
  for (const each of all) if (!first.has(each.socket)) first.set(each.socket, each);
  return [...first.values()];
}

/** How a coordinator is reached. */
interface Reach {
  /**
   * Which daemon a call may start. Default: for the user's own, one for sessions that are left; none for a configured
   * one, which another process has to start. At an address, `vtr connect` there decides.
   */
  readonly mayStart?: MayStart;
  /** Which calls are repeated if the coordinator is lost and its sessions continue. Default: those that are safe. */
  readonly repeats?: 'none' | 'safe';
  /** Whether ssh may ask a person, where one can answer: one of several coordinators does not. Default: true. */
  readonly mayPrompt?: boolean;
}

/** For calls about the daemon itself, and programs that tell the person of a loss. */
export const asItIs: Reach = { mayStart: 'never', repeats: 'none' };

/** Without a pattern, the user's own, or one that the command names. */
interface Place {
  readonly socket: string;
  readonly pattern?: string | null;
}

/** Finds out whether a coordinator answers, or will; starts the daemon if that is allowed. */
async function reach(
  context: Context,
  { socket, pattern = null }: Place,
  { mayStart = pattern === null ? 'if_left' : 'never', mayPrompt = true }: Reach = {},
  connectMs?: number,
): Promise<boolean> {
  context.inDaemon?.decline();
  // Loaded only when it is needed: most calls find their daemon.
  const { reachDaemon } = await import('#app/client');
  const attempt = connectMs === undefined ? { mayPrompt } : { connectMs, mayPrompt };
  return reachDaemon(context, socket, mayStart, attempt);
}

/** The options of both clients. */
const clientOptions = (context: Context, at: Place, how: Reach) => ({
  ...((how.repeats ?? 'safe') === 'safe' && {
    recover: (leftMs: number) => reach(context, at, how, leftMs),
  }),
  mayPrompt: how.mayPrompt ?? true,
  isStuck: stuck(at.socket),
});

/** Returns a client for a call or two. */
export function clientOf(context: Context, at: Place, how: Reach = {}): JsonCoordinator {
  const { inDaemon } = context;
  if (inDaemon !== undefined && inDaemon.socket !== at.socket) inDaemon.decline();
  return new JsonCoordinator(at.socket, {
    ...(inDaemon && { service: inDaemon.service }),
    ...clientOptions(context, at, how),
    version: context.version,
    // For an address, `vtr connect` has already started it.
    ...((at.pattern ?? null) === null &&
      how.mayStart !== 'never' &&
      !isAddress(at.socket) && { start: () => reach(context, at, how) }),
  });
}

/** A client for calls about the daemon itself. */
export const daemonClient = (socket: string, context: Context): JsonCoordinator =>
  clientOf(context, { socket }, asItIs);

/** Opens a connection, for calls that stream or are many. @throws VtrError UNAVAILABLE */
export async function connectionTo(
  context: Context,
  at: Place,
  how: Reach = {},
): Promise<Coordinator> {
  context.inDaemon?.decline();
  const { connect } = await import('#wire/service');
  return connect({ socket: at.socket, client: 'cli', ...clientOptions(context, at, how) });
}

/** Loaded only if the daemon does not answer. */
const stuck =
  (socket: string): IsStuck =>
  async (...probe) =>
    (await import('#app/client')).daemonStuck(socket)(...probe);

/** How the programs for a person's terminal reach a coordinator. */
export const linkOptions = (context: Context, coordinator: KnownCoordinator) => ({
  name: coordinator.name,
  socket: coordinator.socket,
  isOwn: coordinator.pattern === null,
  reach: (mayStart?: 'always') => reach(context, coordinator, mayStart && { mayStart }),
  problem: () => problemOf(context, coordinator),
  caller: () => callerOf(context, coordinator.socket),
});

/**
 * Returns the named coordinator, those of a selector, or all known ones. A configured name goes before that of a
 * container that is selected.
 *
 * @param named a path, an address, a selector or a name
 * @throws VtrError INVALID_ARGUMENT for an invalid address, an unknown name, or an ambiguous one
 */
export async function chosenCoordinators(
  context: Context,
  named: string | undefined,
): Promise<readonly KnownCoordinator[]> {
  if (named === undefined) return knownCoordinators(context);
  if (isAddress(named) || named.includes('/')) {
    const socket = resolvePlace(expandHome(named, context), context.cwd);
    if (isSelector(socket)) return namedCoordinatorsOf(context, socket);
    return [{ socket, name: nameOfPlace(socket), pattern: null }];
  }
  const { coordinators, selectors } = await withoutSelected(context);
  const isKnown = coordinators.some(({ name }) => name === named);
  const all = isKnown || selectors.length === 0 ? coordinators : await knownCoordinators(context);
  return [coordinatorNamed(named, all)];
}

/**
 * Returns the named coordinator, or the user's own, for a call to one.
 *
 * @throws VtrError as {@link chosenCoordinators}; INVALID_ARGUMENT if a selector selects several, UNAVAILABLE if
 * it selects none or its tool fails
 */
export async function oneCoordinator(
  context: Context,
  named: string | undefined,
): Promise<KnownCoordinator> {
  if (named === undefined) return ownCoordinator(context);
  if (isSelector(named)) {
    const { selectedAddress } = await import('#transport');
    const socket = await selectedAddress(resolvePlace(named));
    return { socket, name: nameOfPlace(socket), pattern: null };
  }
  const [chosen] = await chosenCoordinators(context, named);
  return chosen as KnownCoordinator;
}

/**
 * As {@link chosenCoordinators}, for calls about sessions that exist. Starts the user's own coordinator
 * if it has no socket and sessions are left without one. If it was killed, the first call finds out: a
 * connection only to see that it runs would take a tenth of a short command.
 *
 * @throws VtrError as the start of a daemon
 */
export async function coordinatorsWithSessions(
  context: Context,
  named: string | undefined,
): Promise<readonly KnownCoordinator[]> {
  const chosen = await chosenCoordinators(context, named);
  for (const each of chosen) await startForSessions(context, each);
  return chosen;
}

/** As {@link coordinatorsWithSessions}, of the user's own alone. */
export async function ownWithSessions(context: Context): Promise<KnownCoordinator> {
  const own = await ownCoordinator(context);
  await startForSessions(context, own);
  return own;
}

async function startForSessions(
  context: Context,
  { socket, pattern }: KnownCoordinator,
): Promise<void> {
  if (pattern !== null || isAddress(socket) || existsSync(socket)) return;
  await reach(context, { socket });
}

/** @throws VtrError INVALID_ARGUMENT */
function coordinatorNamed(
  name: string,
  coordinators: readonly KnownCoordinator[],
): KnownCoordinator {
  const [coordinator, ...more] = coordinators.filter((each) => each.name === name);
  if (coordinator === undefined) {
    const failures = coordinators.flatMap(({ failure }) =>
      failure === undefined ? [] : [failure],
    );
    // It may be among those that are not known.
    if (failures[0] !== undefined) throw failures[0];
    const names = coordinators.map((each) => each.name).join(', ');
    throw new VtrError(
      'INVALID_ARGUMENT',
      `unknown coordinator ${quoted(name)}; use ${names} or the path of a socket`,
    );
  }
  if (more.length === 0) return coordinator;
  const sockets = [coordinator, ...more].map(({ socket }) => `\n  --coordinator ${socket}`);
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${more.length + 1} coordinators are named ${name}; choose one:${sockets.join('')}`,
  );
}

/** A coordinator that may be running, as known before any call. */
export interface KnownCoordinator {
  /** Path of its socket, or its address. */
  readonly socket: string;
  /** As configured; else the socket's file name without `.sock`, or that of the host or container. */
  readonly name: string;
  /** The path or glob, the address or the selector, in the configuration; null for the user's own. */
  readonly pattern: string | null;
  /** Why what `socket` selects is not known; absent for one coordinator. */
  readonly failure?: VtrError;
}

const loadTransport = () => import('#transport');

type SelectedList = InstanceType<Awaited<ReturnType<typeof loadTransport>>['SelectedList']>;

/**
 * Returns the coordinators in the containers or pods of a selector that is configured. A view gets the last
 * list at once, while the next one is made.
 *
 * @returns one with a failure if they cannot be listed, or not within 2 s; none if nothing matches
 */
export async function coordinatorsOf(
  context: Context,
  selector: string,
): Promise<readonly KnownCoordinator[]> {
  context.inDaemon?.decline();
  const { SelectedList } = await loadTransport();
  const of = lists.get(context) ?? new Map<string, SelectedList>();
  lists.set(context, of);
  const list = of.get(selector) ?? new SelectedList(selector, silenceLimitMs);
  of.set(selector, list);
  const listed = await list.current();
  if ('failure' in listed) return [failed(selector, listed.failure)];
  return listed.addresses.map((socket) => {
    return { socket, name: nameOfAddress(parseAddress(socket)), pattern: selector };
  });
}

/** As {@link coordinatorsOf}, of a selector that the user names: it is a failure if nothing matches. */
export async function namedCoordinatorsOf(
  context: Context,
  selector: string,
): Promise<readonly KnownCoordinator[]> {
  const coordinators = await coordinatorsOf(context, selector);
  const [only, ...more] = coordinators;
  if (only === undefined) {
    const { noneSelected } = await loadTransport();
    return [failed(selector, noneSelected(selector))];
  }
  // It was meant as if by its own address.
  return more.length === 0 && only.failure === undefined
    ? [{ ...only, pattern: null }]
    : coordinators;
}

/**
 * Returns why a coordinator of a selector cannot be reached, as the last list tells: `reason` is NOT_SELECTED if
 * its container has ended. Null otherwise.
 */
export async function problemOf(
  context: Context,
  { socket, pattern, failure }: KnownCoordinator,
): Promise<VtrError | null> {
  if (pattern === null || !isSelector(pattern)) return null;
  const coordinators = await coordinatorsOf(context, pattern);
  const now = coordinators.find((each) => each.socket === socket);
  if (now !== undefined) return now.failure ?? null;
  if (failure !== undefined && coordinators.length === 0) return failure;
  const message = `${pattern} does not select ${socket} any more`;
  return new VtrError('UNAVAILABLE', message, { details: { socket, reason: 'NOT_SELECTED' } });
}

/** The lists of each command. Another command may select other containers. */
const lists = new WeakMap<Context, Map<string, SelectedList>>();

/** @param thrown by the transport, a bundle of its own with its own class of errors */
function failed(selector: string, thrown: unknown): KnownCoordinator {
  const { code, message, details } = asVtrError(thrown);
  const failure = new VtrError(code, message, { details });
  return { socket: selector, name: selector, pattern: selector, failure };
}
