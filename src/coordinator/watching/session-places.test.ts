import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { completeFacts, type KnownSecrets, type Session } from '#session';
import { Fixture } from '../../../test/support/session/watched-fixture.ts';

import type { UnrestoredSession } from '../registry.ts';

/** Repositories, by directory. */
function withBranches(branches: Record<string, string | null>) {
  const fixture = new Fixture();
  fixture.branchOf = async (directory) => branches[directory] ?? null;
  const listed = async () => {
    const [info] = await fixture.watched.infos(fixture.registry.list());
    return info?.activity;
  };
  return { fixture, branches, listed };
}

const ended = { code: 0, signal: null };

describe('the place of a session that has ended', () => {
  it('is the directory in which it was last seen, with the branch that was there at the end', async () => {
    const { fixture, branches, listed } = withBranches({ '/src/api': 'main' });
    const pty = fixture.add(1, false, { cwd: '/src' });
    pty.facts = { ...pty.facts, directory: '/src/api' };
    expect(await listed()).toMatchObject({ directory: '/src/api', branch: 'main' });
    branches['/src/api'] = 'fix';
    pty.announceExit(ended);
    const place = { state: 'exited', directory: '/src/api', branch: 'fix' };
    expect(await listed()).toMatchObject(place);
    branches['/src/api'] = 'later';
    expect(await listed()).toMatchObject(place);
  });

  it('is the directory in which it was started, if nobody has looked', async () => {
    const { fixture, branches, listed } = withBranches({ '/src': 'main' });
    const pty = fixture.add(1, false, { cwd: '/src' });
    await fixture.pass(100);
    branches['/src'] = 'fix';
    pty.announceExit(ended);
    await fixture.pass(100);
    branches['/src'] = 'later';
    expect(await listed()).toMatchObject({ directory: '/src', branch: 'fix' });
  });

  it('has the branch from before if the file system does not answer at the end', async () => {
    const { fixture, listed } = withBranches({ '/src': 'main' });
    const pty = fixture.add(1, false, { cwd: '/src' });
    await fixture.pass(100);
    fixture.branchOf = () => new Promise(() => {});
    pty.announceExit(ended);
    const listing = listed();
    await fixture.pass(400);
    expect(await listing).toMatchObject({ directory: '/src', branch: 'main' });
  });

  it('is looked for where the program was last, and where it is now if that differs', async () => {
    const { fixture, branches, listed } = withBranches({ '/src': 'main', '/other': 'fix' });
    const pty = fixture.add(1, false, { cwd: '/src' });
    await fixture.pass(100);
    const directories: string[] = [];
    fixture.branchOf = async (directory) => {
      directories.push(directory);
      return branches[directory] ?? null;
    };
    pty.facts = { ...pty.facts, directory: '/src' };
    const foreground = pty.foreground.bind(pty);
    // A PTY host answers in a later turn.
    pty.foreground = () => {
      directories.push('asked');
      return nextTurn().then(foreground);
    };
    expect(await listed()).toMatchObject({ directory: '/src', branch: 'main' });
    expect(directories).toEqual(['asked', '/src']);
    pty.facts = { ...pty.facts, directory: '/other' };
    expect(await listed()).toMatchObject({ directory: '/other', branch: 'fix' });
    expect(directories).toEqual(['asked', '/src', 'asked', '/src', '/other']);
  });

  it('has no branch that another directory had', async () => {
    const { fixture, listed } = withBranches({ '/src': 'main' });
    const pty = fixture.add(1, false, { cwd: '/src' });
    await fixture.pass(100);
    pty.facts = { ...pty.facts, directory: '/tmp' };
    expect(await listed()).not.toHaveProperty('branch');
    pty.announceExit(ended);
    const activity = await listed();
    expect(activity).toMatchObject({ directory: '/tmp' });
    expect(activity).not.toHaveProperty('branch');
  });

  it('is saved when it changes, and continues in another coordinator', async () => {
    const { fixture, branches, listed } = withBranches({ '/src': 'main' });
    const pty = fixture.add(1, false, { cwd: '/src' });
    await fixture.pass(100);
    const place = { directory: '/src', branch: 'main' };
    const [session] = fixture.sessions;
    expect(session && fixture.places.saved(session)).toEqual(place);
    expect(fixture.placesSaved).toHaveLength(1);
    pty.facts = { ...pty.facts, directory: '/src' };
    await listed();
    await listed();
    expect(fixture.placesSaved).toHaveLength(1);
    const next = withBranches(branches);
    const exit = { exitStatus: ended, exitedAtMs: 1 };
    const coordinator = { order: 1, formerNames: [], usedAtMs: null, place };
    next.fixture.add(1, true, { cwd: '/elsewhere', ...exit, coordinator });
    branches['/src'] = 'later';
    expect(await next.listed()).toMatchObject(place);
  });

  it('is known before the session is restored', async () => {
    const fixture = new Fixture();
    fixture.add(1, true);
    const info = () => (fixture.sessions[0] as Session).info();
    const place = { directory: '/src', branch: 'main' };
    const facts = completeFacts({
      name: 'old',
      id: 'old',
      exitStatus: ended,
      exitedAtMs: 7,
      coordinator: { order: 1, formerNames: [], usedAtMs: null, place },
    });
    const session: UnrestoredSession = {
      name: 'old',
      id: 'old',
      facts,
      exitStatus: ended,
      secrets: {} as KnownSecrets,
      info,
      live: () => new Promise(() => {}),
    };
    const [listed] = await fixture.watched.infos([session]);
    expect(listed?.activity).toMatchObject({ state: 'exited', sinceMs: 7, ...place });
  });

  it('is not looked for on this machine if the session is published', async () => {
    const { fixture, listed } = withBranches({ '/src': 'main' });
    const pty = fixture.add(1, false, { cwd: '/src', fedBy: 'ann@far' });
    pty.announceExit(ended);
    const activity = await listed();
    expect(activity).toMatchObject({ state: 'exited', directory: null });
    expect(activity).not.toHaveProperty('branch');
  });
});
