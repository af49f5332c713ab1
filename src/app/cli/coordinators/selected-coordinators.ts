import { asVtrError, isSelector, nameOfAddress, parseAddress, VtrError } from '#model';
import { silenceLimitMs } from '#wire/service/short';
import type { Context } from '../context.ts';
import type { KnownCoordinator } from './known-coordinator.ts';

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
  const found = await coordinatorsOf(context, selector);
  const [only, ...more] = found;
  if (only === undefined) {
    const { noneSelected } = await loadTransport();
    return [failed(selector, noneSelected(selector))];
  }
  // It was meant as if by its own address.
  return more.length === 0 && only.failure === undefined ? [{ ...only, pattern: null }] : found;
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
  const found = await coordinatorsOf(context, pattern);
  const now = found.find((each) => each.socket === socket);
  if (now !== undefined) return now.failure ?? null;
  if (failure !== undefined && found.length === 0) return failure;
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
