import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { hasProc, isAlive } from '../../support/pty/process-facts.ts';
import { testProgram } from '../../support/pty/pty-request.ts';
import { needs, provided } from '../../support/run/needs.ts';

const withProc = provided(hasProc, 'only on Linux: kills a process by its id');

/** A user with an agent of a kind of its own, which has files of its conversations. */
class AgentUser {
  readonly place = new Place();
  readonly program = join(this.place.directory, 'toy.mjs');
  readonly files = join(this.place.directory, 'talks');
  readonly project = join(this.place.directory, 'project');

  constructor() {
    copyFileSync(testProgram('coding-agent.mjs'), this.program);
    for (const path of [this.files, this.project]) mkdirSync(path);
    const kinds = join(this.place.directory, 'config/vtr/agents');
    mkdirSync(kinds, { recursive: true });
    const kind = [
      'executables = ["toy", "toy.mjs"]',
      '[resume]',
      'command = ["toy", "--resume", "{id}"]',
      'fork = ["toy", "--resume", "{id}", "--fork"]',
      'options = ["--model VALUE"]',
      `files = "${this.files}/*.jsonl"`,
    ];
    writeFileSync(join(kinds, 'toy.toml'), kind.join('\n'));
  }

  async start(name: string, ...args: readonly string[]): Promise<void> {
    const how = ['--cwd', this.project, '--env', `AGENT_FILES=${this.files}`, '--label', 'team=x'];
    const command = [process.execPath, this.program, ...args];
    await this.place.ok('spawn', name, ...how, '--', ...command);
    await this.run('wait', name, '--agent', 'idle');
  }

  /** Runs a command that may tell something on stderr. */
  async run(...words: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.place.result(words);
    expect({ status, words, stderr }).toEqual({ status: 0, words, stderr });
    return stdout;
  }

  /** Gives an agent a prompt, so that it has a conversation. */
  async prompt(name: string): Promise<void> {
    await this.run('send', name, '\r', '--wait', '--agent', 'busy');
    await this.run('send', name, '.', '--wait', '--agent', 'idle');
  }

  get conversations(): readonly string[] {
    return readdirSync(this.files).map((name) => name.replace('.jsonl', ''));
  }

  /** Kills the PTY host and the daemon, when the agents of sessions are saved on disk. */
  async kill(...saved: readonly string[]): Promise<void> {
    await expect.poll(() => saved.every((text) => isSaved(this.place, text))).toBe(true);
    const { pid, host_pid: host } = await this.place.json('serve', '--status');
    for (const each of [host, pid]) process.kill(each, 'SIGKILL');
    await expect.poll(() => [host, pid].some(isAlive)).toBe(false);
  }

  async words(name: string): Promise<readonly string[]> {
    return (await this.place.json('info', name)).args.slice(1);
  }
}

