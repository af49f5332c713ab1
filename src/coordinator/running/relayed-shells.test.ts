import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import type { RunRequest } from '#model';
import { needs, provided } from '../../../test/support/run/needs.ts';
import { hasSshd, Sshd } from '../../../test/support/sshd/sshd.ts';

const canServe = hasSshd && process.platform === 'linux';
const overSsh = (...programs: string[]) =>
  canServe ? needs(...programs) : provided(false, 'needs sshd, on Linux');

let coordinator: LocalCoordinator;
let home = '';
let client = '';
const ends: (() => void | Promise<void>)[] = [];

beforeAll(async () => {
  coordinator = new LocalCoordinator();
  home = mkdtempSync(join(tmpdir(), 'vtr-relayed-'));
  if (!canServe) return;
  const server = await Sshd.start({ LANG: 'C.UTF-8' }, (end) => ends.unshift(end));
  client = `${server.bin}/ssh -t ${server.address}`;
});
afterAll(async () => {
  await coordinator.close();
  for (const end of ends) await end();
  rmSync(home, { recursive: true, force: true });
});

const run = (name: string, line: string, more: Partial<RunRequest> = {}) =>
  coordinator.run(name, { line, timeoutMs: 60_000, ...more });

let scripts = 0;

/** Starts a shell at the other end of ssh, from a shell that marks its commands. */
async function there(command: string): Promise<string> {
  const script = join(home, `start${scripts++}`);
  writeFileSync(
    script,
    `cd /; HOME=${home}; PS1='there$ '; ENV=; export HOME PS1 ENV\n${command}\n`,
  );
  const env = { HOME: home, HISTFILE: '/dev/null' };
  const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'], cwd: home, env });
  const first = await run(name, `${client} 'sh ${script}'`);
  expect(first).toMatchObject({ outcome: 'awaiting_input', guess: true });
  return name;
}

const shells = [
  ['bash', 'exec bash --norc -i'],
  ['dash', 'exec dash -i'],
] as const;

describe.each(shells)('run in %s over ssh', (program, command) => {
  overSsh('ssh', program)('does not end at output that looks like a prompt', async () => {
    const name = await there(command);
    const line = 'printf "Checking host $ "; sleep 2; echo ok';
    expect(await run(name, line)).toMatchObject({
      outcome: 'prompt',
      output: { tail: 'Checking host $ ok' },
    });
    expect(await run(name, 'echo next')).toMatchObject({
      outcome: 'prompt',
      output: { tail: 'next' },
    });
  });

  overSsh('ssh', program)('finds the prompt behind output, and in another directory', async () => {
    const name = await there(command);
    expect(await run(name, 'printf abc')).toMatchObject({
      outcome: 'prompt',
      output: { tail: 'abc' },
    });
    expect(await run(name, 'cd /usr')).toMatchObject({ outcome: 'prompt', output: { tail: '' } });
    expect(await run(name, 'pwd')).toMatchObject({ outcome: 'prompt', output: { tail: '/usr' } });
  });

  overSsh(
    'ssh',
    program,
    'vim',
  )('says at once that an editor waits for keys', async () => {
    const name = await there(command);
    expect(await run(name, 'vim -u NONE f')).toMatchObject({
      outcome: 'awaiting_input',
      guess: true,
    });
  });
});
