import { ignored, quoted } from '#base';
import {
  asVtrError,
  type Coordinator,
  firstWait,
  VtrError,
  type WaitRequest,
  type WaitResult,
} from '#model';
import type { Context } from '../context.ts';
import type { Answer } from '../coordinators/addressing.ts';
import { clientOf, connectionTo } from '../coordinators/known-coordinators.ts';

/** The end of a wait in one of several sessions. */
interface EndedWait {
  readonly coordinator: string;
  readonly session: string;
  readonly id: string;
  readonly result: WaitResult;
}

/** The end of a wait for agents. */
interface EndedAgentWait extends EndedWait {
  /** What the next wait gets, so that it does not end with the same state; null if none was met. */
  readonly agentMark: string | null;
}

type RequestFor = (coordinator: string, id: string) => WaitRequest;

/**
 * Waits in several sessions at once, on one connection for each coordinator, until a condition is met in one of
 * them. A session in which none can be met any more is left out, and so is a coordinator that is lost, with a
 * message.
 *
 * @param isMet whether a wait that ended has met a condition
 * @returns the first wait that met a condition; if none did, one that timed out, with the lost output of all; if none
 * timed out, one whose program exited
 * @throws VtrError if no wait ended
 */
export async function waitForAny(
  context: Context,
  answers: readonly Answer[],
  request: WaitRequest | RequestFor,
  isMet: (result: WaitResult) => boolean,
): Promise<EndedWait> {
  const connections: Promise<Coordinator>[] = [];
  const messages = new Set<string>();
  let isOver = false;
  const ended: EndedWait[] = [];
  const requestFor: RequestFor = typeof request === 'function' ? request : () => request;
  const tell = (thrown: unknown) => {
    const { message } = asVtrError(thrown);
    if (!isOver && !messages.has(message)) context.say(`skipped: ${message}`);
    messages.add(message);
  };
  const waits = answers.flatMap(({ coordinator, sessions }) => {
    if (sessions.length === 0) return [];
    const connection = connectionTo(context, coordinator, { mayPrompt: answers.length === 1 });
    connections.push(connection);
    return sessions.map(async ({ name, id }): Promise<EndedWait> => {
      const client = await connection;
      const result = await client.wait({ name, id }, requestFor(coordinator.name, id));
      const end = { coordinator: coordinator.name, session: name, id, result };
      ended.push(end);
      return end;
    });
  });
  try {
    const first = await firstWait(waits, ({ result }) => isMet(result), tell);
    const isTimeout = first.result.outcome === 'timed_out';
    if (!isTimeout) return first;
    const results = ended.map(({ result }) => result);
    const { noAgent: _, ...result } = first.result;
    const noAgent = results.every((each) => each.noAgent) && { noAgent: true as const };
    return { ...first, result: { ...result, ...noAgent, ...lostIn(results) } };
  } finally {
    isOver = true;
    // One that is still being made must not hold up the answer.
    for (const each of connections)
      ignored(
        each.then((client) => client.close()),
        'a connection that could not be made need not be closed',
      );
  }
}

/** Returns how much output could not be searched in all sessions. */
function lostIn(results: readonly WaitResult[]): Pick<WaitResult, 'lostLines' | 'lostBytes'> {
  const lostLines = results.reduce((sum, each) => sum + (each.lostLines ?? 0), 0);
  const lostBytes = results.reduce((sum, each) => sum + (each.lostBytes ?? 0), 0);
  return { ...(lostLines > 0 && { lostLines }), ...(lostBytes > 0 && { lostBytes }) };
}

/** What a caller knows of the agents of a coordinator: states that began before a time, and some that began then. */
interface Known {
  /** In ms since 1970. */
  readonly ms: number;
  /** The sessions whose state of that ms is known. */
  readonly ids: readonly string[];
}

/** Reads a mark such as `own:m8k2p1x0+ID,gpu:m8k2p2a7+ID`. @throws VtrError INVALID_ARGUMENT */
function parseAgentMark(mark: string): Map<string, Known> {
  return new Map(
    mark.split(',').map((part) => {
      const [, coordinator = '', time = '', rest = ''] =
        /^(.*):([\da-z]{1,11})((?:\+[^+]+)*)$/.exec(part) ?? [];
      if (time === '')
        throw new VtrError('INVALID_ARGUMENT', `${quoted(mark)} is not a mark of --agent`);
      return [
        coordinator,
        { ms: Number.parseInt(time, 36), ids: rest.split('+').slice(1) },
      ] as const;
    }),
  );
}

const agentMarkText = (marks: ReadonlyMap<string, Known>): string =>
  [...marks]
    .map(([name, { ms, ids }]) => `${name}:${ms.toString(36)}${ids.map((id) => `+${id}`).join('')}`)
    .join(',');

/**
 * As {@link waitForAny}, for states of agents: of those that are met, the one that began first, and none that the caller
 * knows by a mark.
 *
 * @throws VtrError INVALID_ARGUMENT, as {@link waitForAny}
 */
export async function waitForAgents(
  context: Context,
  answers: readonly Answer[],
  request: WaitRequest,
  after: string | undefined,
  isMet: (result: WaitResult) => boolean,
): Promise<EndedAgentWait> {
  const marks = after === undefined ? new Map<string, Known>() : parseAgentMark(after);
  const requestFor: RequestFor = (coordinator, id) => {
    const { ms, ids } = marks.get(coordinator) ?? { ms: 0, ids: [] };
    return { ...request, agentAfterMs: ids.includes(id) ? ms : Math.max(0, ms - 1) };
  };
  const first = await waitForAny(context, answers, requestFor, isMet);
  if (first.result.agent === undefined) return { ...first, agentMark: null };
  const earliest = (await earlierThan(context, answers, first, requestFor, isMet)) ?? first;
  const { coordinator, id, result } = earliest;
  const ms = result.agent?.sinceMs ?? 0;
  const before = marks.get(coordinator);
  marks.set(coordinator, { ms, ids: [...(before?.ms === ms ? before.ids : []), id] });
  return { ...earliest, agentMark: agentMarkText(marks) };
}

/** Returns the wait in a session of the same coordinator whose state began before the one that ended first. */
async function earlierThan(
  context: Context,
  answers: readonly Answer[],
  first: EndedWait,
  requestFor: RequestFor,
  isMet: (result: WaitResult) => boolean,
): Promise<EndedWait | null> {
  const answer = answers.find(({ coordinator }) => coordinator.name === first.coordinator);
  const firstMs = first.result.agent?.sinceMs ?? 0;
  if (answer === undefined) return null;
  const client = clientOf(context, answer.coordinator);
  const ids = new Set(answer.sessions.map(({ id }) => id));
  const infos = (await client.list()).filter(({ id, agent }) => {
    const { agent: states = [], agentAfterMs = 0 } = requestFor(first.coordinator, id);
    const isNew = agent !== undefined && agent.sinceMs > agentAfterMs && agent.sinceMs < firstMs;
    return ids.has(id) && id !== first.id && isNew && states.includes(agent.state);
  });
  infos.sort((a, b) => (a.agent?.sinceMs ?? 0) - (b.agent?.sinceMs ?? 0));
  for (const { name, id } of infos) {
    const request = { ...requestFor(first.coordinator, id), timeoutMs: 0 };
    const result = await client.wait({ name, id }, request);
    if (isMet(result)) return { coordinator: first.coordinator, session: name, id, result };
  }
  return null;
}
