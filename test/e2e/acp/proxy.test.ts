import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ignored } from '#base';
import { JsonCoordinator } from '#wire/service/short';
import { AcpEditor, type Step } from '../../support/acp/acp-editor.ts';
import { exitOf } from '../../support/command/running-daemon.ts';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { isAlive } from '../../support/pty/process-facts.ts';

/** The tests share its daemon. */
const place = Place.forAll();

/** Resolves when the stream has written the text. */
async function written(stream: Readable, text: string): Promise<void> {
  let all = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    all += String(chunk);
    if (all.includes(text)) return;
  }
  throw new Error(`the stream ended before ${JSON.stringify(text)}: ${all}`);
}

const create = (line: string, more: object = {}): Step => ({
  request: 'terminal/create',
  params: { command: 'sh', args: ['-c', line], ...more },
});
const of = (method: string, step = 0): Step => ({
  request: `terminal/${method}`,
  params: { terminalId: `$${step}.terminalId` },
});
const update = (fields: object): Step => ({
  notify: 'session/update',
  params: { update: { sessionUpdate: 'tool_call_update', toolCallId: 'call-1', ...fields } },
});
const show = (fields: object = {}): Step =>
  update({
    sessionUpdate: 'tool_call',
    title: 'Running',
    content: [
      { type: 'content', content: { type: 'text', text: 'before' } },
      { type: 'terminal', terminalId: '$0.terminalId' },
    ],
    ...fields,
  });

