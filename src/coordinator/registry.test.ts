import { describe, expect, it } from 'vitest';
import { fakeSession } from '../../test/support/session/fake-session.ts';
import { Registry } from './registry.ts';

function enter(registry: Registry, name: string, id = `id of ${name}`) {
  const { session } = fakeSession({ name, id });
  registry.reserve(name);
  registry.add(session);
  return session;
}

const notFound = (message: RegExp) =>
  expect.objectContaining({
    code: 'SESSION_NOT_FOUND',
    message: expect.stringMatching(message),
  });

describe('Registry', () => {
  it('finds a session by its name, and by name and id', () => {
    const registry = new Registry();
    const build = enter(registry, 'build', 'id-1');
    expect(registry.find('build')).toBe(build);
    expect(registry.find({ name: 'build', id: 'id-1' })).toBe(build);
  });

  it('does not return a session that reused the name', () => {
    const registry = new Registry();
    const first = enter(registry, 'build', 'id-1');
    registry.remove(first);
    const second = enter(registry, 'build', 'id-2');
    expect(() => registry.find({ name: 'build', id: 'id-1' })).toThrow(
      notFound(/^session "build" not found: that session was removed and its name reused/),
    );
    // A second removal does not remove the later session.
    registry.remove(first);
    expect(registry.find('build')).toBe(second);
  });

  it('lists at most ten existing sessions in the error', () => {
    const registry = new Registry();
    expect(() => registry.find('x')).toThrow(notFound(/"x" not found: there are no sessions/));
    for (let count = 1; count <= 12; count++) enter(registry, `s${count}`);
    expect(() => registry.find('x')).toThrow(
      notFound(/existing sessions are s1, s2, .*, s10 and 2 more$/),
    );
  });

  it('quotes an invalid name in the error', () => {
    expect(() => new Registry().find('a\x1b[31m\nb')).toThrow(
      notFound(/^session "a\\u001b\[31m\\nb" not found/),
    );
  });

  it('reserves a name before the session is added', () => {
    const registry = new Registry();
    registry.reserve('build');
    const taken = expect.objectContaining({ code: 'SESSION_ALREADY_EXISTS' });
    expect(() => registry.reserve('build')).toThrow(taken);
    expect(() => registry.find('build')).toThrow(notFound(/"build"/));
    expect([registry.list(), registry.reserved]).toEqual([[], 1]);
    registry.release('build');
    const session = enter(registry, 'build');
    expect([registry.list(), registry.reserved]).toEqual([[session], 0]);
    expect(() => registry.reserve('build')).toThrow(taken);
  });

  it('lists the oldest first', () => {
    const registry = new Registry();
    const sessions = ['b', 'a', 'c'].map((name) => enter(registry, name));
    expect(registry.list()).toEqual(sessions);
  });

  it('generates unused, valid names', () => {
    const registry = new Registry();
    const names = Array.from({ length: 100 }, () => {
      const name = registry.generateName();
      registry.reserve(name);
      return name;
    });
    for (const name of names) expect(name).toMatch(/^sess_[a-z0-9]{8}$/);
  });
});
