import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { testProgram } from '../support/pty/pty-request.ts';
import { tree } from '../support/tree.ts';
import { AttachedTerminal } from '../support/tui/attached-terminal.ts';

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
  expect(await place.ok('ls', '--agents')).toMatch(
    /^api +codex +asks +"Run npm publish\?" 1 Yes 2 No +\S+$/m,
  );

  await until('send', 'api', 'y', '--wait', '--agent', 'busy');
  await until('send', 'api', '.', '--wait', '--agent', 'idle');
  expect(await agent()).toMatchObject({ state: 'idle', turn: 1, question: null });
  const late = await until('wait', 'api', '--agent', 'idle', '--turn', '2', '--timeout', '0s');
  expect(late.status).toBe(9);
});

it('an agent that sets no mode, but hides the cursor, is one, too', async () => {
  const place = new Place();
  await place.ok('spawn', 'api', '--', process.execPath, agentNamed('grok'), 'hidden');
  expect((await place.vtr(['wait', 'api', '--agent', 'idle'])).status).toBe(0);
  expect((await place.json('info', 'api')).agent).toMatchObject({ kind: 'grok', state: 'idle' });
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

it('an agent is done until a person looks at it, also after the daemon was killed', async () => {
  const place = new Place();
  await place.ok('spawn', 'api', '--', process.execPath, agentNamed('codex'));
  const info = () => place.json('info', 'api');
  await place.vtr(['wait', 'api', '--agent', 'idle']);
  expect((await info()).agent).toMatchObject({ state: 'idle', done: false });
  await place.ok('key', 'api', 'enter');
  await place.vtr(['wait', 'api', '--agent', 'busy']);
  await place.vtr(['send', 'api', '.', '--wait', '--agent', 'idle']);
  const done = { state: 'idle', turn: 1, done: true };
  expect(await info()).toMatchObject({
    agent: done,
    attention: { kind: 'done', evidence: 'codex has ended turn 1' },
  });
  await place.ok('screen', 'api');
  expect(await place.ok('ls', '--agents')).toMatch(/^api +codex +done +\S+$/m);
  expect(await place.ok('ls')).toMatch(/^api +done /m);

  process.kill((await place.json('serve', '--status')).pid, 'SIGKILL');
  const isDone = async () => (await info()).agent?.done;
  await expect.poll(isDone).toBe(true);
  const person = await AttachedTerminal.start(place, ['attach', 'api']);
  // Her terminal says that it has no focus; who presses a key looks.
  await person.sees('Done');
  await person.keys('ctrl+b', 'f');
  await expect.poll(isDone).toBe(false);
  await person.keys('ctrl+b', 'd');
  await person.end();
  expect((await info()).agent).toMatchObject({ state: 'idle', done: false });
});

it('lists are sorted by need, and count what sessions of a directory or label need', async () => {
  const place = new Place();
  for (const name of ['idle', 'asks']) {
    const label = `team=${name}s`;
    await place.ok('spawn', name, '--label', label, '--', process.execPath, agentNamed('codex'));
    await place.vtr(['wait', name, '--agent', 'idle']);
  }
  await place.ok('spawn', 'shell', '--wait', '--prompt', '--', 'bash', '--norc');
  await place.vtr(['send', 'asks', '?', '--wait', '--agent', 'asks']);
  const names = async (...flags: string[]) =>
    (await place.ok('ls', '--names', ...flags)).split('\n');
  expect(await names()).toEqual(['idle', 'asks', 'shell', '']);
  expect(await names('--sort', 'need')).toEqual(['asks', 'idle', 'shell', '']);
  const order = (await place.ok('ls')).split('\n').map((line) => line.split(' ')[0]);
  expect(order).toEqual(['SESSION', 'asks', 'idle', 'shell', '']);
  expect(await place.ok('ls', '--by', 'dir')).toMatch(/^\S+ +3 +1 asks, 2 idle$/m);
  const { by, groups } = await place.json('ls', '--by', 'team', '--sort', 'age');
  expect(by).toBe('team');
  expect(groups).toEqual([
    { value: 'idles', counts: { idle: 1 }, sessions: ['idle'] },
    { value: 'askss', counts: { asks: 1 }, sessions: ['asks'] },
    { value: null, counts: { idle: 1 }, sessions: ['shell'] },
  ]);
});

it('a label makes an agent of a program that sets no modes, also later, and not of a shell at its prompt', async () => {
  const place = new Place();
  const program = [process.execPath, agentNamed('helper'), 'plain'];
  await place.ok('spawn', 'known', '--label', 'agent=codex', '--', ...program);
  const idle = async (name: string) => (await place.vtr(['wait', name, '--agent', 'idle'])).status;
  expect(await idle('known')).toBe(0);
  await place.ok('spawn', 'late', '--', ...program);
  await place.ok('wait', 'late', '--screen', '❯');
  expect((await place.json('info', 'late')).agent).toBeNull();
  await place.ok('label', 'late', 'agent=claude');
  expect(await idle('late')).toBe(0);
  expect((await place.json('info', 'late')).agent).toMatchObject({ kind: 'claude', state: 'idle' });

  const works = [process.execPath, agentNamed('helper'), 'spin', '10'];
  await place.ok('spawn', 'works', '--label', 'agent=codex', '--', ...works);
  await place.vtr(['wait', 'works', '--agent', 'busy']);
  await place.ok('label', 'works', 'agent=');
  await expect.poll(async () => (await place.json('info', 'works')).agent).toBeNull();
});

it('an agent that is killed in a shell without marks is none, though its screen is still there', async () => {
  const place = new Place();
  await place.ok('spawn', 'shell', '--no-shell-integration', '--', 'sh');
  const line = `${process.execPath} ${agentNamed('claude')}`;
  await place.vtr(['send', 'shell', line, '--enter', '--wait', '--agent', 'idle']);
  const { pid } = (await place.json('info', 'shell')).activity.evidence.foreground;
  process.kill(pid, 'SIGKILL');
  const agent = async () => {
    await place.ok('key', 'shell', 'enter');
    return (await place.json('info', 'shell')).agent;
  };
  await expect.poll(agent).toBeNull();
});

it('states that do not exist are refused', async () => {
  const { status, stderr } = await new Place().vtr(['wait', 'x', '--agent', 'sleeping']);
  expect(status).toBe(2);
  expect(stderr).toContain('idle, asks, busy, unknown');
});
