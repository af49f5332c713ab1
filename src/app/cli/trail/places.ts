import { type AuditRead, readTrail, verifyTrail } from '#audit';
import { defined } from '#base';
import { auditDirectory } from '#config';
import { asVtrError, isAddress, VtrError } from '#model';
import type { Context } from '../context.ts';
import {
  chosenCoordinators,
  type KnownCoordinator,
  oneCoordinator,
} from '../coordinators/known-coordinators.ts';
import { jsonThere } from '../coordinators/verb-there.ts';
import { type CheckJson, checkJson } from './check-text.ts';

/** What entries are wanted of a trail. */
export interface TrailQuery {
  readonly session?: string;
  /** In ms since 1970. */
  readonly sinceMs?: number;
  readonly last?: number;
}

/** The coordinators whose trails are read. */
export interface TrailPlaces {
  readonly places: readonly KnownCoordinator[];
  /** Whether there may be several: then one that cannot be reached is skipped. */
  readonly areSeveral: boolean;
}

/** @throws VtrError INVALID_ARGUMENT, UNAVAILABLE */
export async function trailPlaces(
  context: Context,
  named: string | undefined,
  everywhere: boolean,
): Promise<TrailPlaces> {
  if (everywhere && named !== undefined) {
    const message = '--everywhere and a coordinator cannot be used together';
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  if (named === undefined && !everywhere) {
    return { places: [await oneCoordinator(context, undefined)], areSeveral: false };
  }
  const places = await chosenCoordinators(context, named);
  return { places, areSeveral: everywhere || places.length > 1 };
}

/** Reads the trail of a coordinator. @throws VtrError IO_ERROR, UNAVAILABLE; SESSION_NOT_FOUND at an address */
export async function readAt(
  context: Context,
  { socket, failure }: KnownCoordinator,
  query: TrailQuery,
  mayPrompt: boolean,
): Promise<AuditRead> {
  if (failure !== undefined) throw failure;
  if (!isAddress(socket)) return readTrail(auditDirectory(context, socket), query);
  const words = ['log', '--json', ...queryWords(query)];
  const answer = (await jsonThere(context, socket, words, mayPrompt)) as Partial<AuditRead>;
  const entries = Array.isArray(answer.entries) ? answer.entries : [];
  return { entries, damaged: Number(answer.damaged ?? 0) };
}

/** The words of `vtr log` that ask for what a query wants. */
export const queryWords = ({ session, sinceMs, last }: TrailQuery): readonly string[] => [
  ...(sinceMs === undefined ? [] : ['--since', new Date(sinceMs).toISOString()]),
  ...(last === undefined ? [] : ['--last', String(last)]),
  ...(session === undefined ? [] : ['--', session]),
];

/** Verifies the trail of a coordinator. @throws VtrError IO_ERROR if there is none, UNAVAILABLE */
export async function checkAt(
  context: Context,
  { socket, failure }: KnownCoordinator,
  hash: string | undefined,
  mayPrompt: boolean,
): Promise<CheckJson> {
  if (failure !== undefined) throw failure;
  if (isAddress(socket)) {
    const words = [
      'log',
      '--verify',
      '--json',
      ...(hash === undefined ? [] : ['--contains', hash]),
    ];
    return (await jsonThere(context, socket, words, mayPrompt)) as CheckJson;
  }
  const directory = auditDirectory(context, socket);
  const check = verifyTrail(directory, hash);
  if (check.entries + check.unchained + check.damaged + check.breaks.length === 0) {
    throw noTrail(directory, 'verify');
  }
  return checkJson(check);
}

export const noTrail = (directory: string, verb: string): VtrError =>
  new VtrError(
    'IO_ERROR',
    `there is no audit trail at ${directory} to ${verb}; a daemon writes it`,
    { details: { path: directory } },
  );

/** What is known of one of several places. */
export interface PlaceAnswer<T> {
  readonly name: string;
  readonly answer: T;
}

/**
 * Asks all places at the same time. One that fails is skipped with a message.
 *
 * @throws VtrError if it is the only place, or all fail
 */
export async function askEach<T>(
  context: Context,
  { places, areSeveral }: TrailPlaces,
  ask: (place: KnownCoordinator, mayPrompt: boolean) => Promise<T>,
): Promise<{
  readonly answers: readonly PlaceAnswer<T>[];
  readonly failures: readonly VtrError[];
}> {
  const answers: PlaceAnswer<T>[] = [];
  const failures: VtrError[] = [];
  const questions = places.map((place) => ask(place, !areSeveral));
  for (const [at, result] of (await Promise.allSettled(questions)).entries()) {
    if (result.status === 'fulfilled') {
      answers.push({ name: places[at]?.name ?? '', answer: result.value });
    } else failures.push(asVtrError(result.reason));
  }
  const [first] = failures;
  if (first !== undefined && answers.length === 0) throw first;
  for (const { message } of failures) context.say(`skipped: ${message}`);
  return { answers, failures };
}

/** The query of a flag or two. */
export const queryOf = (
  session: string | undefined,
  { since, last }: Readonly<Record<'since' | 'last', number | undefined>>,
): TrailQuery => defined({ session, sinceMs: since, last });
