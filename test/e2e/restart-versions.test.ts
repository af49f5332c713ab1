import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ignored } from '#base';
import { root } from '../../scripts/root.mjs';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { isAlive } from '../support/pty/process-facts.ts';
import { tree } from '../support/tree.ts';

const run = promisify(execFile);

/** A copy of the package, of another version if one is given. */
class Copy {
  readonly directory = tree();
  readonly #place: Place;

  constructor(place: Place, version?: string) {
    this.#place = place;
    cpSync(join(root, 'dist'), join(this.directory, 'dist'), {
      recursive: true,
      filter: (path) => !path.endsWith('.ts') && !path.endsWith('.map'),
    });
    const native = 'node_modules/@lydell';
    cpSync(join(root, native), join(this.directory, native), { recursive: true });
    if (version !== undefined) this.#become(version);
  }

  /** Bundles have their version as a string. */
  #become(version: string): void {
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
    const dist = join(this.directory, 'dist');
    for (const name of readdirSync(dist).filter((each) => /\.[cm]js$/.test(each))) {
      const text = readFileSync(join(dist, name), 'utf8');
      writeFileSync(join(dist, name), text.replaceAll(`"${own}"`, `"${version}"`));
    }
  }

  /**
   * Makes daemons that it starts in the background those of the built version, as if a command of that
   * version had been faster.
   *
   * @param once only the first one
   */
  isOvertaken({ once }: { readonly once: boolean }): void {
    const file = join(this.directory, 'dist/vtr.cjs');
    const done = JSON.stringify(`${file}.done`);
    const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n');
    const overtaken = `if (process.env.VTR_IN_BACKGROUND && !require('fs').existsSync(${done})) {
      if (${once}) require('fs').writeFileSync(${done}, '');
      return require(${JSON.stringify(vtrFile)});
    }`;
    writeFileSync(file, [first, overtaken, ...rest].join('\n'));
  }

  async vtr(...words: readonly string[]): Promise<{ stdout: string; stderr: string }> {
    const file = join(this.directory, 'dist/vtr.cjs');
    const { env, directory: cwd } = this.#place;
    return run(process.execPath, [file, ...words], { cwd, env });
  }

  async json(...words: readonly string[]) {
    return JSON.parse((await this.vtr(...words, '--json')).stdout);
  }
}

describe('a PTY host', () => {
  it('does not need the package that it was started from', async () => {
    const place = new Place();
    const copy = new Copy(place);
    await copy.vtr('spawn', 'one', '--', 'sh', '-c', 'echo up; exec cat');
    const before = await copy.json('serve', '--status');
    rmSync(copy.directory, { recursive: true });
    process.kill(before.pid, 'SIGKILL');
    await ignored(place.sees('one', 'up'), 'the next daemon may still be starting');
    await place.ok('send', 'one', 'hello', '--enter', '--wait', '^hello');
    expect((await place.json('serve', '--status')).host_pid).toBe(before.host_pid);
    // Starts programs, and other programs to find out about them.
    await place.ok('spawn', 'two', '--', 'bash', '--norc');
    await place.ok('wait', 'two', '--prompt');
    expect(await place.ok('run', 'two', '--', 'stty size; echo $((6 * 7))')).toContain('42');
    expect((await place.json('ls')).sessions).toHaveLength(2);
    await place.ok('rm', 'one', 'two');
  });
});

describe('an upgrade', () => {
  it('leaves sessions in the host of the old version until they end; new ones are in a new host', async () => {
    const place = new Place();
    await place.ok('spawn', 'old', '--', 'bash', '--norc');
    const before = await place.json('serve', '--status');
    const next = new Copy(place, '9.9.9');
    await next.vtr('serve', '--restart');
    const after = await next.json('serve', '--status');
    expect(after).toMatchObject({ version: '9.9.9' });
    await next.vtr('spawn', 'new', '--', 'cat');
    expect(await next.json('serve', '--status')).toMatchObject({ host_version: '9.9.9' });
    expect(isAlive(before.host_pid)).toBe(true);
    await next.vtr('wait', 'old', '--prompt');
    expect((await next.vtr('run', 'old', '--', 'echo still here')).stdout).toBe('still here\n');
    const { findings } = await next.json('doctor');
    const about = findings.find(({ subject }: { subject: string }) => subject === 'PTY host');
    expect(about).toMatchObject({
      state: 'warning',
      text: expect.stringContaining(`process ${before.host_pid} with 1 program runs vtr`),
    });
    await next.vtr('rm', 'old');
    await expect.poll(() => isAlive(before.host_pid)).toBe(false);
    expect((await next.json('ls')).sessions).toMatchObject([{ name: 'new', status: 'running' }]);
  });

  it('is repeated if a daemon of the old version serves first', async () => {
    const place = new Place();
    await place.ok('spawn', 'old', '--', 'cat');
    const next = new Copy(place, '9.9.9');
    next.isOvertaken({ once: true });
    await next.vtr('serve', '--restart');
    expect(await next.json('serve', '--status')).toMatchObject({ version: '9.9.9' });
    expect((await next.json('ls')).sessions).toMatchObject([{ name: 'old', status: 'running' }]);
  });

  it('fails if the old version always serves first, and says so', async () => {
    const place = new Place();
    await place.ok('spawn', 'old', '--', 'cat');
    const { version } = await place.json('serve', '--status');
    const next = new Copy(place, '9.9.9');
    next.isOvertaken({ once: false });
    await expect(next.vtr('serve', '--restart')).rejects.toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`vtr ${version} serves at ${place.socket} again`),
    });
    expect((await place.json('ls')).sessions).toMatchObject([{ name: 'old', status: 'running' }]);
  });
});
