import { defined } from '#base';
import {
  asVtrError,
  type Coordinator,
  directoryOf,
  isSessionName,
  type SessionInfo,
  type SessionRef,
} from '#model';
import { removed } from './removing.ts';
import type { Done, Scene, Visited } from './scene.ts';

/** Returns the sessions among which a person moves, the oldest first: of one group, if the person chose one. */
export function ordered({ sessions, group }: Pick<Scene, 'sessions' | 'group'>): SessionInfo[] {
  return [...sessions.values()]
    .filter((info) => group?.has(info) ?? true)
    .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
}

const wayTo = ({ name, id }: SessionInfo): Done => ({
  way: { type: 'other', session: { name, id } },
});

/**
 * The next or previous session that wants somebody, around the list: of those that the status line counts, else of
 * those with any reason.
 */
export function wantingNeighbour({ sessions, session, wants }: Scene, step: 1 | -1): Done {
  const all = [...sessions.values()];
  const others = all.filter(({ id }) => id !== session.id);
  const isCounted = others.some(wants)
    ? wants
    : ({ attention }: SessionInfo) => attention !== undefined;
  const wanting = all.filter((info) => info.id === session.id || isCounted(info));
  const at = wanting.findIndex(({ id }) => id === session.id);
  const next = wanting.at((at + step) % wanting.length);
  if (next === undefined || next.id === session.id) {
    return { said: 'no other session wants anybody' };
  }
  return wayTo(next);
}

/** The next or previous session, around the list. */
export function neighbour(scene: Scene, step: 1 | -1): Done {
  const all = ordered(scene);
  const at = all.findIndex(({ id }) => id === scene.session.id);
  const next = at < 0 ? all[0] : all.at((at + step) % all.length);
  if (next === undefined || next.id === scene.session.id) return { said: noOther(scene) };
  return wayTo(next);
}

const noOther = ({ group }: Scene): string =>
  group === null ? 'there is no other session' : `there is no other session of ${group.name}`;

/** The session of a number, counted from 0 on. */
export function numbered(scene: Scene, number: number): Done {
  const all = ordered(scene);
  const info = all[number];
  if (info === undefined) {
    const last = all.length - 1;
    return { said: `there is no session ${number}; the last one is ${last}` };
  }
  return info.id === scene.session.id
    ? { said: `${info.name} is session ${number}, the one you are in` }
    : wayTo(info);
}

/** The session that was in view before, if it still exists. */
export async function lastSession(scene: Scene): Promise<Done> {
  const { last, link } = scene;
  if (last === null) return { said: 'you were in no other session before' };
  const info = await foundAgain(scene, last);
  if (info === null) return { said: `${last.session.name} was removed` };
  const { name, id } = info;
  const where = last.link.socket === link.socket ? {} : { link: last.link };
  return { way: { type: 'other', session: { name, id }, ...where } };
}

/** Returns a session that was in view before; null if it was removed. @throws VtrError UNAVAILABLE */
async function foundAgain(scene: Scene, { link, session }: Visited): Promise<SessionInfo | null> {
  if (link.socket === scene.link.socket) return scene.sessions.get(session.id) ?? null;
  const coordinator = await link.connect();
  try {
    return await infoOf(coordinator, session);
  } finally {
    await coordinator.close();
  }
}

async function infoOf(coordinator: Coordinator, session: SessionRef): Promise<SessionInfo | null> {
  try {
    return await coordinator.info(session);
  } catch (error) {
    if (asVtrError(error).code === 'SESSION_NOT_FOUND') return null;
    throw error;
  }
}

/** Removes the session, and shows the one before it, or the next one. @param anyway see {@link Removal} */
export async function removedAndGone(scene: Scene, anyway?: boolean): Promise<Done> {
  const before = await lastSession(scene).catch((): Done => ({}));
  const next = before.way === undefined ? neighbour(scene, 1) : before;
  const removal = { effect: 'removeAndGo', ...defined({ anyway }) } as const;
  return next.way === undefined ? removed(scene, removal) : removed(scene, removal, next);
}

/** Starts a shell in the directory of the session, and shows it. */
export async function newSession({ coordinator, session, sessions }: Scene): Promise<Done> {
  const info = sessions.get(session.id) ?? (await coordinator.info(session));
  const cwd = directoryOf(info);
  const names = new Set([...sessions.values()].map(({ name }) => name));
  return wayTo(await coordinator.spawn({ cwd, name: nameFor(cwd, names) }));
}

/** Returns a name that is free, after the last part of a directory: `src`, `src-2`. */
export function nameFor(directory: string, taken: ReadonlySet<string>): string {
  const last = directory.split('/').findLast((part) => part !== '') ?? '';
  const clean = last
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 60);
  const base = isSessionName(clean) ? clean : 'shell';
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(name)) return name;
  }
}
