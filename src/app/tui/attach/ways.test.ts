import { describe, expect, it, vi } from 'vitest';
import type { Coordinator, SessionInfo } from '#model';
import { sessionInfo } from '../../../../test/support/tui/overview-model.ts';
import type { CoordinatorLink } from '../coordinator-link.ts';
import type { Done, Scene, SessionGroup } from './scene.ts';
import { lastSession, nameFor, neighbour, newSession, numbered, removedAndGone } from './ways.ts';

const link = (socket: string, info?: () => Promise<SessionInfo>): CoordinatorLink => ({
  name: socket,
  socket,
  responds: async () => true,
  connect: async () => ({ info, close: async () => {} }) as unknown as Coordinator,
});

/** Sessions that were made in this order, of which `b` is in view. */
const infos = ['a', 'b', 'c', 'd'].map((name, at) =>
  sessionInfo(name, { id: name, createdAtMs: 1000 + at }),
);
const labelled = (name: string): SessionInfo => ({
  ...sessionInfo(name, { id: name, createdAtMs: 1000 }),
  labels: { project: 'web' },
});

function scene(more: Partial<Scene> = {}): Scene & { remove: ReturnType<typeof vi.fn> } {
  const remove = vi.fn(async () => {});
  const spawn = async ({ name }: { name?: string }) => sessionInfo(name ?? '', { id: 'new' });
  // The list of a coordinator has another order.
  const sessions = new Map([...infos].reverse().map((info) => [info.id, info]));
  const coordinator = { remove, spawn } as unknown as Coordinator;
  const session = { name: 'b', id: 'b' };
  const here = { coordinator, session, sessions, link: link('/own'), last: null, group: null };
  return { ...here, remove, ...more } as unknown as Scene & { remove: typeof remove };
}

const target = ({ way, said }: Done) =>
  way === undefined ? said : way.type === 'other' ? way.session.name : way.type;

describe('the sessions in their order', () => {
  it.each([
    ['b', 1, 'c'],
    ['b', -1, 'a'],
    ['a', -1, 'd'],
    ['d', 1, 'a'],
  ] as const)('from %s by %i is %s', (from, step, to) => {
    expect(target(neighbour(scene({ session: { name: from, id: from } }), step))).toBe(to);
  });

  it.each([
    [0, 'a'],
    [3, 'd'],
    [1, 'b is session 1, the one you are in'],
    [4, 'there is no session 4; the last one is 3'],
  ])('number %i: %s', (number, name) => {
    expect(target(numbered(scene(), number))).toBe(name);
  });

  it('are those of the group only', () => {
    const group: SessionGroup = {
      name: 'project=web',
      has: ({ labels }) => labels?.['project'] === 'web',
    };
    const sessions = new Map([...infos, labelled('x')].map((info) => [info.id, info]));
    const inView = { name: 'x', id: 'x' };
    expect(target(neighbour(scene({ group, sessions, session: inView }), 1))).toBe(
      'there is no other session of project=web',
    );
    expect(target(numbered(scene({ group, sessions }), 0))).toBe('x');
    // From outside of the group, the way leads into it.
    expect(target(neighbour(scene({ group, sessions }), 1))).toBe('x');
  });
});

describe('the session before', () => {
  const here = link('/own');

  it('is none at first, and may have been removed', async () => {
    expect(target(await lastSession(scene()))).toBe('you were in no other session before');
    const gone = scene({ last: { link: here, session: { name: 'z', id: 'z' } } });
    expect(target(await lastSession(gone))).toBe('z was removed');
  });

  it('is found by its id, under its name of today', async () => {
    const last = { link: here, session: { name: 'old', id: 'c' } };
    expect(await lastSession(scene({ last }))).toEqual({
      way: { type: 'other', session: { name: 'c', id: 'c' } },
    });
  });

  it('may be one of another coordinator', async () => {
    const far = link('/far', async () => sessionInfo('train', { id: 't' }));
    const last = { link: far, session: { name: 'train', id: 't' } };
    expect(await lastSession(scene({ last }))).toEqual({
      way: { type: 'other', session: { name: 'train', id: 't' }, link: far },
    });
  });

  it('is shown when the one in view is removed; else the next one, if there is one', async () => {
    const last = { link: here, session: { name: 'd', id: 'd' } };
    expect(target(await removedAndGone(scene({ last })))).toBe('d');
    expect(target(await removedAndGone(scene()))).toBe('c');
    const alone = scene({ sessions: new Map([['b', infos[1] as SessionInfo]]) });
    expect(target(await removedAndGone(alone))).toBe('removed');
    expect(alone.remove).toHaveBeenCalledWith({ name: 'b', id: 'b' }, { keepsWork: true });
  });
});

it('a new session has the name of its directory', async () => {
  expect(target(await newSession(scene()))).toBe('me');
});

it.each([
  ['/home/me/src', [], 'src'],
  ['/home/me/src/', ['src', 'src-2'], 'src-3'],
  ['/home/me/My Project (2)', [], 'My-Project-2-'],
  ['/home/me/.config', [], 'config'],
  ['/', [], 'shell'],
  ['/漢字', ['shell'], 'shell-2'],
  [`/${'x'.repeat(200)}`, [], 'x'.repeat(60)],
])('the name for %s beside %j is %s', (directory, taken, name) => {
  expect(nameFor(directory, new Set(taken))).toBe(name);
});
