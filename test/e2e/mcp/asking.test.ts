import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { McpHost } from '../../support/mcp/mcp-client.ts';
import { needs, provided } from '../../support/run/needs.ts';

/** The tests share its daemon. */
const place = Place.forAll();

const onLinux = provided(
  process.platform === 'linux',
  'only on Linux: other systems do not report which program reads a terminal',
);
const needsPython = needs('python3');

async function bash(): Promise<readonly [McpHost, string]> {
  const host = await McpHost.start(place, { flags: ['--answers', 'full'] });
  return [host, await host.shell({ program: 'bash' })];
}

describe('input that is sent with a time only', () => {
  needs('bash')('waits for the last command if it is sent at the prompt of a shell', async () => {
    const [host, session_id] = await bash();
    await host.call('wait', { session_id, wait_for_prompt: true });
    const read = { view: 'new', timeout_ms: 20_000 };
    const text = 'echo a\nsleep 0.5\necho b; false\n';
    const { read_result } = await host.call('send', { session_id, text, read });
    expect(read_result).toMatchObject({ outcome: 'finished', command_exit_code: 1 });
    expect(read_result.content).toMatch(/^b$/m);
  });
});

describe('a menu', () => {
  needs('bash')('is in the answers that show what a session asks, without a wait', async () => {
    const host = await McpHost.start(place);
    const args = ['-c', 'PS3="Which? "; select x in one two; do break; done; sleep 60'];
    const session_id = await host.shell({ program: 'bash', args });
    const answer = await host.call('wait', { session_id, wait_for_prompt: true });
    const menu = { title: 'Which?', options: ['1) one', '2) two'] };
    expect(answer.menu).toMatchObject(menu);
    expect((await host.call('read', { session_id })).menu).toMatchObject(menu);
    expect((await host.call('get_info', { session_id })).menu).toMatchObject(menu);
    const { sessions } = await host.call('list_sessions', {});
    const row = sessions.find((each: { session_id: string }) => each.session_id === session_id);
    expect(row.menu).toMatchObject(menu);
    // What is new on the screen has no more to say about it.
    expect(await host.call('read', { session_id, view: 'new' })).not.toHaveProperty('menu');
    await host.call('send', { session_id, text: '1\n', read: { timeout_ms: 100 } });
    expect(await host.call('get_info', { session_id })).not.toHaveProperty('menu');
  });
});

