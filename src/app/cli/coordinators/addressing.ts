import { existsSync } from 'node:fs';
import { defined, ignored, nearMisses, wordOrQuoted } from '#base';
import { checkNotAddress } from '#config';
import {
  canonicalAddress,
  checkSessionName,
  isAddress,
  isVtrError,
  type ListRequest,
  type SessionInfo,
  VtrError,
} from '#model';
import { type JsonCoordinator, silenceLimitMs } from '#wire/service/short';
import type { Context } from '../context.ts';
import { silentHostsText } from './daemon-status.ts';
import {
  chosenCoordinators,
  clientOf,
  coordinatorsWithSessions,
  type KnownCoordinator,
  oneCoordinator,
  ownWithSessions,
} from './known-coordinators.ts';

/** A session and its coordinator. */
export interface Target {
  readonly coordinator: JsonCoordinator;
  readonly coordinatorName: string;
  readonly session: string;
  /** The session as in the command, for messages: `COORDINATOR:NAME` if that names a coordinator. */
  readonly shown: string;
}

/** A session name or a glob of such names. */
const nameOrGlob = /^[\w.*?[\]-]+$/;

/**
 * Splits `COORDINATOR:NAME`, also `ssh://HOST:NAME`; a session name contains no colon.
 *
 * @throws VtrError INVALID_ARGUMENT for an address without a name, and for `exec:COMMAND`, which may contain colons
 */
export function splitAddress(address: string): { coordinator?: string; session: string } {
  const colon = address.lastIndexOf(':');
  if (colon === -1) return { session: address };
  const [coordinator, session] = [address.slice(0, colon), address.slice(colon + 1)];
  if (isAddress(address)) checkNames(address, coordinator, session);
  return { coordinator, session };
}

/**
 * As {@link splitAddress}, with the coordinator of --coordinator if the address has none.
 *
 * @throws VtrError INVALID_ARGUMENT if they name two coordinators
 */
