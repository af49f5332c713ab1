import { ChildProcess } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ignored, shellQuoted } from '#base';
import { VtrError, version } from '#model';
import { tree } from '../../test/support/tree.ts';
import { failureLine, greetingLine } from './greeting/greeting.ts';
import { openTool, reaches } from './open-tool.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** An address whose program runs lines of a shell. */
const shell = (...lines: readonly string[]) => `exec:sh -c ${shellQuoted(lines.join('\n'))} -`;
const greets = `printf %s ${shellQuoted(greetingLine(version, '/vtr.sock'))}`;

describe('the program of an address', () => {
  it('that may not be signalled is left, with its streams closed', async () => {
    const refused = vi.spyOn(ChildProcess.prototype, 'kill').mockImplementation(function (
      this: ChildProcess,
    ) {
      this.emit('error', Object.assign(new Error('kill EPERM'), { code: 'EPERM' }));
      return false;
    });
    const tool = await openTool(shell(greets, 'cat'));
    tool.kill();
    tool.kill();
    expect(refused).toHaveBeenCalledTimes(1);
    expect(await tool.ended).toBeNull();
    expect([tool.input.destroyed, tool.output.destroyed]).toEqual([true, true]);
  });

  it('that cannot be started without more files is a coordinator that cannot be reached', async () => {
    const prototype = ChildProcess.prototype as unknown as { spawn(options: object): number };
    const { spawn } = prototype;
    vi.spyOn(prototype, 'spawn').mockImplementation(function (
      this: { readonly _handle: { spawn(): number } },
      options: object,
    ) {
      this._handle.spawn = () => -constants.errno.EMFILE;
      return spawn.call(this, options);
    } as typeof spawn);
    await expect(openTool('exec:some-tool')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'exec:some-tool cannot be reached: spawn some-tool EMFILE',
      details: { sent: 'no', socket: 'exec:some-tool' },
    });
  });

  it('that prints something else is quoted with the end of it, which can be long', async () => {
    const tool = openTool(shell("printf '%9999s\\n' end | tr ' ' x"));
    const { message } = (await tool.catch((error: unknown) => error)) as Error;
    expect(message).toMatch(/ printed "x+end"$/);
    expect(message.length).toBeLessThan(5_000);
  });

  it('says why the connection broke, and not what it printed at the login', async () => {
    const lines = [
      'echo "Authorised users only." >&2',
      greets,
      'read x',
      'echo lost >&2',
      'exit 255',
    ];
    const tool = await openTool(shell(...lines));
    tool.output.resume();
    tool.input.write('\n');
    expect((await tool.ended)?.message).toMatch(/^the connection to .* is broken: lost$/s);
  });

  it('has ended although a process that it started holds its streams', async () => {
    const fifo = join(tree(), 'fifo');
    const holder = `sh -c ${shellQuoted(`echo >${fifo}; read x <${fifo}`)} &`;
    const lines = [
      `mkfifo ${fifo}`,
      greets,
      `${holder} read x <${fifo}`,
      'read y',
      'echo lost >&2',
      'exit 255',
    ];
    const tool = await openTool(shell(...lines));
    onTestFinished(() => writeFileSync(fifo, '\n'));
    tool.input.write('\n');
    const said = text(tool.output).catch(() => 'destroyed');
    expect((await tool.ended)?.message).toMatch(/is broken: lost$/);
    expect(await said).toBe('destroyed');
  });

  it('is read to its end, also what arrives after it', async () => {
    const line = failureLine(
      new VtrError('UNAVAILABLE', 'none', { details: { reason: 'ENOENT' } }),
    );
    // `kill -0` fails when this process has seen the end of the first shell.
    const waits = 'while kill -0 $$ 2>/dev/null; do :; done';
    const later = `(${waits}; echo ${shellQuoted(line.trim())}) 2>/dev/null & exit 0`;
    expect(await reaches(shell(later))).toBe(false);
  });

  it('is called once more by a shell only if it has no vtr', async () => {
    const answer = 'case "$*" in *local/bin*) echo second >&2; exit 5;; esac; echo first >&2; exit';
    const opened = (status: number) => openTool(shell(`${answer} ${status}`));
    await expect(opened(4)).rejects.toThrow(/cannot be reached: first$/);
    await expect(opened(127)).rejects.toThrow(/reached: first; copy vtr there with vtr install /);
    // An answer of the second counts.
    const none = shellQuoted(failureLine(new Error('x')).trim());
    const second = `case "$*" in *local/bin*) echo ${none};; *) exit 127;; esac`;
    await expect(openTool(shell(second))).rejects.toThrow('cannot be reached: internal error: x');
  });
});

describe('ssh', () => {
  it('makes no shared connection in a session', async () => {
    const home = tree({ 'bin/ssh': '#!/bin/sh\necho "$*" >"$HOME/args"\nexit 255\n' });
    chmodSync(join(home, 'bin/ssh'), 0o755);
    vi.stubEnv('PATH', `${join(home, 'bin')}:${process.env['PATH']}`);
    const argsIn = async (env: Readonly<Record<string, string>>) => {
      await ignored(
        openTool('ssh://gpu1', { env: { ...process.env, HOME: home, ...env } }),
        'this ssh only notes its arguments',
      );
      return readFileSync(join(home, 'args'), 'utf8');
    };
    expect(await argsIn({ VTR_SESSION_ID: 'x' })).toContain('-o ControlMaster=no');
    expect(await argsIn({ VTR_SESSION_ID: '' })).not.toContain('ControlMaster');
    vi.unstubAllEnvs();
  });
});
