import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { integrateShell, removeKeyFile, type ShellProof } from '#shell';
import { needs, provided } from '../../../test/support/run/needs.ts';

const sshd = '/usr/sbin/sshd';
const hasServer = existsSync(sshd) && (userInfo().uid !== 0 || existsSync('/run/sshd'));
const test = provided(hasServer, 'needs sshd');

/** A bash that marks its prompts itself. */
const marking = `PS1='\\[\\e]133;D;$?\\a\\e]133;A\\a\\]there$ \\[\\e]133;B\\a\\]'
PS0='\\e]133;C\\a'
HISTFILE=
`;

let coordinator: LocalCoordinator;
let directory = '';
/** The proofs of the other vtr's shells. */
const proofs: ShellProof[] = [];

/** A server of its own for each connection, without a port. */
beforeAll(() => {
  if (!hasServer) return;
  coordinator = new LocalCoordinator();
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'vtr-ssh-')));
  const path = (name: string) => join(directory, name);
  for (const name of ['host', 'user']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path(name)]);
  }
  copyFileSync(path('user.pub'), path('authorized'));
  const server = [
    ...[`HostKey "${path('host')}"`, `AuthorizedKeysFile "${path('authorized')}"`],
    ...['StrictModes no', 'UsePAM no', 'PidFile none', 'PermitRootLogin prohibit-password'],
  ];
  writeFileSync(path('server'), `${server.join('\n')}\n`);
  const client = [
    ...['Host there', `IdentityFile "${path('user')}"`, 'IdentitiesOnly yes', 'LogLevel ERROR'],
    ...['UserKnownHostsFile /dev/null', 'StrictHostKeyChecking no'],
    `ProxyCommand ${sshd} -i -f "${path('server')}" -E "${path('log')}"`,
  ];
  writeFileSync(path('client'), `${client.join('\n')}\n`);
  writeFileSync(path('marking'), marking);
  writeFileSync(path('.bashrc'), "PS1='there$ '\n");
});

afterAll(async () => {
  if (!hasServer) return;
  await coordinator.close();
  proofs.map(removeKeyFile);
  rmSync(directory, { recursive: true });
});

/** The line that starts a bash there, which marks its commands without our nonce or with another one. */
async function lineTo(shell: 'marks' | 'vtr'): Promise<string> {
  const remote = shell === 'marks' ? `bash --rcfile ${directory}/marking -i` : await integrated();
  writeFileSync(join(directory, shell), `cd /; HOME=${directory}; ${remote}\n`);
  return `ssh -t -F ${directory}/client there 'sh ${directory}/${shell}'`;
}

/** A bash with the integration of another vtr. */
async function integrated(): Promise<string> {
  const bash = execFileSync('sh', ['-c', 'command -v bash'], { encoding: 'utf8' }).trim();
  const shell = await integrateShell({ program: bash, args: [], env: {} }, async () => bash);
  if ('reason' in shell) throw new Error(shell.reason);
  proofs.push(shell.proof);
  const assignments = Object.entries(shell.env).map(([name, value]) => `${name}='${value}'`);
  return `${assignments.join(' ')} ${bash} ${shell.args.map((arg) => `'${arg}'`).join(' ')}`;
}

/** Kills the ssh in the foreground, without a chance to restore the modes of the terminal. */
async function killSsh(name: string): Promise<void> {
  const { evidence } = await coordinator.activity(name);
  expect(evidence.foreground?.name).toBe('ssh');
  process.kill(evidence.foreground?.pid ?? 0, 'SIGKILL');
}

/** Begins a command there that does not end. Returns a mark before its output. */
async function beginSleep(name: string): Promise<string> {
  const go = { match: ['^go'] };
  const { mark } = await coordinator.sendText(name, 'echo go; sleep 1000\r', { wait: go });
  return mark;
}

const plain = { PS1: 'here$ ', PROMPT_COMMAND: '', HISTFILE: '/dev/null' };

describe.each(['marks', 'vtr'] as const)(
  'after a killed ssh to a shell that marks its commands (%s)',
  (shell) => {
    test('a bash with integration reports its own commands, and no others', async () => {
      const env = { ...plain, HOME: directory };
      const { name } = await coordinator.spawn({ program: 'bash', cwd: '/', env });
      await coordinator.wait(name, { prompt: true });
      const line = await lineTo(shell);
      await coordinator.run(name, { line });
      expect((await coordinator.wait(name, { prompt: true })).outcome).toBe('prompt');
      const inner = await coordinator.run(name, { line: 'echo in""ner; (exit 4)' });
      expect(inner).toMatchObject({
        outcome: 'prompt',
        command: null,
        exitCode: 4,
        statusFrom: 'query',
        output: { tail: 'inner' },
      });
      const mark = await beginSleep(name);
      await killSsh(name);
      const back = await coordinator.wait(name, { finished: true, since: mark });
      expect(back).toMatchObject({ outcome: 'finished', command: { line } });
      expect((await coordinator.wait(name, { prompt: true })).outcome).toBe('prompt');
      const outer = await coordinator.run(name, { line: 'echo out""er; (exit 5)' });
      expect(outer).toMatchObject({
        outcome: 'finished',
        exitCode: 5,
        output: { tail: 'outer' },
      });
      const { commands } = await coordinator.commands(name);
      expect(commands.map((each) => [each.line, each.exitCode, each.unverified])).toEqual([
        [line, 137, undefined],
        ['echo out""er; (exit 5)', 5, undefined],
      ]);
    });

    needs(...(hasServer ? ['dash'] : ['sshd']))(
      'a dash reports no command as its own',
      async () => {
        const env = { ...plain, HOME: directory };
        const { name } = await coordinator.spawn({ program: 'dash', cwd: '/', env });
        await coordinator.wait(name, { prompt: true });
        await coordinator.run(name, { line: await lineTo(shell) });
        expect((await coordinator.wait(name, { prompt: true })).outcome).toBe('prompt');
        const inner = await coordinator.run(name, { line: 'echo in""ner; (exit 4)' });
        expect(inner).toMatchObject({
          outcome: 'prompt',
          exitCode: 4,
          command: { unverified: true },
        });
        const mark = await beginSleep(name);
        await killSsh(name);
        await coordinator.wait(name, { match: ['here\\$ '], since: mark });
        // dash leaves the terminal as ssh had set it, where Enter ends no line.
        await coordinator.sendText(name, 'stty sane\n', { wait: { prompt: true } });
        const outer = await coordinator.run(name, { line: 'echo out""er; sleep 0.2; (exit 5)' });
        expect(outer).toMatchObject({
          outcome: 'prompt',
          exitCode: 5,
          command: null,
          output: { tail: 'outer' },
        });
        expect((await coordinator.wait(name, { prompt: true })).outcome).toBe('prompt');
        const { commands } = await coordinator.commands(name);
        expect(commands.every((each) => each.state === 'ended' && each.unverified)).toBe(true);
      },
    );
  },
);