describe('a command that needs input', () => {
  onLinux('ends terminal__run, and goes on with the answer', async () => {
    const [host, session_id] = await bash();
    const line = 'read -p "Continue? " answer; echo "got $answer"';
    expect(await host.call('run', { session_id, line })).toMatchObject({
      outcome: 'awaiting_input',
      state: 'awaiting_input',
      content: 'Continue? ',
      exit_code: null,
    });
    const read = { view: 'new', wait_for_command: true };
    const { read_result } = await host.call('send', { session_id, text: 'yes\n', read });
    expect(read_result).toMatchObject({
      outcome: 'finished',
      // The prompt may appear at any time.
      content: expect.stringMatching(/^yes\ngot yes(\n|$)/),
    });
  });

  needsPython(
    '[S1.18] is at the prompt that the caller names, also if it only looks for input now and then',
    async () => {
      const env = { VTR_PROMPT_PATTERN: '^ready> $' };
      const host = await McpHost.start(place, { flags: ['--answers', 'full'], env });
      const loop = [
        'import select, sys, time',
        'print("ready> ", end="", flush=True)',
        'while True:',
        '    if not select.select([sys.stdin], [], [], 0)[0]: time.sleep(0.1); continue',
        '    print("got", sys.stdin.readline().strip())',
        '    print("ready> ", end="", flush=True)',
      ];
      const args = ['-c', loop.join('\n')];
      const request = { program: 'python3', args, wait_ready: false };
      const { session_id } = await host.call('create_session', request);
      const read = { view: 'new', wait_for_prompt: true };
      expect(await host.call('read', { session_id, ...read })).toMatchObject({ outcome: 'prompt' });
      const { read_result } = await host.call('send', { session_id, text: 'a line\n', read });
      expect(read_result).toMatchObject({ outcome: 'prompt' });
      expect(read_result.content).toMatch(/got a line\nready> $/);
      const line = { session_id, line: 'another', prompt_pattern: '^ready> $' };
      expect(await host.call('run', line)).toMatchObject({
        outcome: 'prompt',
        content: 'got another',
      });
    },
  );

  onLinux('says that it asks for a password', async () => {
    const [host, session_id] = await bash();
    const line = 'read -s -p "Password: " word; echo; [ "$word" = secret ] && echo right';
    const answer = await host.call('run', { session_id, line });
    expect(answer).toMatchObject({ outcome: 'password', content: 'Password: ' });
    const read = { view: 'new', wait_for_prompt: true };
    const { read_result } = await host.call('send', { session_id, text: 'secret\n', read });
    expect(read_result.content).toMatch(/^right\n.*[$#] $/);
  });

  onLinux('is not one that works in silence, nor one whose output has come', async () => {
    const [host, session_id] = await bash();
    const working = await host.call('run', { session_id, line: 'sleep 1.5; echo done' });
    expect(working).toMatchObject({ outcome: 'finished', exit_code: 0, content: 'done' });
    const late = await host.call('run', { session_id, line: 'sleep 100', timeout_ms: 1_500 });
    expect(late).toMatchObject({ outcome: 'timed_out', state: 'running' });
  });

  onLinux('may be a nested shell, or the shell itself at a line without its end', async () => {
    const [host, session_id] = await bash();
    const wait = { view: 'new', wait_for_prompt: true };
    const send = (text: string) => host.call('send', { session_id, text, read: wait });
    expect(await host.call('run', { session_id, line: 'PS1="$ " sh' })).toMatchObject({
      outcome: 'awaiting_input',
      content: '$ ',
    });
    const nested = await send('echo nested\n');
    expect(nested.read_result).toMatchObject({ outcome: 'prompt', prompt_detected: true });
    expect(nested.read_result.content).toBe('echo nested\nnested\n$ ');
    expect((await send('exit\n')).read_result.outcome).toBe('prompt');
    expect((await send('echo no end')).read_result.outcome).toBe('awaiting_input');
  });

  onLinux('may be the shell, for the rest of a line', async () => {
    const [host, session_id] = await bash();
    const begun = await host.call('run', { session_id, line: 'echo "one' });
    expect(begun).toMatchObject({
      outcome: 'awaiting_input',
      state: 'awaiting_input',
      content: '',
    });
    const refused = await host.failure('run', { session_id, line: 'ls', timeout_ms: 1 });
    expect(refused).toContain('the rest of a command');
    const read = { view: 'new', wait_for_command: true };
    const { read_result } = await host.call('send', { session_id, text: 'two"\n', read });
    // The prompt follows the end of the command, and may not have been read.
    expect(read_result.content).toMatch(/two"\none\ntwo(?:\n|$)/);
    expect(await host.call('run', { session_id, line: 'echo on' })).toMatchObject({
      content: 'on',
    });
  });

  for (const [what, program, begin] of [
    ['a shell', 'bash', 'echo "one\n'],
    ['SQLite', 'sqlite3', 'select\n'],
    ['gdb', 'gdb -q -nx', 'define f\n'],
  ] as const) {
    const [name = ''] = program.split(' ');
    const using = process.platform === 'linux' ? needs(name) : onLinux;
    using(`is no prompt for the rest of a command of ${what}`, async () => {
      const [host, session_id] = await bash();
      const wait = { wait_for_prompt: true, view: 'new' };
      if (name !== 'bash')
        await host.call('send', { session_id, text: `${program}\n`, read: wait });
      const { read_result } = await host.call('send', { session_id, text: begin, read: wait });
      const asks = { state: 'awaiting_input', prompt_detected: false };
      expect(read_result).toMatchObject({ outcome: 'awaiting_input', ...asks });
      expect(await host.call('read', { session_id })).toMatchObject(asks);
      const idle = await host.call('read', { session_id, wait_idle_ms: 1 });
      expect(idle).toMatchObject({ outcome: 'idle', ...asks });
    });
  }

  needsPython('ends a wait for a prompt, which a REPL has', async () => {
    const [host, session_id] = await bash();
    const read = { view: 'new', wait_for_prompt: true };
    const send = { session_id, text: 'python3 -q\n', read };
    const { read_result } = await host.call('send', send);
    expect(read_result).toMatchObject({ outcome: 'prompt', prompt_detected: true });
    expect(read_result.content).toMatch(/>>> $/);
  });
});

onLinux('a shell is ready when it asks, whatever its prompt looks like', async () => {
  const host = await McpHost.start(new Place(), { env: { PS1: 'what now, ' } });
  expect(await host.call('create_session', { program: 'sh' })).toMatchObject({ ready: true });
});

describe('terminal__run', () => {
  it('returns the current directory, and the next read does not repeat its output', async () => {
    const [host, session_id] = await bash();
    const ran = await host.call('run', { session_id, line: 'cd /usr && pwd' });
    expect(ran).toMatchObject({ content: '/usr', cwd: '/usr' });
    const read = { view: 'new', wait_for_prompt: true };
    const { read_result } = await host.call('send', { session_id, text: 'echo next\n', read });
    expect(read_result.content).not.toContain('pwd');
    expect(read_result.content).toMatch(/echo next\nnext\n/);
  });

  it('returns the exit status of a shell without integration when it exits', async () => {
    const host = await McpHost.start(place);
    const session_id = await host.shell();
    const ran = await host.call('run', { session_id, line: 'exit 3' });
    expect(ran).toMatchObject({ outcome: 'exited', exit_code: 3 });
  });
});
