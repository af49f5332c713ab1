import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { provided } from '../support/run/needs.ts';

/** Runs a line of sh in which `vtr` is the command. */
function inShell(place: Place, line: string) {
  const script = `vtr() { "${process.execPath}" "${vtrFile}" "$@"; }; ${line}`;
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], {
    cwd: place.directory,
    env: place.env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** No line of a stack trace. */
const noStack = /^(?!.*\n {4}at )/s;

describe('the command', () => {
  it('exits silently with 141 when its reader exits', async () => {
    const place = new Place();
    await place.ok('spawn', 'log', '--', 'sh', '-c', 'seq 20000; cat');
    await place.sees('log', '20000');
    const line = 'vtr grep log . --max 9000 2>&1 >&3 | grep -v "only the first"';
    const run = inShell(place, `{ ${line}; } 3>&1 | head -n 1`);
    expect(run).toMatchObject({ status: 0, stderr: '' });
    expect(run.stdout).toMatch(/^scrollback:0: \d+\n$/);
    await place.ok('spawn', 'shell', '--', 'bash', '--norc');
    for (const words of [
      ...['grep log . --max 9000', 'screen log --scrollback 20000', 'read log --follow'],
      ...['', '--json --max-bytes 1000000', '--tail 50000', '--raw', '--redact'].map(
        (flags) => `run shell ${flags} -- 'seq 100000; false'`,
      ),
      'output shell',
    ]) {
      const { stdout } = inShell(
        place,
        `{ { vtr ${words} 2>/dev/null; echo "status $?" >&3; } | head -c 1 >/dev/null; } 3>&1`,
      );
      expect({ words, stdout }).toEqual({ words, stdout: 'status 141\n' });
    }
  });

  provided(existsSync('/dev/full'), 'only where there is a /dev/full')(
    'reports that its output could not be written, also while it handles signals',
    () => {
      const place = new Place();
      for (const words of ['ls', 'exec -- echo text', 'exec --json -- true']) {
        const { status, stderr } = inShell(place, `vtr ${words} > /dev/full`);
        const isJson = words.includes('--json');
        const message = isJson ? JSON.parse(stderr).error.message : stderr;
        expect({ words, status, message }).toEqual({
          words,
          status: 10,
          message: isJson
            ? 'cannot write to stdout: ENOSPC'
            : 'vtr: cannot write to stdout: ENOSPC\n',
        });
      }
    },
  );

  it('works with its outputs closed', () => {
    expect(inShell(new Place(), 'vtr ls >&- 2>&-').status).toBe(0);
    expect(inShell(new Place(), 'vtr info nope 2>&-').status).toBe(4);
  });

  it('works in a removed directory, and reports it where a directory is needed', () => {
    const place = new Place();
    const go = 'mkdir gone; cd gone; rmdir ../gone;';
    expect(inShell(place, `${go} vtr ls --names`)).toMatchObject({ status: 0, stdout: '' });
    const { status, stderr } = inShell(place, `${go} vtr spawn x`);
    expect(status).toBe(2);
    expect(stderr).toContain('the current directory was removed');
    expect(stderr).toMatch(noStack);
    expect(inShell(place, `${go} vtr exec --cwd / -- pwd`)).toMatchObject({
      status: 0,
      stdout: '/\n',
    });
    expect(inShell(place, `${go} vtr serve --status`).status).toBe(0);
    expect(inShell(place, `${go} vtr serve --stop`).status).toBe(0);
  });

  it('needs almost no environment', () => {
    const place = new Place();
    const bare = `env -i VTR_SOCKET=${place.socket} "${process.execPath}" "${vtrFile}"`;
    expect(inShell(place, `${bare} spawn x -- /bin/sh -c 'exit 0'`)).toMatchObject({
      status: 0,
      stdout: 'x\n',
      stderr: '',
    });
  });

  provided(process.platform === 'linux', 'only on Linux: in /proc no directory can be created')(
    'names a directory that cannot be created',
    async () => {
      const place = new Place();
      const env = { VTR_SOCKET: '/proc/no/such.sock', XDG_CONFIG_HOME: '/proc/no' };
      const spawned = await place.vtr(['spawn', 'x'], { env, killAfterMs: 30_000 });
      expect(spawned).toMatchObject({ status: 3, signal: null });
      expect(spawned.stderr).toContain('cannot make the directory /proc/no');
      const added = await place.vtr(['config', 'add', '/x.sock'], { env, killAfterMs: 30_000 });
      expect(added).toMatchObject({ status: 10, signal: null });
      expect(added.stderr).toContain('/proc/no/vtr/config.toml cannot be written');
      const installed = await place.vtr(['skill', 'install', '/proc/no'], { killAfterMs: 30_000 });
      expect(installed).toMatchObject({ status: 10, signal: null });
      expect(installed.stderr).toContain('/proc/no/vtr/SKILL.md cannot be written');
    },
  );
});

describe('stdin', () => {
  it('over the limit is refused; an endless one is not read to its end', async () => {
    const place = new Place();
    await place.ok('spawn', 'cat', '--', 'cat');
    const size = 1024 * 1024 + 1;
    const tooMuch = await place.vtr(['send', 'cat', '--stdin'], { input: 'a'.repeat(size) });
    expect(tooMuch.status).toBe(7);
    expect(tooMuch.stderr).toContain(String(size));
    // In JSON each of them is six bytes.
    const swollen = await place.vtr(['send', 'cat', '--stdin'], { input: '\x01'.repeat(size) });
    expect(swollen.status).toBe(7);
    expect(inShell(place, 'yes | vtr send cat --stdin').status).toBe(7);
  });

  it('contains the digits for vtr raw, in lines', async () => {
    const place = new Place();
    await place.ok('spawn', 'cat', '--', 'cat');
    const { status } = await place.vtr(['raw', 'cat', '--stdin'], { input: '68 69\n0d\n' });
    expect(status).toBe(0);
    await place.sees('cat', 'hi');
    expect((await place.vtr(['raw', 'cat'])).status).toBe(2);
    expect((await place.vtr(['raw', 'cat', '00', '--stdin'])).status).toBe(2);
  });
});

describe('a duration over a day', () => {
  it('is reduced to a day', async () => {
    const place = new Place();
    await place.shell('one');
    await place.ok('send', 'one', 'x', '--timeout', '99999999h');
    await place.ok('idle', 'one', '--idle', '50ms', '--timeout', '99999999h');
    const args = ['idle', 'one', '--idle', '99999999h', '--timeout', '50ms'];
    expect((await place.vtr(args)).status).toBe(9);
  });
});

describe('flags that contradict each other', () => {
  it.each([
    [['screen', 'x', '--ansi', '--json']],
    [['screen', 'x', '--ansi', '--cells']],
    [['screen', 'x', '--plain', '--frame']],
    [['screen', 'x', '--plain', '--json']],
    [['screen', 'x', '--frame', '--cells']],
    [['screen', 'x', '--frame', '--scrollback', '9']],
    [['ls', '--names', '--json']],
    [['screen', 'x', '--cells', '--scrollback', '9']],
    [['run', 'x', '--raw', '--detach', '--', 'a']],
    [['run', 'x', '--detach', '--tail', '1', '--', 'a']],
    // The bytes are not cut into lines.
    [['run', 'x', '--raw', '--both', '1', '--', 'a']],
    [['read', 'x', '--raw', '--tail', '1']],
    [['read', 'x', '--raw', '--max-tokens', '9']],
    [['output', 'x', '--raw', '--head', '1']],
    [['mouse', 'x', 'move', '1,1', '--count', '2']],
    [['mouse', 'x', 'move', '1,1', '--button', 'right']],
    [['mouse', 'x', 'scroll', 'up', '--button', 'right']],
    [['serve', '--daemon', '--stop']],
    [['spawn', 'x', '--cmd', 'a', '--', 'b']],
    [['spawn', 'x', '--cmd', '']],
    [['spawn', '']],
  ])('are refused: %j', async (words) => {
    const place = new Place();
    expect((await place.vtr(words)).status).toBe(2);
    expect(existsSync(join(place.directory, 'default.sock'))).toBe(false);
  });
});
