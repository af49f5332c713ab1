import { existsSync } from 'node:fs';
import { nearMisses } from '#base';
import { checkNotAddress } from '#config';
import { checkSessionName, type SessionInfo, VtrError } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import type { Context } from '../context.ts';
import { chosenCoordinators, type KnownCoordinator } from './known-coordinators.ts';

/** A session, and who to ask about it. */
export interface Target {
  readonly coordinator: JsonCoordinator;
  readonly coordinatorName: string;
  readonly session: string;
}

/** `coordinator:session`, or a session's name alone; no name holds a colon. */
function splitAddress(address: string): { coordinator?: string; session: string } {
  checkNotAddress(address);
  const colon = address.lastIndexOf(':');
  if (colon === -1) return { session: address };
  return { coordinator: address.slice(0, colon), session: address.slice(colon + 1) };
}

/**
 * Finds a session. Where only one coordinator can have it, nobody is asked: the call itself will
 * tell. None is started for it: one that is started now has no sessions, so that its answer is known.
 *
 * @throws VtrError SESSION_NOT_FOUND, UNAVAILABLE; INVALID_ARGUMENT for a name that several have
 */
export async function findSession(
  context: Context,
  address: string,
  flags: { readonly coordinator?: string | undefined },
): Promise<Target> {
  const { coordinator: prefix, session } = splitAddress(address);
  checkSessionName(session);
  const named = prefix ?? flags.coordinator;
  const candidates = await chosenCoordinators(context, named);
  const [only, ...more] = candidates;
  if (only !== undefined && more.length === 0) {
    if (named === undefined && !existsSync(only.socket)) throw nothingRuns(session, only.socket);
    return targetAt(only, session);
  }
  return targetAt(await owner(context, candidates, session), session);
}

const targetAt = ({ socket, name }: KnownCoordinator, session: string): Target => ({
  coordinator: new JsonCoordinator(socket),
  coordinatorName: name,
  session,
});

/** Every session of the coordinator that is named, or of all that are known. */
export async function everySession(
  context: Context,
  { coordinator: named }: { readonly coordinator?: string | undefined },
): Promise<Target[]> {
  const answers = await listSessions(context, named);
  return answers.flatMap(({ coordinator, sessions }) =>
    sessions.map(({ name }) => targetAt(coordinator, name)),
  );
}

/** Where a new session goes: the coordinator that is named, or the user's own. */
export async function placeForSession(
  context: Context,
  address: string | undefined,
  flags: { readonly coordinator?: string | undefined },
): Promise<{ coordinator: KnownCoordinator; session: string | undefined }> {
  const { coordinator: prefix, session } = address === undefined ? {} : splitAddress(address);
  if (session !== undefined) checkSessionName(session);
  const [coordinator] = await chosenCoordinators(context, prefix ?? flags.coordinator);
  // The user's own is always known, and the first.
  return { coordinator: coordinator as KnownCoordinator, session };
}

interface Answer {
  readonly coordinator: KnownCoordinator;
  readonly sessions: readonly SessionInfo[];
}

/**
 * The sessions of the coordinator that is named, or of all that are known.
 *
 * @throws VtrError UNAVAILABLE where the one that is named does not answer
 */
export async function listSessions(context: Context, named: string | undefined): Promise<Answer[]> {
  const chosen = await chosenCoordinators(context, named);
  if (named === undefined) return askAll(context, chosen);
  return Promise.all(
    chosen.map(async (coordinator) => {
      const sessions = await new JsonCoordinator(coordinator.socket).list();
      return { coordinator, sessions };
    }),
  );
}

/**
 * The sessions of several coordinators, all asked at once. Those that do not answer are left out
 * and told; the user's own is not missed while it was never started.
 */
async function askAll(
  context: Context,
  coordinators: readonly KnownCoordinator[],
): Promise<Answer[]> {
  const answers = await Promise.all(coordinators.map((each) => ask(context, each)));
  return answers.filter((answer) => answer !== null);
}

async function ask(context: Context, coordinator: KnownCoordinator): Promise<Answer | null> {
  try {
    return { coordinator, sessions: await new JsonCoordinator(coordinator.socket).list() };
  } catch (error) {
    if (!(error instanceof VtrError)) throw error;
    const isOwn = coordinator.pattern === null;
    if (!(isOwn && error.details['reason'] === 'ENOENT')) {
      context.say(`skipped: ${error.message}`);
    }
    return null;
  }
}

/** @throws VtrError SESSION_NOT_FOUND, UNAVAILABLE, INVALID_ARGUMENT */
async function owner(
  context: Context,
  candidates: readonly KnownCoordinator[],
  session: string,
): Promise<KnownCoordinator> {
  const answers = await askAll(context, candidates);
  if (answers.length === 0) throw nobodyAnswers(candidates);
  const owners = answers.filter(({ sessions }) => sessions.some(({ name }) => name === session));
  const [only, ...more] = owners.map(({ coordinator }) => coordinator);
  if (only === undefined) throw notFound(session, answers);
  if (more.length > 0) throw ambiguous(session, [only, ...more], candidates);
  return only;
}

function nobodyAnswers(asked: readonly KnownCoordinator[]): VtrError {
  const sockets = asked.map(({ socket }) => socket).join(', ');
  return new VtrError(
    'UNAVAILABLE',
    `no coordinator answers (${sockets}); vtr spawn starts one, and vtr serve --daemon`,
  );
}

function nothingRuns(session: string, socket: string): VtrError {
  return new VtrError(
    'SESSION_NOT_FOUND',
    `there is no session ${session}, and no coordinator at ${socket}; vtr spawn ${session} starts both`,
    { details: { name: session } },
  );
}

function notFound(session: string, answers: readonly Answer[]): VtrError {
  const names = answers.flatMap(({ coordinator, sessions }) =>
    sessions.map(({ name }) => ({ name, address: `${coordinator.name}:${name}` })),
  );
  const near = nearMisses(
    session,
    names.map(({ name }) => name),
  );
  const addresses = names.filter(({ name }) => near.includes(name)).map(({ address }) => address);
  const hint =
    addresses.length > 0 ? `did you mean ${addresses.join(' or ')}?` : 'vtr ls shows what there is';
  return new VtrError('SESSION_NOT_FOUND', `no coordinator has a session ${session}; ${hint}`, {
    details: { name: session },
  });
}

function ambiguous(
  session: string,
  owners: readonly KnownCoordinator[],
  candidates: readonly KnownCoordinator[],
): VtrError {
  const ways = owners.map(({ name, socket }) => {
    const isUnique = candidates.filter((each) => each.name === name).length === 1;
    return isUnique ? `\n  ${name}:${session}` : `\n  ${session} --coordinator ${socket}`;
  });
  return new VtrError(
    'INVALID_ARGUMENT',
    `session ${session} is on ${owners.length} coordinators; say which:${ways.join('')}`,
  );
}
