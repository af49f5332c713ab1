import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { testProgram } from '../support/pty/pty-request.ts';
import { tree } from '../support/tree.ts';

/** The path of an agent whose file has the name of a real one. */
function agentNamed(name: string): string {
  const program = join(tree(), `${name}.mjs`);
  copyFileSync(testProgram('coding-agent.mjs'), program);
  return program;
}

it('a session tells what its coding agent does, and waits end with its states', async () => {
  const place = new Place();
  await place.ok('spawn', 'api', '--', process.execPath, agentNamed('codex'));
  const agent = async () => (await place.json('info', 'api')).agent;
  const until = (...words: readonly string[]) => place.vtr(words);
  expect(await until('wait', 'api', '--agent', 'idle')).toMatchObject({
    status: 0,
    stdout: '',
    stderr: 'vtr: session api: codex is idle\n',
  });
  expect(await agent()).toMatchObject({ kind: 'codex', state: 'idle', turn: 0, question: null });

  await place.ok('key', 'api', 'enter');
  await until('wait', 'api', '--agent', 'busy');
  expect(await place.ok('ls', '--waiting', '--names')).toBe('');

  const question = 'Run npm publish? > 1. Yes | 2. No\n';
  expect(await place.ok('send', 'api', '?', '--wait', '--agent', 'idle,asks')).toContain(question);
  expect(await place.ok('wait', 'api', '--asks')).toBe(question);
  expect(await place.ok('ls', '--waiting', '--names')).toBe('api\n');
  expect(await place.ok('ls', '--agents')).toMatch(/^api +codex +asks +\S+ +Run npm publish\?/m);

  await until('send', 'api', 'y', '--wait', '--agent', 'busy');
  await until('send', 'api', '.', '--wait', '--agent', 'idle');
  expect(await agent()).toMatchObject({ state: 'idle', turn: 1, question: null });
  const late = await until('wait', 'api', '--agent', 'idle', '--turn', '2', '--timeout', '0s');
  expect(late.status).toBe(9);
});

it('an agent in a shell is one while it is in the foreground', async () => {
  const place = new Place();
  await place.ok('spawn', 'shell', '--wait', '--prompt', '--', 'bash', '--norc');
  const line = `${process.execPath} ${agentNamed('claude')}`;
  const begun = await place.vtr(['send', 'shell', line, '--enter', '--wait', '--agent', 'idle']);
  expect(begun.status).toBe(0);
  expect((await place.json('info', 'shell')).agent).toMatchObject({ kind: 'claude' });
  await place.ok('send', 'shell', 'q', '--wait', '--prompt');
  await expect.poll(async () => (await place.json('info', 'shell')).agent).toBeNull();
});

it('states that do not exist are refused', async () => {
  const { status, stderr } = await new Place().vtr(['wait', 'x', '--agent', 'sleeping']);
  expect(status).toBe(2);
  expect(stderr).toContain('idle, asks, busy, unknown');
});
