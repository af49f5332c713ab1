import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { preface } from '../../src/wire/service/frames/frame.ts';
import { servedBy } from '../support/command/running-daemon.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { canMount, withMounts } from '../support/pty/mount-namespace.ts';
import { provided } from '../support/run/needs.ts';
import { rawClient } from '../support/service/raw-client.ts';

describe('a command that is killed while it sends', () => {
  it('has sent all of its text or none, and affects no other client', async () => {
    const place = new Place();
    const log = join(place.directory, 'log');
    await place.ok('spawn', 'log', '--', 'sh', '-c', `stty raw -echo; echo up; exec cat > ${log}`);
    await place.sees('log', 'up');
    const text = (index: number) => `<${index}:${'x'.repeat(3000)}:${index}>`;
    for (let index = 0; index < 20; index++) {
      // From before it reads its arguments to after it has its answer.
      const killAfterMs = 1 + index * 12;
      await place.vtr(['send', 'log', '--stdin'], { input: text(index), killAfterMs });
    }
    await place.ok('send', 'log', 'end');
    await expect.poll(() => readFileSync(log, 'utf8')).toMatch(/end$/);
    const input = readFileSync(log, 'utf8').slice(0, -'end'.length);
    const whole = [...input.matchAll(/<(\d+):x{3000}:\1>/g)];
    expect(whole.map(([each]) => each).join('')).toBe(input);
    const numbers = whole.map(([, number]) => Number(number));
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});

describe('a limit of the configuration', () => {
  it('on sessions is reported with its number; ended sessions do not count', async () => {
    const place = new Place();
    const config = join(place.directory, 'server.toml');
    writeFileSync(config, 'max_sessions = 2\n');
    await place.vtr(['serve', '--daemon', '--config', config]);
    await place.ok('spawn', 'one', '--', 'cat');
    await place.ok('spawn', 'two', '--', 'cat');
    const { status, stderr } = await place.vtr(['spawn', 'three', '--', 'cat']);
    expect(status).toBe(7);
    expect(stderr).toMatch(/\b2\b/);
    await place.ok('kill', 'one');
    await place.vtr(['wait', 'one', 'never']);
    await place.ok('spawn', 'three', '--', 'cat');
  });

  it.each([
    { archive: 256, first: '1', lost: 0 },
    { archive: 0, first: '87', lost: 86 },
  ])(
    'on the scrollback: with an archive of $archive MiB, grep and wait --since search from line $first on, and count $lost lost',
    async ({ archive, first, lost }) => {
      const place = new Place();
      const config = join(place.directory, 'server.toml');
      writeFileSync(config, `scrollback_limit = 10\narchive_max = ${archive}\n`);
      await place.vtr(['serve', '--daemon', '--config', config]);
      await place.ok('spawn', 'log', '--size', '40x5', '--', 'sh', '-c', 'seq 100; cat');
      await place.sees('log', '100');
      const { stdout } = await place.vtr(['grep', 'log', '^\\d+$', '--json']);
      const { matches, lost_lines } = JSON.parse(stdout);
      expect(matches[0]).toMatchObject({ line_number: 0, line: first });
      expect([matches.at(-1).line, lost_lines]).toEqual(['100', lost]);
      const early = ['wait', 'log', '--since', 'start', '^50$', '--timeout', '0s'];
      const waited = await place.vtr(early);
      expect([waited.status, waited.stdout]).toEqual(lost === 0 ? [0, '50\n'] : [9, '']);
      const note = `session log: not searched: ${lost} lines since the mark that are no longer kept`;
      expect(waited.stderr.includes(note)).toBe(lost > 0);
      const asJson = JSON.parse((await place.vtr([...early, '--json'])).stdout);
      expect(asJson).toMatchObject({
        outcome: lost === 0 ? 'matched' : 'timed_out',
        lost_lines: lost,
      });
      const any = await place.vtr([
        'wait',
        '*',
        '--any',
        ...early.slice(2, 4),
        '^no',
        '--timeout',
        '0s',
      ]);
      expect(any.stderr.includes(`1 session: not searched: ${lost} lines`)).toBe(lost > 0);
      const stopped = await place.vtr([...early.slice(0, 4), '100', '--stop', '^50$']);
      expect(stopped.status).toBe(lost === 0 ? 11 : 0);
      expect(stopped.stderr.includes(note)).toBe(lost > 0);
    },
  );
});

describe('a directory in which nothing can be created', () => {
  it('is reported by name, and nothing else fails', async () => {
    const place = new Place();
    const { status, stderr } = await place.vtr(['serve', '--socket', '/dev/null/run/vtr.sock']);
    expect(status).toBe(3);
    expect(stderr).toContain('cannot make the directory /dev/null/run');
  });

  provided(canMount('true'), 'only where file systems can be mounted')(
    'is reported by name if it is read-only',
    () => {
      const place = new Place();
      const serve = (socket: string) => {
        const words = [process.execPath, vtrFile, 'serve', '--socket', socket];
        const mounts = `mount -t tmpfs -o ro none ${place.directory}`;
        const [program = '', ...args] = withMounts(mounts, ...words);
        return spawnSync(program, args, { encoding: 'utf8', env: place.env });
      };
      const below = serve(`${place.directory}/run/vtr.sock`);
      expect(below.status).toBe(3);
      expect(below.stderr).toContain(`cannot make the directory ${place.directory}/run: EROFS`);
      const inside = serve(place.socket);
      expect(inside.status).toBe(3);
      expect(inside.stderr).toContain(place.directory);
    },
  );
});

describe('a daemon that can open few files', () => {
  provided(process.platform === 'linux', 'only on Linux: sets a limit with its shell')(
    'answers a call, or fails to start and names the limit',
    async () => {
      const place = new Place();
      const script = `ulimit -n 24; exec "${process.execPath}" "${vtrFile}" serve`;
      const outcome = await servedBy(place, ['sh', '-c', script]).then(
        async () => `status ${(await place.vtr(['ls'])).status}`,
        (error: Error) => error.message,
      );
      expect(outcome).toMatch(/^status 0$|open files \d+ of 24/);
    },
  );
});

describe('a daemon that runs out of open files', () => {
  provided(process.platform === 'linux', 'only on Linux: sets a limit with its shell')(
    'reports it, keeps its sessions, and spawns again when some are free',
    async () => {
      const place = new Place();
      const script = `ulimit -n 48; exec "${process.execPath}" "${vtrFile}" serve`;
      const daemon = spawn('sh', ['-c', script], { env: place.env, stdio: 'ignore' });
      onTestFinished(() => void daemon.kill('SIGKILL'));
      await expect.poll(() => existsSync(place.socket)).toBe(true);
      const names: string[] = [];
      let refused = { status: 0 as number | null, stderr: '' };
      for (let index = 0; index < 64; index++) {
        refused = await place.vtr(['spawn', `s${index}`, '--no-start', '--', 'cat']);
        if (refused.status !== 0) break;
        names.push(`s${index}`);
      }
      expect(refused).toMatchObject({
        status: 7,
        stderr: expect.stringMatching(/open files \d+ of 48/),
      });
      expect(names.length).toBeGreaterThan(5);
      expect((await place.json('ls')).sessions).toHaveLength(names.length);
      await place.ok('rm', names[0] ?? '');
      await place.ok('spawn', 'again', '--no-start', '--', 'cat');
      daemon.kill('SIGTERM');
      await once(daemon, 'exit');
      expect(readdirSync(place.directory)).toEqual([]);
    },
  );
});

describe('clients that hold two hundred connections open without a call', () => {
  provided(process.platform === 'linux', 'only on Linux: sets a limit with its shell')(
    'take no call from others where 64 files can be open',
    async () => {
      const place = new Place();
      const words = ['sh', '-c', `ulimit -n 64; exec "${process.execPath}" "${vtrFile}" serve`];
      await servedBy(place, words);
      await place.ok('spawn', 'one', '--no-start', '--', 'cat');
      const parts = [
        'P',
        'PRI * HTTP/2.0\r\n',
        preface,
        'POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\n',
      ];
      for (let count = 0; count < 200; count++) {
        const part = parts[count % parts.length] ?? '';
        await new Promise((resolve) => rawClient(place.socket).write(part, resolve));
      }
      expect((await place.json('ls')).sessions).toHaveLength(1);
      await place.ok('send', 'one', 'text');
      await place.ok('spawn', 'two', '--no-start', '--', 'cat');
    },
  );
});

describe('an invalid name, variable or argument', () => {
  it.each([
    ['a path as a name', ['spawn', '../x'], 2],
    ['a line end in a name', ['spawn', 'a\nb'], 2],
    ['an empty name of a variable', ['spawn', 'x', '--env', '=y'], 2],
    ['a name of 65 characters', ['spawn', 'x'.repeat(65)], 2],
    ['a size beyond the limit', ['spawn', 'x', '--size', '1001x1'], 2],
  ])('is refused: %s', async (_what, words, status) => {
    const place = new Place();
    expect((await place.vtr(words)).status).toBe(status);
    expect(existsSync(place.socket)).toBe(false);
  });
});
