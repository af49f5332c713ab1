import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';

describe('vtr publish', () => {
  it('shows stdin, and keeps it', async () => {
    const place = new Place();
    const run = await place.vtr(['publish', 'build', '--title', 'make -j4', '--size', '40x5'], {
      input: 'one\ntwo\n',
    });
    expect(run).toMatchObject({ status: 0, stdout: 'build\n', stderr: '' });
    expect((await place.vtr(['read', 'build'])).stdout).toBe('one\ntwo\n');
    expect(await place.json('info', 'build')).toMatchObject({
      status: 'exited',
      exit_code: 0,
      program: 'make -j4',
      cols: 40,
      rows: 5,
      pid: 0,
      fed_by: expect.stringMatching(/^vtr publish, process \d+$/),
    });
    await place.ok('rm', 'build');
  });

  it('keeps line feeds unchanged with --tty', async () => {
    const place = new Place();
    await place.vtr(['publish', 'raw', '--tty'], { input: 'one\ntwo' });
    expect((await place.vtr(['read', 'raw'])).stdout).toBe('one\n   two\n');
  });

  it('prints its name at once, refuses input, and exits with SIGHUP when killed', async () => {
    const place = new Place();
    const child = spawn(process.execPath, [vtrFile, 'publish'], { env: place.env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [name] = await once(child.stdout.setEncoding('utf8'), 'data');
    child.stdin.write('half');
    await place.sees(name.trim(), 'half');
    const refused = await place.vtr(['send', name.trim(), 'x']);
    expect(refused).toMatchObject({ status: 6, stderr: expect.stringContaining('is read-only') });
    child.kill('SIGKILL');
    await place.vtr(['wait', name.trim()]);
    expect(await place.json('info', name.trim())).toMatchObject({ signal: 'SIGHUP' });
  });

  it('fails without a coordinator with --no-start, and if the name is in use', async () => {
    const place = new Place();
    expect((await place.vtr(['publish', '--no-start'])).status).toBe(3);
    await place.vtr(['publish', 'one']);
    const again = await place.vtr(['publish', 'one']);
    expect(again).toMatchObject({ status: 5, stdout: '', stderr: expect.stringContaining('one') });
  });
});