export async function placeAndName(
  context: Context,
  address: string,
  { coordinator: named }: { readonly coordinator?: string | undefined },
): Promise<{ coordinator?: string; session: string }> {
  const { coordinator: prefix, session } = splitAddress(address);
  if (prefix === undefined || named === undefined || prefix === named)
    return { session, ...defined({ coordinator: prefix ?? named }) };
  const socketsOf = async (name: string) =>
    (await chosenCoordinators(context, name)).map(({ socket }) => socket).join('\n');
  if ((await socketsOf(prefix)) === (await socketsOf(named)))
    return { coordinator: prefix, session };
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${wordOrQuoted(address)} and --coordinator ${wordOrQuoted(named)} name two coordinators; give one of them`,
  );
}

/** @throws VtrError INVALID_ARGUMENT if what follows the last colon of an address may be a part of that */
function checkNames(address: string, coordinator: string, session: string): void {
  if (address.startsWith('exec:'))
    checkNotAddress(address, 'use --coordinator ADDRESS and the name alone');
  const isPort = /^\d+$/.test(session) && /^ssh:\/\/[^/:]+$/.test(coordinator);
  const isOfHost = coordinator.lastIndexOf('[') > coordinator.lastIndexOf(']');
  if (isAddress(coordinator) && nameOrGlob.test(session) && !isPort && !isOfHost) {
    canonicalAddress(coordinator);
    return;
  }
  checkNotAddress(address, `add the name of a session: ${address}:NAME`);
}

/**
 * Finds the coordinator of a session. If only one is possible, it is not called: the caller's own
 * call will fail if the session does not exist. No coordinator is started, as it would have no
 * sessions.
 *
 * @throws VtrError SESSION_NOT_FOUND, UNAVAILABLE; INVALID_ARGUMENT if several have the session
 */
export async function findSession(
  context: Context,
  address: string,
  flags: { readonly coordinator?: string | undefined },
): Promise<Target> {
  const { coordinator: named, session } = await placeAndName(context, address, flags);
  checkSessionName(session);
  // An address and a name are two words in a command.
  const shown = named === undefined || isAddress(named) ? session : `${named}:${session}`;
  const candidates = await coordinatorsWithSessions(context, named);
  const [only, ...more] = candidates;
  if (only !== undefined && more.length === 0) {
    if (only.failure !== undefined) throw only.failure;
    const isMissing = !isAddress(only.socket) && !existsSync(only.socket);
    if (named === undefined && isMissing) throw notRunning(session, only.socket);
    return { ...targetAt(context, only, session), shown };
  }
  // A name that is not configured is unknown to the next command.
  const areConfigured = named === undefined;
  const coordinator = await owner(context, candidates, session, areConfigured);
  return { ...targetAt(context, coordinator, session), shown };
}

export const targetAt = (
  context: Context,
  coordinator: KnownCoordinator,
  session: string,
): Target => ({
  coordinator: clientOf(context, coordinator),
  coordinatorName: coordinator.name,
  session,
  shown: session,
});

/** Returns the coordinator of a new session: the named one, or the user's own. */
export async function coordinatorForSession(
  context: Context,
  address: string | undefined,
  flags: { readonly coordinator?: string | undefined },
): Promise<{ coordinator: KnownCoordinator; session: string | undefined }> {
  if (address === undefined)
    return { coordinator: await oneCoordinator(context, flags.coordinator), session: undefined };
  const { coordinator: named, session } = await placeAndName(context, address, flags);
  checkSessionName(session);
  const coordinator = await oneCoordinator(context, named);
  return { coordinator, session };
}

/** The sessions of a coordinator. */
export interface Answer {
  readonly coordinator: KnownCoordinator;
  readonly sessions: readonly SessionInfo[];
}

/**
 * Lists the sessions of the named coordinator, of those of a selector, or of all known ones.
 *
 * @throws VtrError UNAVAILABLE if the named one does not answer, or none of a selector
 */
export async function listSessions(
  context: Context,
  named: string | undefined,
  request: ListRequest = {},
): Promise<Answer[]> {
  const chosen = await coordinatorsWithSessions(context, named);
  const [only, ...more] = chosen;
  if (named === undefined || only === undefined || more.length > 0) {
    const answers = await listAll(context, chosen, request);
    if (named !== undefined && answers.length === 0) throw noAnswer(chosen);
    return answers;
  }
  if (only.failure !== undefined) throw only.failure;
  return [{ coordinator: only, sessions: await clientOf(context, only).list(request) }];
}

/**
 * Lists the sessions of the named coordinator, or of the user's own; none if that is not running.
 *
 * @throws VtrError UNAVAILABLE
 */
export async function ownSessions(context: Context, named: string | undefined): Promise<Answer[]> {
  if (named !== undefined) return listSessions(context, named);
  return listAll(context, [await ownWithSessions(context)], {});
}

/**
 * Lists the sessions of several coordinators at the same time. Those that do not answer are skipped
 * with a message. The user's own has no sessions if it is not running.
 *
 * @throws VtrError of the user's own coordinator
 */
async function listAll(
  context: Context,
  coordinators: readonly KnownCoordinator[],
  request: ListRequest,
): Promise<Answer[]> {
  const answers = await Promise.all(coordinators.map((each) => listOrSkip(context, each, request)));
  return answers.filter((answer) => answer !== null);
}

async function listOrSkip(
  context: Context,
  coordinator: KnownCoordinator,
  request: ListRequest,
): Promise<Answer | null> {
  try {
    if (coordinator.failure !== undefined) throw coordinator.failure;
    const isOwn = coordinator.pattern === null;
    const listed = listingOf(context, coordinator).listWithSilentHosts(request);
    const { sessions, silentHosts } = await (isOwn ? listed : inTime(coordinator, listed));
    if (isOwn && silentHosts > 0)
      tellSilent(context, coordinator, silentHosts, sessions.length > 0);
    return { coordinator, sessions };
  } catch (error) {
    if (!isVtrError(error)) throw error;
    const { reason } = error.details;
    const isOwn = coordinator.pattern === null;
    if (isOwn && reason === 'ENOENT') return null;
    // A machine that answers and runs no daemon has no sessions.
    if (!isOwn && isAddress(coordinator.socket) && reason === 'ENOENT')
      return { coordinator, sessions: [] };
    // A list without the sessions of the user's own would be wrong: it may have some.
    if (isOwn && reason !== 'ECONNREFUSED') throw error;
    context.say(`skipped: ${error.message}`);
    return null;
  }
}

/**
 * For one of several coordinators. Over an address, no call is repeated, which would be slow, and ssh asks for no
 * password: the list would be printed before the answer.
 */
const listingOf = (context: Context, coordinator: KnownCoordinator): JsonCoordinator =>
  coordinator.pattern !== null && isAddress(coordinator.socket)
    ? clientOf(context, coordinator, { repeats: 'none', mayPrompt: false })
    : clientOf(context, coordinator);

/**
 * One that does not answer must not hold up the others. A connection that is being made goes on without
 * this process, so that the next command finds it.
 *
 * @throws VtrError UNAVAILABLE
 */
export async function inTime<T>({ socket }: KnownCoordinator, answer: Promise<T>): Promise<T> {
  if (!isAddress(socket)) return answer;
  ignored(answer, 'nobody waits for it after the time limit');
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const limitMs = silenceLimitMs();
    const message = `${socket} has not answered within ${(limitMs / 1_000).toFixed(1)} s`;
    const error = new VtrError('UNAVAILABLE', message, { details: { socket, reason: 'TIMEOUT' } });
    timer = setTimeout(() => reject(error), limitMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws VtrError UNAVAILABLE if no other sessions are listed: they may exist all the same */
function tellSilent(
  context: Context,
  { socket }: KnownCoordinator,
  count: number,
  areOthers: boolean,
): void {
  const text = silentHostsText(count);
  if (areOthers) context.say(text);
  else throw new VtrError('UNAVAILABLE', text, { details: { socket } });
}

/** @throws VtrError SESSION_NOT_FOUND, UNAVAILABLE, INVALID_ARGUMENT */
async function owner(
  context: Context,
  candidates: readonly KnownCoordinator[],
  session: string,
  areConfigured: boolean,
): Promise<KnownCoordinator> {
  const answers = await listAll(context, candidates, {});
  if (answers.length === 0) throw noAnswer(candidates);
  const owners = answers.filter(({ sessions }) => sessions.some(({ name }) => name === session));
  const [only, ...more] = owners.map(({ coordinator }) => coordinator);
  const wayTo = ({ name, socket }: KnownCoordinator, to: string) => {
    const isUnique = candidates.filter((each) => each.name === name).length === 1;
    return areConfigured && isUnique ? `${name}:${to}` : `${to} --coordinator ${socket}`;
  };
  if (only === undefined) throw notFound(session, answers, wayTo);
  if (more.length > 0) throw ambiguous(session, [only, ...more], wayTo);
  return only;
}

function noAnswer(candidates: readonly KnownCoordinator[]): VtrError {
  const sockets = candidates.map(({ socket }) => socket).join(', ');
  return new VtrError(
    'UNAVAILABLE',
    `no coordinator answers (${sockets}); start one with vtr spawn or vtr serve --daemon`,
  );
}

function notRunning(session: string, socket: string): VtrError {
  return new VtrError(
    'SESSION_NOT_FOUND',
    `session ${session} not found: no coordinator is running at ${socket}; start both with vtr spawn ${session}`,
    { details: { name: session } },
  );
}

/** Returns how a session of a coordinator is named in a command. */
type WayTo = (coordinator: KnownCoordinator, session: string) => string;

function notFound(session: string, answers: readonly Answer[], wayTo: WayTo): VtrError {
  const names = answers.flatMap(({ coordinator, sessions }) =>
    sessions.map(({ name }) => ({ name, address: wayTo(coordinator, name) })),
  );
  const near = nearMisses(
    session,
    names.map(({ name }) => name),
  );
  const addresses = names.filter(({ name }) => near.includes(name)).map(({ address }) => address);
  const hint =
    addresses.length > 0 ? `did you mean ${addresses.join(' or ')}?` : 'list sessions with vtr ls';
  return new VtrError(
    'SESSION_NOT_FOUND',
    `session ${session} not found on any coordinator; ${hint}`,
    {
      details: { name: session },
    },
  );
}

function ambiguous(session: string, owners: readonly KnownCoordinator[], wayTo: WayTo): VtrError {
  const ways = owners.map((each) => `\n  ${wayTo(each, session)}`);
  return new VtrError(
    'INVALID_ARGUMENT',
    `${owners.length} coordinators have a session ${session}; choose one:${ways.join('')}`,
  );
}