/** Whether a file of saved sessions has a text. */
const isSaved = ({ state }: Place, text: string): boolean =>
  readdirSync(join(state, 'vtr'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
    .some(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1').includes(text));

describe('when the PTY host is lost', () => {
  withProc('agents go on with their conversations, other programs are started', async () => {
    const user = new AgentUser();
    const { place } = user;
    // First, so that its end is saved long before the kill.
    await place.ok('spawn', 'done', '--', 'true');
    await place.result(['wait', 'done', '--exit']);
    await user.start('api', '--model', 'big', 'fix the bug');
    await user.prompt('api');
    await place.ok('spawn', 'web', '--size', '70x12', '--', 'cat');
    await user.kill('"worked":true', '"name":"web"', '"exitedAtMs":1');
    const [conversation = ''] = user.conversations;
    const { sessions } = await place.json('revive', '--all', '--env', `AGENT_FILES=${user.files}`);
    const resumed = { agent: 'toy', conversation, left_out: [], line: null };
    expect(sessions).toMatchObject([
      { name: 'done', result: 'kept', reason: expect.stringContaining('ended by itself') },
      { name: 'api', result: 'revived', reason: null, resumed },
      { name: 'web', result: 'revived', resumed: null },
    ]);
    expect(await user.words('api')).toEqual(['--resume', conversation, '--model', 'big']);
    const api = await place.json('info', 'api');
    expect(api).toMatchObject({ cwd: user.project, labels: { team: 'x' }, status: 'running' });
    expect(await place.json('info', 'web')).toMatchObject({ cols: 70, rows: 12 });
    // Once more: all run, and nothing is started twice.
    const again = await place.json('revive', '--all');
    expect(again.sessions.map((each: { result: string }) => each.result)).toEqual([
      'kept',
      'kept',
      'kept',
    ]);
  });

  withProc('the daemon starts agents at its start, if it is told to', async () => {
    const user = new AgentUser();
    const { place } = user;
    writeFileSync(join(place.directory, 'config/vtr/server.toml'), 'revive_at_start = "agents"\n');
    await user.start('api');
    await user.prompt('api');
    await place.ok('spawn', 'web', '--', 'cat');
    await user.kill('"worked":true', '"name":"web"');
    const [conversation = ''] = user.conversations;
    await expect.poll(async () => (await place.json('info', 'api')).status).toBe('running');
    expect(await user.words('api')).toEqual(['--resume', conversation]);
    expect(await place.json('info', 'web')).toMatchObject({ status: 'exited' });
  });

  withProc('an agent of which it is not certain is refused, with its conversations', async () => {
    const user = new AgentUser();
    const { place } = user;
    await user.start('one');
    await user.start('two');
    await user.prompt('one');
    await user.prompt('two');
    await user.kill('"name":"one"', '"name":"two"');
    const first = await place.result(['revive', 'one']);
    expect(first.status).toBe(6);
    for (const id of user.conversations) expect(first.stderr).toContain(id);
    const [id = ''] = user.conversations;
    await user.run('revive', 'one', '--conversation', id);
    const taken = await place.result(['revive', 'two', '--conversation', id]);
    expect(taken).toMatchObject({
      status: 5,
      stderr: `vtr: session two: conversation ${id} is open in one\n`,
    });
    const other = await user.run('revive', 'two', '--conversation', 'none', '--json');
    expect(JSON.parse(other).resumed).toMatchObject({ conversation: null });
    expect(await user.words('two')).toEqual([]);
  });

  needs('bash')('an agent that ran in a shell is started there', async () => {
    const user = new AgentUser();
    const { place } = user;
    const shell = ['--cwd', user.project, '--wait', '--prompt', '--', 'bash', '--norc'];
    await user.run('spawn', 'shell', ...shell);
    const line = `AGENT_FILES=${user.files} ${process.execPath} ${user.program} 'fix the bug'`;
    await user.run('send', 'shell', line, '--enter', '--wait', '--agent', 'idle');
    await user.prompt('shell');
    await place.ok('kill', 'shell', '--signal', 'KILL');
    await place.result(['wait', 'shell', '--exit']);
    await user.run('revive', 'shell', '--wait', '--agent', 'idle');
    await place.sees('shell', `--resume ${user.conversations[0]}`);
  });
});

it('an agent is restarted with its conversation, and forked', async () => {
  const user = new AgentUser();
  const { place } = user;
  await user.start('api', '--unknown', 'value', 'fix the bug');
  await user.prompt('api');
  const before = await place.json('info', 'api');
  const [conversation = ''] = user.conversations;
  const forked = await user.run('fork', 'api', 'copy', '--json');
  expect(JSON.parse(forked)).toMatchObject({ name: 'copy', resumed: { conversation } });
  expect(await user.words('copy')).toEqual(['--resume', conversation, '--fork']);
  expect((await place.json('info', 'api')).id).toBe(before.id);

  expect((await place.result(['revive', 'api'])).status).toBe(5);
  const { stdout, stderr } = await place.result(['revive', 'api', '--now']);
  expect({ stdout, stderr }).toEqual({
    stdout: 'api\n',
    stderr: expect.stringContaining('options that are not repeated: --unknown'),
  });
  expect(await user.words('api')).toEqual(['--resume', conversation]);
  expect(isAlive(before.pid)).toBe(false);
});

describe('vtr fork', () => {
  it('refuses a session without an agent', async () => {
    const place = new Place();
    await place.ok('spawn', 'cat', '--', 'cat');
    const { status, stderr } = await place.result(['fork', 'cat']);
    expect(status).toBe(6);
    expect(stderr).toBe('vtr: session cat had no coding agent that vtr knows\n');
  });
});
