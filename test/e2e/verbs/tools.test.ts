import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/root.mjs';
import { publicVtrFile } from '../../support/command/public-vtr.ts';
import { Place } from '../../support/command/vtr-command.ts';
import { provided } from '../../support/run/needs.ts';
import { tree } from '../../support/tree.ts';

describe('vtr serve', () => {
  it('[S3.03, S3.04] serves in the background, reports it, and stops', async () => {
    const place = new Place();
    const started = await place.vtr(['serve', '--daemon']);
    expect(started.status).toBe(0);
    expect(started.stderr).toMatch(/^vtr: serving at .*default\.sock \(process \d+\)$/m);
    expect((await place.vtr(['serve', '--daemon'])).stderr).toContain('already running');
    expect((await place.vtr(['serve', '--stop'])).status).toBe(0);
    const { status, stderr } = await place.vtr(['serve', '--stop']);
    expect(status).toBe(3);
    expect(stderr).toContain(place.socket);
  });

  it('describes the daemon, with status 3 if none runs', async () => {
    const place = new Place();
    for (const flags of [[], ['--json']]) {
      expect(await place.vtr(['serve', '--status', ...flags])).toMatchObject({
        status: 3,
        stdout: '',
        stderr: expect.stringContaining(place.socket),
      });
    }
    const { stderr } = await place.vtr(['serve', '--daemon']);
    const pid = Number(/process (\d+)/.exec(stderr)?.[1]);
    await place.ok('spawn', 'one', '--', 'cat');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const status = await place.json('serve', '--status');
    expect(status).toEqual({
      pid,
      host_pid: expect.any(Number),
      socket: place.socket,
      version,
      host_version: version,
      started_at: expect.stringMatching(/^\d{4}-.*Z$/),
      damaged: [],
      persist: { state: 'disk', reason: null },
      audit: {
        directory: expect.stringContaining(place.state),
        lost: 0,
        losing: false,
        reason: null,
        forward: null,
      },
    });
    expect(await place.ok('serve', '--status')).toContain(`process ${pid}, vtr ${version}`);
    expect((await place.vtr(['serve', '--status', '--stop'])).status).toBe(2);
    expect((await place.vtr(['serve', '--json'])).status).toBe(2);
  });
});

describe('vtr doctor', () => {
  it('finds no problem, and the running daemon', async () => {
    const place = new Place();
    await place.shell('one');
    const { findings } = await place.json('doctor');
    expect(findings.filter(({ state }: { state: string }) => state === 'bad')).toEqual([]);
    expect(await place.ok('doctor')).toMatch(/^ok +daemon: version \S+, process \d+$/m);
  });

  provided(process.getuid?.() === 0, 'only as root: runs as another user')(
    'says once that HOME cannot be used, and what to do',
    () => {
      const file = publicVtrFile();
      const home = tree();
      const user = { uid: 65534, gid: 65534, encoding: 'utf8', timeout: 60_000 } as const;
      const env = { PATH: process.env['PATH'] ?? '', HOME: home };
      const doctor = () => {
        const ran = spawnSync(process.execPath, [file, 'doctor', '--json'], { ...user, env });
        const { findings } = JSON.parse(ran.stdout);
        return { status: ran.status, findings };
      };
      chmodSync(home, 0o755);
      expect(doctor()).toMatchObject({
        status: 1,
        findings: expect.arrayContaining([
          expect.objectContaining({
            subject: 'home',
            state: 'warning',
            text: expect.stringContaining(`${home} is not writable for `),
            fix: expect.stringContaining('XDG_STATE_HOME'),
          }),
          expect.objectContaining({ subject: 'directory', state: 'bad' }),
        ]),
      });
      chmodSync(home, 0o700);
      const { findings } = doctor();
      const texts: string[] = findings.map(({ text }: { text: string }) => text);
      expect(findings).toContainEqual(expect.objectContaining({ subject: 'home', state: 'bad' }));
      expect(texts.filter((text) => text.includes('internal error'))).toEqual([]);
      expect(new Set(texts).size).toBe(texts.length);
    },
  );

  it('reports a directory that others can write to, and the fix', async () => {
    const place = new Place();
    chmodSync(place.directory, 0o777);
    const { status, stdout } = await place.vtr(['doctor']);
    chmodSync(place.directory, 0o700);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^problem +directory: .*mode 777/m);
    expect(stdout).toContain(`fix: chmod 700 ${place.directory}`);
  });
});

provided(process.getuid?.() !== 0, 'only for a user who may not write everywhere')(
  'vtr doctor reports a directory that cannot be made, as vtr spawn does',
  async () => {
    const place = new Place();
    const env = { VTR_SOCKET: join(place.directory, 'closed/run/a.sock') };
    mkdirSync(join(place.directory, 'closed'), { mode: 0o500 });
    const { status, stdout } = await place.vtr(['doctor'], { env });
    expect(status).toBe(1);
    expect(stdout).toMatch(/^problem +directory: .*cannot be made in .*closed: EACCES$/m);
    expect((await place.vtr(['spawn', 'one'], { env })).status).toBe(3);
  },
);

