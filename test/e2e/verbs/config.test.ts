import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';

const fileOf = (place: Place): string =>
  readFileSync(join(place.directory, 'config/vtr/config.toml'), 'utf8');

describe('vtr config add', () => {
  it('adds a socket or a glob once', async () => {
    const place = new Place();
    await place.ok('config', 'add', '/run/vtr/*.sock');
    await place.ok('config', 'add', 'here.sock');
    expect(fileOf(place)).toBe(
      `[[coordinators]]\npath = "/run/vtr/*.sock"\n\n[[coordinators]]\npath = "${place.directory}/here.sock"\n`,
    );
    const again = await place.vtr(['config', 'add', '/run/vtr/*.sock']);
    expect(again).toMatchObject({ status: 0 });
    expect(again.stderr).toContain('already');
  });
});

describe('vtr config ls', () => {
  it('[S3.19] lists coordinators as written', async () => {
    const place = new Place();
    await place.ok('config', 'add', '~/x/*.sock');
    expect(await place.ok('config', 'ls')).toBe('~/x/*.sock\n');
    expect(await place.json('config', 'ls')).toMatchObject({
      coordinators: [{ path: '~/x/*.sock' }],
    });
  });
});

describe('vtr config rm', () => {
  it('removes a coordinator, and suggests a similar one if it is not configured', async () => {
    const place = new Place();
    await place.ok('config', 'add', '/run/a.sock');
    await place.ok('config', 'add', '/run/b.sock');
    expect((await place.vtr(['config', 'rm', '/run/c.sock'])).stderr).toContain('did you mean');
    await place.ok('config', 'rm', '/run/a.sock');
    expect(await place.ok('config', 'ls')).toBe('/run/b.sock\n');
  });
});

describe('vtr config resolve', () => {
  it('lists the sockets that globs match, the user’s own first', async () => {
    const place = new Place();
    await place.shell('one');
    await place.ok('config', 'add', `${place.directory}/*.sock`);
    await place.ok('config', 'add', '/elsewhere/b.sock');
    const { coordinators } = await place.json('config', 'resolve');
    expect(coordinators).toEqual([
      { name: 'default', socket: place.socket, pattern: null },
      { name: 'b', socket: '/elsewhere/b.sock', pattern: '/elsewhere/b.sock' },
    ]);
    expect(await place.ok('config', 'resolve')).toMatch(/^default +\S+ +your own$/m);
  });
});
