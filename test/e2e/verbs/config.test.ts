import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';

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

  it('refuses a directory and a file, and names the glob of the sockets in a directory', async () => {
    const place = new Place();
    mkdirSync(join(place.directory, 'run it'));
    for (const path of ['run it', '~/run it/']) {
      const { status, stderr } = await place.vtr(['config', 'add', path]);
      expect([status, stderr]).toEqual([
        2,
        `vtr: ${place.directory}/run it is a directory; add the sockets in it with vtr config add '${place.directory}/run it/*.sock'\n`,
      ]);
    }
    writeFileSync(join(place.directory, 'file'), '');
    const { status, stderr } = await place.vtr(['config', 'add', 'file']);
    expect([status, stderr]).toEqual([2, `vtr: ${place.directory}/file is not a socket\n`]);
    expect(existsSync(join(place.directory, 'config/vtr/config.toml'))).toBe(false);
  });

  it('refuses the name of a host, and says how to give one', async () => {
    const place = new Place();
    for (const text of ['gpu1', 'ssh:gpu1']) {
      const { status, stderr } = await place.vtr(['config', 'add', text]);
      expect([status, stderr]).toEqual([
        2,
        `vtr: "${text}" is neither the path of a socket nor an address; for a host, give ssh://gpu1; for a container, docker://gpu1; for a socket in this directory, ./${text}\n`,
      ]);
    }
    expect(existsSync(join(place.directory, 'config/vtr/config.toml'))).toBe(false);
  });

  it('refuses the home directory of another user, which it does not expand', async () => {
    const place = new Place();
    const { status, stderr } = await place.vtr(['config', 'add', '~nope/x.sock']);
    expect([status, stderr]).toEqual([
      2,
      'vtr: ~nope/x.sock: only ~/ stands for a home directory; give the whole path, or ./~nope/x.sock\n',
    ]);
    await place.ok('config', 'add', './~nope/x.sock');
  });

  it('refuses a name that has no effect, or that is not valid', async () => {
    const place = new Place();
    await place.ok('config', 'add', '/run/a.sock');
    const refused = async (...words: string[]) => {
      const { status, stderr } = await place.vtr(['config', 'add', ...words]);
      expect(status).toBe(2);
      return stderr;
    };
    expect(await refused('/run/b.sock', '--name', 'b:b')).toBe(
      'vtr: the name "b:b" is not valid; give letters, digits, ., _ and - with --name\n',
    );
    expect(await refused('/run/*.sock', '--name', 'b')).toContain(
      'which have the names of their sockets; leave out --name',
    );
    expect(await refused('/run/a.sock', '--name', 'b')).toContain(
      'has /run/a.sock already, without a name; remove that first: vtr config rm /run/a.sock',
    );
    expect(await place.ok('config', 'ls')).toBe('/run/a.sock\n');
    await place.ok('config', 'rm', '/run/a.sock');
    await place.ok('config', 'add', '/run/a.sock', '--name', 'b');
    expect(await refused('/run/a.sock', '--name', 'c')).toContain('already, as b;');
    expect((await place.vtr(['config', 'add', '/run/a.sock'])).status).toBe(0);
    expect(await place.ok('config', 'ls')).toBe('/run/a.sock (b)\n');
  });

  it('leaves no file behind when the disk is full', async () => {
    const place = new Place();
    await place.ok('config', 'add', '/one.sock');
    const before = fileOf(place);
    // With this limit every write to a file fails, as on a full disk.
    const script = 'ulimit -f 0; exec "$@"';
    const words = [
      'sh',
      '-c',
      script,
      '-',
      process.execPath,
      vtrFile,
      'config',
      'add',
      '/two.sock',
    ];
    const { status, stderr } = spawnSync(words[0] ?? '', words.slice(1), {
      env: place.env,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([
      10,
      expect.stringContaining('cannot be written: file too large (EFBIG)'),
    ]);
    expect(readdirSync(join(place.directory, 'config/vtr'))).toEqual(['config.toml']);
    expect(fileOf(place)).toBe(before);
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