describe('a file in the place of the socket', () => {
  it('is one problem with one fix', async () => {
    const place = new Place();
    writeFileSync(place.socket, '');
    const { findings } = JSON.parse((await place.vtr(['doctor', '--json'])).stdout) as {
      findings: { state: string; subject: string; fix?: string }[];
    };
    const about = ['socket', 'daemon', 'stale files'];
    const problems = findings.filter(({ state }) => state !== 'good');
    expect(problems.filter(({ subject }) => about.includes(subject))).toEqual([
      {
        state: 'bad',
        subject: 'socket',
        text: `${place.socket} is not a socket`,
        fix: `rm ${place.socket}`,
      },
    ]);
    const { status, stderr } = await place.vtr(['spawn', 'one', '--', 'cat']);
    expect(status).toBe(3);
    expect(stderr).toContain('remove it, or choose another with --socket or VTR_SOCKET');
  });
});

describe('the fix of a finding', () => {
  it('can be pasted into a shell', async () => {
    const place = new Place();
    const directory = join(place.directory, "it's here");
    mkdirSync(directory, { mode: 0o700 });
    const socket = join(directory, 'a b.sock');
    writeFileSync(socket, '');
    const findings = async () =>
      JSON.parse((await place.vtr(['doctor', '--json'], { env: { VTR_SOCKET: socket } })).stdout)
        .findings as { subject: string; fix?: string }[];
    const fixOf = async (subject: string) =>
      (await findings()).find((each) => each.subject === subject)?.fix ?? '';
    execFileSync('sh', ['-c', await fixOf('socket')]);
    expect(existsSync(socket)).toBe(false);
    chmodSync(directory, 0o777);
    const [command = ''] = (await fixOf('directory')).split(', or');
    execFileSync('sh', ['-c', command]);
    expect(await fixOf('directory')).toBe('');
  });
});

describe('vtr completion', () => {
  it('prints a script with every verb for each shell', async () => {
    const place = new Place();
    for (const shell of ['bash', 'zsh', 'fish']) {
      const script = await place.ok('completion', shell);
      for (const word of ['spawn', 'resolve', 'scrollback']) expect(script).toContain(word);
    }
    expect((await place.vtr(['completion', 'tcsh'])).status).toBe(2);
  });
});

describe('vtr completion install', () => {
  const fishFile = 'data/fish/vendor_completions.d/vtr.fish';
  const placeOf = () => {
    const place = new Place();
    const data = join(place.directory, 'data');
    const run = (...words: readonly string[]) =>
      place.vtr(['completion', 'install', ...words], {
        env: { XDG_DATA_HOME: data, ZDOTDIR: place.directory },
      });
    const textOf = (path: string) => readFileSync(join(place.directory, path), 'utf8');
    return { place, run, textOf };
  };

  it('shows the change, writes it once, and removes it', async () => {
    const { place, run, textOf } = placeOf();
    const shown = await run('fish');
    expect(shown).toMatchObject({ status: 1, stderr: expect.stringContaining('--yes writes it') });
    expect(shown.stdout).toContain(`${join(place.directory, fishFile)}\n+ # Written by vtr`);
    expect(existsSync(join(place.directory, 'data'))).toBe(false);
    expect((await run('fish', '--yes')).status).toBe(0);
    expect(textOf(fishFile)).toContain('vtr completion fish | source');
    const again = await run('fish', '--yes');
    expect(again).toMatchObject({ status: 0, stdout: '' });
    expect(again.stderr).toContain('nothing to change');
    expect((await run('fish', '--remove', '--yes')).status).toBe(0);
    expect(existsSync(join(place.directory, fishFile))).toBe(false);
    expect((await run('fish', '--remove', '--yes')).stderr).toContain('nothing to change');
  });

  it('changes .zshrc only by lines of its own', async () => {
    const { place, run, textOf } = placeOf();
    const before = 'alias l=ls';
    writeFileSync(join(place.directory, '.zshrc'), before);
    await run('zsh', '--yes');
    const after = textOf('.zshrc');
    expect(after.startsWith(`${before}\n# Written by vtr completion install`)).toBe(true);
    expect((await run('zsh', '--yes')).stdout).toBe('');
    writeFileSync(join(place.directory, '.zshrc'), `${after}alias m=more\n`);
    await run('zsh', '--remove', '--yes');
    expect(textOf('.zshrc')).toBe(`${before}\nalias m=more\n`);
    expect(existsSync(join(place.directory, 'data/zsh/site-functions/_vtr'))).toBe(false);
  });

  it('refuses a shell that it does not know, and a file of somebody else', async () => {
    const { place, run } = placeOf();
    expect(await run('tcsh')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no completion for "tcsh"; name one of bash, fish, zsh'),
    });
    const file = join(place.directory, fishFile);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '# mine\n');
    expect(await run('fish', '--remove', '--yes')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is not a file of vtr completion install'),
    });
  });
});