describe('vtr acp', () => {
  it('gives terminals to an agent whose editor has none', async () => {
    const editor = await AcpEditor.start(place);
    expect(editor.agentMeta.initialize.clientCapabilities).toMatchObject({ terminal: true });
    const [created, exit, output, released, gone] = await editor.prompt(
      create('echo one; echo two >&2; exit 3'),
      of('wait_for_exit'),
      of('output'),
      of('release'),
      of('output'),
    );
    expect(created.terminalId).toMatch(/^term_[a-z0-9]{8}$/);
    expect(exit).toMatchObject({ exitCode: 3, signal: null });
    expect(output).toMatchObject({ output: 'one\ntwo\n', truncated: false });
    expect(released).toEqual({});
    expect(gone.error).toMatchObject({ code: -32002 });
    expect(editor.requests).toEqual([]);
    // A person can still read it.
    expect((await place.vtr(['read', created.terminalId])).stdout).toContain('one\ntwo');
  });

  it('runs commands in the directory of their conversation by default', async () => {
    const editor = await AcpEditor.start(place, { flags: [] });
    const { sessionId } = await editor.ask('session/new', { cwd: '/', mcpServers: [] });
    const [, , output] = await editor.prompt(create('pwd'), of('wait_for_exit'), of('output'));
    expect(output.output).toBe(`${place.directory}\n`);
    const elsewhere = create('pwd', { sessionId });
    const theirs = (method: string) => {
      const step = of(method);
      return { ...step, params: { ...step.params, sessionId } };
    };
    const answers = await editor.prompt(elsewhere, theirs('wait_for_exit'), theirs('output'));
    expect(answers.at(-1).output).toBe('/\n');
  });

  it('leaves terminals to an editor that has them, with --passthrough', async () => {
    const editor = await AcpEditor.start(place, {
      flags: ['--passthrough'],
      capabilities: { terminal: true },
    });
    const [created] = await editor.prompt(create('true'), show());
    expect(created).toEqual({ terminalId: 'of-the-editor' });
    expect(editor.requests).toMatchObject([{ method: 'terminal/create' }]);
    const [shown] = editor.updates;
    expect(shown.content[1]).toEqual({ type: 'terminal', terminalId: 'of-the-editor' });
  });

  it('audits commands', async () => {
    const audit = join(place.directory, 'audit.jsonl');
    const editor = await AcpEditor.start(place, { flags: ['--audit', audit] });
    await editor.prompt(create('exit 4'), of('wait_for_exit'), of('release'));
    const [start, exit] = readFileSync(audit, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(start).toMatchObject({ event: 'start', command: 'sh', args: ['-c', 'exit 4'] });
    expect(exit).toMatchObject({ event: 'exit', exit: { code: 4, signal: null } });
    expect(statSync(audit).mode & 0o777).toBe(0o600);
  });

  it('applies the configured limits', async () => {
    const flags = ['--max-terminals', '1', '--output-limit', '4', '--max-run', '300ms'];
    const editor = await AcpEditor.start(place, { flags });
    const [, refused, exit, output] = await editor.prompt(
      create('echo 123456; exec sleep 1000'),
      create('true'),
      of('wait_for_exit'),
      of('output'),
    );
    expect(refused.error.message).toContain('1 terminals are open, the limit is 1');
    expect(exit._meta.vtr.endedBy.reason).toBe('run_time');
    expect(output).toMatchObject({ output: '456\n', truncated: true });
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'goes on after its daemon has ended by %s',
    async (signal) => {
      const place = new Place();
      const editor = await AcpEditor.start(place);
      const [created] = await editor.prompt(create('exec sleep 1000'));
      const { pid } = await place.json('info', created.terminalId);
      onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')));
      process.kill((await new JsonCoordinator(place.socket).daemon()).pid, signal);
      const terminalId = { terminalId: created.terminalId };
      // A terminated daemon ends it; with a killed one it runs on.
      const isKilled = signal === 'SIGKILL';
      const request = isKilled ? 'terminal/output' : 'terminal/wait_for_exit';
      const [answer] = await editor.prompt({ request, params: terminalId });
      expect(answer).toMatchObject(isKilled ? { output: '' } : { signal: 'SIGHUP' });
      expect(isAlive(pid)).toBe(isKilled);
      await expect
        .poll(async () => {
          const [, , output] = await editor.prompt(
            create('echo again'),
            of('wait_for_exit'),
            of('output'),
          );
          return output.output;
        })
        .toBe('again\n');
    },
  );

  it('keeps its sessions in its own process, with --embedded', async () => {
    const editor = await AcpEditor.start(place, { flags: ['--embedded'] });
    const [created] = await editor.prompt(create('echo here; exec sleep 1000'));
    const socket = join(place.directory, `acp-${editor.child.pid}.sock`);
    const there = await place.json('info', created.terminalId, '--coordinator', socket);
    editor.child.stdin?.end();
    expect(await editor.exit()).toBe(0);
    expect(isAlive(there.pid)).toBe(false);
  });
});

describe('a terminal in a tool call', () => {
  const textOf = (shown: { content?: { content?: { text: string } }[] }): string =>
    shown.content?.at(-1)?.content?.text ?? '';

  it('[S2.08] is text for the editor while it grows, and after its end and release', async () => {
    const editor = await AcpEditor.start(place);
    const [created] = await editor.prompt(
      create('echo begun; read -r line; echo "got $line"; exit 4'),
      show({ status: 'in_progress' }),
    );
    const name = created.terminalId;
    const begun = await editor.seesUpdate((each) => textOf(each).includes('begun'));
    expect(textOf(begun)).toContain(`running · \`vtr attach ${name}\``);
    const [first] = editor.updates;
    expect(first).toMatchObject({
      sessionUpdate: 'tool_call',
      status: 'in_progress',
      title: 'Running',
      content: [{ content: { text: 'before' } }, { type: 'content' }],
    });
    // If a person types, the editor shows the result.
    await place.ok('send', name, 'a word\n');
    const ended = await editor.seesUpdate((each) => textOf(each).includes('exited 4'));
    expect(textOf(ended)).toMatch(/begun\na word\ngot a word\n```\nexited 4/);
    expect(ended).toMatchObject({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'call-1',
      content: [{ content: { text: 'before' } }, { type: 'content' }],
    });
    const content = [{ type: 'terminal', terminalId: name }];
    await editor.prompt(
      { request: 'terminal/release', params: { terminalId: name } },
      update({ status: 'completed', content }),
    );
    expect(textOf(editor.updates.at(-1))).toBe(textOf(ended));
    expect(JSON.stringify(editor.updates)).not.toContain('"terminal"');
  });

  it('is also text in a permission request', async () => {
    const editor = await AcpEditor.start(place);
    await editor.prompt(create('echo asked'), of('wait_for_exit'), {
      request: 'session/request_permission',
      params: {
        toolCall: { toolCallId: 'c', content: [{ type: 'terminal', terminalId: '$0.terminalId' }] },
        options: [],
      },
    });
    const [request] = editor.requests;
    expect(textOf(request?.params.toolCall)).toContain('asked\n```\nexited 0');
  });

  it('stays unchanged if it is unknown', async () => {
    const editor = await AcpEditor.start(place);
    const content = [{ type: 'terminal', terminalId: 'another' }];
    await editor.prompt(update({ content }));
    expect(editor.updates).toMatchObject([{ content }]);
  });
});

describe('--mcp', () => {
  it('gives the agent a server with the same sessions', async () => {
    const editor = await AcpEditor.start(place, { flags: ['--mcp'] });
    const [created] = await editor.prompt(create('exec sleep 1000'));
    const [{ name, command, args, env }] = editor.conversation._meta.new.mcpServers;
    expect(name).toBe('vtr');
    const client = new Client({ name: 'agent', version: '1' });
    onTestFinished(() => client.close());
    const variables = env.map((each: { name: string; value: string }) => [each.name, each.value]);
    await client.connect(
      new StdioClientTransport({ command, args, env: Object.fromEntries(variables) }),
    );
    const { structuredContent } = await client.callTool({
      name: 'terminal__list_sessions',
      arguments: {},
    });
    expect(JSON.stringify(structuredContent)).toContain(created.terminalId);
  });
});

describe('an agent that shows terminals of its own', () => {
  const info = { terminal_info: { terminal_id: 'toolu_01', cwd: '/work' } };
  const output = (data: string) => ({ terminal_output: { terminal_id: 'toolu_01', data } });
  const exit = { terminal_exit: { terminal_id: 'toolu_01', exit_code: 2, signal: null } };
  const begin = update({ sessionUpdate: 'tool_call', title: 'make', _meta: info });
  /** The proxy does not wait for it: a daemon may have to start first. */
  const appears = (place: Place) =>
    expect.poll(async () => (await place.vtr(['info', 'toolu_01'])).status).toBe(0);

  it('publishes read-only sessions, and the frames pass on', async () => {
    const editor = await AcpEditor.start(place);
    await editor.prompt(begin, update({ _meta: output('one\ntwo\n') }));
    await appears(place);
    await place.sees('toolu_01', 'two');
    const text = await place.ok('info', 'toolu_01');
    expect(text).toMatch(/fed by +node, through vtr acp; read-only/);
    expect(text).toMatch(/program +make\n/);
    expect(text).toMatch(/cwd +\/work\n/);
    const refused = await place.vtr(['send', 'toolu_01', 'x']);
    expect(refused).toMatchObject({ status: 6, stderr: expect.stringContaining('is read-only') });
    await editor.prompt(update({ _meta: output('three\n') }), update({ _meta: exit }));
    expect((await place.vtr(['wait', 'toolu_01'])).status).toBeLessThan(10);
    await place.sees('toolu_01', 'three');
    expect(await place.json('info', 'toolu_01')).toMatchObject({ status: 'exited', exit_code: 2 });
    expect(editor.updates.map(({ _meta }) => _meta)).toEqual([
      info,
      output('one\ntwo\n'),
      output('three\n'),
      exit,
    ]);
  });

  it('leaves them hung up when it is gone', async () => {
    const editor = await AcpEditor.start(place);
    await editor.prompt(begin, update({ _meta: output('half') }));
    await appears(place);
    await place.sees('toolu_01', 'half');
    editor.child.kill('SIGKILL');
    await editor.exit();
    await place.vtr(['wait', 'toolu_01']);
    expect(await place.json('info', 'toolu_01')).toMatchObject({ signal: 'SIGHUP' });
  });
});

describe('the end', () => {
  /** The processes of a terminal, and a program that the agent started. */
  async function started(agentArgs: readonly string[] = []) {
    const editor = await AcpEditor.start(place, { agentArgs: ['0', '--with-child', ...agentArgs] });
    const [created] = await editor.prompt(create('echo ready; exec sleep 1000'));
    const { pid } = await place.json('info', created.terminalId);
    const [agent, child] = [await editor.pidOf('agent'), await editor.pidOf('child')];
    const proxy = editor.child.pid ?? 0;
    return { place, editor, name: created.terminalId, pids: { pid, agent, child, proxy } };
  }

  const areGone = (pids: Readonly<Record<string, number>>) =>
    expect.poll(() => Object.entries(pids).filter(([, pid]) => isAlive(pid))).toEqual([]);

  it.each(['stdin', 'stdin and stdout'])('of the editor: %s closed', async (what) => {
    const { editor, pids, place, name } = await started(['7']);
    editor.child.stdin?.destroy();
    if (what !== 'stdin') editor.child.stdout?.destroy();
    expect(await editor.exit()).toBe(0);
    await areGone(pids);
    // Published output is still readable.
    expect((await place.vtr(['read', name])).stdout).toContain('ready');
  });

  it('of the agent returns its status', async () => {
    const { editor, pids } = await started();
    ignored(editor.prompt({ leave: 5 }), 'the agent exits');
    expect(await editor.exit()).toBe(5);
    await areGone(pids);
  });

  it('of the agent by a signal returns 128 plus its number', async () => {
    const { editor, pids } = await started();
    process.kill(pids.agent, 'SIGKILL');
    expect(await editor.exit()).toBe(137);
    await areGone(pids);
  });

  it('of the proxy by SIGKILL ends the agent, by the end of its input, and the terminals', async () => {
    const { editor, pids } = await started();
    const { child, ...others } = pids;
    editor.child.kill('SIGKILL');
    await editor.exit();
    // The agent's own descendants are then its own to end.
    await areGone(others);
    process.kill(child, 'SIGKILL');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s ends all', async (signal) => {
    const { editor, pids } = await started();
    editor.child.kill(signal);
    await editor.exit();
    await areGone(pids);
  });

  it('by a signal does not wait for an editor that does not read', async () => {
    const line = `{"method":"_flood","params":"${'x'.repeat(1000)}"}`;
    const child = spawn(process.execPath, [vtrFile, 'acp', '--', 'yes', line], { env: place.env });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'readable');
    child.kill('SIGTERM');
    expect(await exitOf(child)).toBe(143);
  });

  it('passes all output of the agent to a slow editor', async () => {
    const line = `{"method":"_flood","params":"${'x'.repeat(1000)}"}`;
    // The agent exits once the writer has left its process group. The output, less than the limit
    // after an exit, waits for the editor.
    const writer = `setsid sh -c 'echo > "$1"; yes "$0" | head -n 400' '${line}' "$0"`;
    const ready = join(place.directory, 'ready');
    const agent = ['sh', '-c', `mkfifo "$0"; ${writer} & read -r _ < "$0"`, ready];
    const args = [vtrFile, 'acp', '--log-level', 'info', '--', ...agent];
    const child = spawn(process.execPath, args, { env: place.env });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin.end();
    await written(child.stderr, 'waiting for the editor to read');
    let bytes = 0;
    for await (const chunk of child.stdout) {
      bytes += (chunk as Buffer).length;
      // The pace of the editor, not a wait: part of the output must be unread when all is written.
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect(bytes).toBe(400 * (line.length + 1));
  });

  it('does not wait for a process that the agent left behind and that keeps writing', async () => {
    const line = `{"method":"_flood","params":"${'x'.repeat(1000)}"}`;
    const agent = ['sh', '-c', `setsid yes '${line}' & sleep 0.3; exit 7`];
    const child = spawn(process.execPath, [vtrFile, 'acp', '--', ...agent], { env: place.env });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdout.resume();
    expect(await exitOf(child)).toBe(7);
  });

  it('of an agent that does not exit is SIGTERM', async () => {
    const { editor, pids } = await started(['--stay']);
    editor.child.stdin?.end();
    expect(await editor.exit()).toBe(143);
    await areGone(pids);
  });
});

describe('refuses', () => {
  it.each([
    ['no-such-agent', 8, /"no-such-agent" was not found/],
    ['./text', 8, /"\.\/text" is not executable/],
  ])('the agent %s', async (agent, status, says) => {
    const file = join(place.directory, 'text');
    writeFileSync(file, 'no program');
    chmodSync(file, 0o600);
    expect(await place.vtr(['acp', '--', agent])).toEqual({
      status,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(says),
    });
  });

  it('an audit file that others may read', async () => {
    const audit = join(place.directory, 'open.jsonl');
    writeFileSync(audit, '', { mode: 0o644 });
    chmodSync(audit, 0o644);
    const run = await place.vtr(['acp', '--audit', audit, '--', 'cat']);
    expect(run).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('chmod 600'),
    });
  });

  it('no agent', async () => {
    const { status, stderr } = await place.vtr(['acp']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('AGENT')]);
  });
});
