import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tree } from '../../test/support/tree.ts';
import {
  hasSavedSessions,
  newPtyHostSocket,
  ptyHostSockets,
  removeDaemonRecord,
  stateDirectory,
} from './daemon-files.ts';

describe('the files of a daemon', () => {
  it('are the sockets of its PTY hosts, and not those of other daemons', () => {
    const directory = tree();
    const socket = join(directory, 'a.sock');
    const own = [newPtyHostSocket(socket), newPtyHostSocket(socket)];
    const others = [
      'a.sock',
      'a.sock.1-2.claim',
      'a.sock.sock.01234567.ptyd',
      'b.sock.01234567.ptyd',
    ];
    for (const path of [...own, ...others.map((name) => join(directory, name))]) {
      writeFileSync(path, '');
    }
    expect(ptyHostSockets(socket).sort()).toEqual(own.sort());
    expect(ptyHostSockets(join(directory, 'none/a.sock'))).toEqual([]);
  });

  it('are in a state directory of its own', () => {
    const of = (env: Record<string, string>, socket = '/run/a.sock') =>
      stateDirectory({ env: { HOME: '/home/me', ...env } }, socket);
    expect(of({})).toBe('/home/me/.local/state/vtr/!run!a.sock');
    expect(of({ XDG_STATE_HOME: '/state' })).toBe('/state/vtr/!run!a.sock');
    expect(of({ XDG_STATE_HOME: 'relative' })).toBe(of({}));
    expect(of({}, '/run!a.sock')).not.toBe(of({}));
  });

  it('have saved sessions if there is a directory named by an id', () => {
    const user = { env: { XDG_STATE_HOME: tree() } };
    const socket = '/run/a.sock';
    const directory = stateDirectory(user, socket);
    expect(hasSavedSessions(user, socket)).toBe(false);
    mkdirSync(join(directory, 'id.removed'), { recursive: true });
    writeFileSync(join(directory, 'owner'), '');
    expect(hasSavedSessions(user, socket)).toBe(false);
    mkdirSync(join(directory, 'id'));
    expect(hasSavedSessions(user, socket)).toBe(true);
  });

  it('that cannot be removed are reported with their path', () => {
    const socket = join(tree(), 'a.sock');
    mkdirSync(`${socket}.daemon`);
    const details = { path: `${socket}.daemon` };
    expect(() => removeDaemonRecord(socket)).toThrow(
      expect.objectContaining({ code: 'IO_ERROR', details: expect.objectContaining(details) }),
    );
  });
});
