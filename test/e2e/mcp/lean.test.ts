import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

const esc = '\\033';

async function bash(): Promise<readonly [McpHost, string]> {
  const host = await McpHost.start(place);
  return [host, await host.shell({ program: 'bash' })];
}

/** Returns what `terminal__run` answers, without the time that the command took: it is told from a second on. */
async function runLine(host: McpHost, session_id: string, line: string) {
  const { duration_ms, ...answer } = await host.call('run', { session_id, line });
  expect(duration_ms ?? 1_000).toBeGreaterThanOrEqual(1_000);
  return answer;
}

const atPrompt = { view: 'new', wait_for_prompt: true };

describe('a lean answer', () => {
  it('to a new session names the program that was not asked for', async () => {
    const host = await McpHost.start(place);
    const create = (args: Record<string, unknown>) => host.call('create_session', args);
    expect(await create({ program: 'cat' })).not.toHaveProperty('program');
    expect(await create({})).toHaveProperty('program');
  });

  it('to a line typed at a prompt has its text and the prompt', async () => {
    const [host, session_id] = await bash();
    const type = (text: string) => host.call('send', { session_id, text, read: atPrompt });
    await type('echo one\n');
    const answer = await type('echo two\n');
    expect(answer).toEqual({
      read_result: {
        content: expect.stringMatching(/^echo two\ntwo\n.*[$#] $/),
        prompt_detected: true,
        untrusted: true,
      },
    });
    const { content } = answer.read_result;
    expect(JSON.stringify(answer).length - content.length).toBeLessThanOrEqual(100);
  });

  it('to a key in a full-screen program has the screen and the cursor', async () => {
    const host = await McpHost.start(place);
    const args = ['-c', `printf '${esc}[?1049hmenu\\r\\n'; stty raw; cat`];
    const { session_id } = await host.call('create_session', { program: 'sh', args });
    const read = { view: 'screen', wait_idle_ms: 100 };
    await host.call('read', { session_id, ...read });
    const answer = await host.call('send', { session_id, key: 'x', read });
    expect(answer.read_result).toMatchObject({ cursor: { row: 2 }, untrusted: true });
    const names = Object.keys(answer.read_result).filter((name) => name !== 'state');
    expect(names.sort()).toEqual(['content', 'cursor', 'untrusted']);
  });

  it('has the reason for the end of a wait that did not end as requested', async () => {
    const [host, session_id] = await bash();
    const read = { view: 'new', wait_for: ['never'], timeout_ms: 300 };
    const late = await host.call('send', { session_id, text: 'sleep 100\n', read });
    expect(late.read_result).toMatchObject({ outcome: 'timed_out' });
    for (const name of ['state', 'timeout_ms', 'idle', 'exited', 'exit_code', 'dimensions']) {
      expect(late.read_result).not.toHaveProperty(name);
    }
    expect(await host.call('read', { session_id, view: 'new' })).toEqual({ state: 'running' });
    const ended = { wait_for_prompt: true, timeout_ms: 100_000 };
    const stopped = await host.call('send', { session_id, key: 'ctrl+c', read: ended });
    expect(stopped.read_result).toMatchObject({ prompt_detected: true, timeout_ms: 50_000 });
    const usual = await host.call('wait', { session_id, wait_for_prompt: true, timeout_ms: 0 });
    expect(usual).toMatchObject({ outcome: 'prompt', timeout_ms: 30_000 });
  });

  it('to a command has its exit code, and the directory if it changed', async () => {
    const [host, session_id] = await bash();
    const run = (line: string) => runLine(host, session_id, line);
    expect(await run('echo a; false')).toEqual({ exit_code: 1, content: 'a', untrusted: true });
    expect(await run('cd /usr')).toEqual({ exit_code: 0, cwd: '/usr' });
    expect(await run('true')).toEqual({ exit_code: 0 });
    const slow = await host.call('run', { session_id, line: 'sleep 1.1' });
    expect(slow).toEqual({ exit_code: 0, duration_ms: expect.any(Number) });
  });

  it('has a mark if the client cannot read on without one', async () => {
    const [host, other] = [await McpHost.start(place), await McpHost.start(place)];
    const session_id = await host.shell();
    expect(await host.call('read', { session_id, view: 'new' })).not.toHaveProperty('mark');
    const first = await other.call('read', { session_id, view: 'new' });
    expect(first).toMatchObject({ mark: expect.any(String), dimensions: { rows: 24, cols: 80 } });
    const since = { session_id, view: 'new', since: first.mark };
    expect(await other.call('read', since)).toMatchObject({ mark: first.mark });
    expect(await other.call('read', { session_id, view: 'new' })).not.toHaveProperty('mark');
  });

  it('lists state, command and directory of each session', async () => {
    const [host, session_id] = await bash();
    await host.call('run', { session_id, line: 'cd /usr' });
    const read = { wait_idle_ms: 300 };
    await host.call('send', { session_id, text: 'sleep 100\n', read });
    expect(await host.call('list_sessions')).toEqual({
      sessions: [
        {
          session_id,
          state: 'running',
          seconds: expect.any(Number),
          command: 'sleep 100',
          cwd: '/usr',
        },
      ],
      count: 1,
    });
  });
});

describe('a wait for a command', () => {
  it('returns its exit code', async () => {
    const [host, session_id] = await bash();
    const read = { view: 'new', wait_for_command: true };
    const answer = await host.call('send', { session_id, text: '(exit 7)\n', read });
    expect(answer.read_result).toMatchObject({ command_exit_code: 7 });
    expect(answer.read_result).not.toHaveProperty('outcome');
  });

  it('also counts a command that ended during a wait for something else, once', async () => {
    const [host, session_id] = await bash();
    const read = { view: 'new', wait_for_prompt: true };
    await host.call('send', { session_id, text: '(exit 7)\n', read });
    const wait = () => host.call('wait', { session_id, wait_for_command: true });
    expect(await wait()).toEqual({ outcome: 'finished', command_exit_code: 7 });
    expect(await wait()).toMatchObject({ outcome: 'at_prompt' });
  });

  onLinux('at an idle prompt ends, and reports that there is no command', async () => {
    const [host, session_id] = await bash();
    const waited = await host.call('wait', { session_id, wait_for_command: true });
    expect(waited).toEqual({ outcome: 'at_prompt', note: 'there is no command to wait for' });
  });
});

describe('terminal__run', () => {
  onLinux('returns the question of a program that needs input', async () => {
    const [host, session_id] = await bash();
    const line = 'read -p "Continue? " answer';
    expect(await runLine(host, session_id, line)).toEqual({
      outcome: 'awaiting_input',
      content: 'Continue? ',
      program: 'bash',
      untrusted: true,
    });
  });

  it('reports that a line ran no command', async () => {
    const [host, session_id] = await bash();
    const answer = await runLine(host, session_id, '# nothing');
    const note = 'the line ran no command';
    expect(answer).toEqual({ outcome: 'prompt', status: 'unknown', note });
  });

  needsPython('returns the output of a REPL, whose lines have no exit code', async () => {
    const [host, session_id] = await bash();
    const run = (line: string) => runLine(host, session_id, line);
    expect(await run('python3 -q')).toMatchObject({ outcome: 'awaiting_input' });
    expect(await run('6 * 7')).toEqual({
      outcome: 'prompt',
      status: 'unknown',
      program: 'python3',
      content: '42',
      untrusted: true,
    });
  });

  onLinux('has no directory of a shell behind a program such as ssh', async () => {
    const host = await McpHost.start(place);
    const session_id = await host.shell();
    const remote = join(place.directory, 'ssh');
    symlinkSync('/bin/sh', remote);
    const read = { wait_idle_ms: 300 };
    await host.call('send', { session_id, text: `cd /usr; ${remote}\n`, read });
    const line = { session_id, line: 'cd /tmp; echo there' };
    const ran = await host.call('run', line);
    expect(ran).toMatchObject({ content: expect.stringContaining('there') });
    expect(ran).not.toHaveProperty('cwd');
  });

  it('recognizes a prompt by a pattern of the call', async () => {
    const host = await McpHost.start(new Place(), { env: { PS1: 'go% ' } });
    const session_id = await host.shell();
    const line = { session_id, line: 'echo x', prompt_pattern: 'go% $' };
    expect(await host.call('run', line)).toMatchObject({ outcome: 'prompt', content: 'x' });
  });
});

describe('terminal__send', () => {
  it('presses several keys in order, after the text', async () => {
    const host = await McpHost.start(place);
    const script = 'stty raw -echo; echo ready; dd bs=1 count=6 2>/dev/null | od -An -v -tx1';
    const spawn = { program: 'sh', args: ['-c', script], wait_ready: false };
    const { session_id } = await host.call('create_session', spawn);
    await host.call('read', { session_id, view: 'new', wait_for: ['ready'] });
    const keys = ['ctrl+a', 'down', 'enter'];
    const read = { view: 'new', wait_for_exit: true };
    const { read_result } = await host.call('send', { session_id, text: 'x', keys, read });
    expect(read_result.content.replace(/\s/g, '')).toBe('78011b5b420d');
  });

  needs('vim')('returns only the rows that changed, in the view new', async () => {
    const host = await McpHost.start(place);
    const file = join(place.directory, 'file.txt');
    writeFileSync(file, 'one\ntwo\nthree\n');
    const vim = { program: 'vim', args: ['-u', 'NONE', file], wait_ready: true };
    const { session_id } = await host.call('create_session', vim);
    const read = { view: 'new', wait_idle_ms: 200 };
    const change = async (text: string) =>
      (await host.call('send', { session_id, text, read })).read_result;
    expect((await change(':2s/two/2\n')).content).toMatch(/^one\n2\nthree\n~/);
    expect(await change(':3s/three/3\n')).toEqual({
      content: '3\n:3s/three/3',
      changed_rows: [2, 23],
      untrusted: true,
    });
    expect(await host.call('read', { session_id })).toMatchObject({
      content: expect.stringMatching(/^one\n2\n3\n~/),
    });
  });
});

describe('terminal__read', () => {
  it('returns the highlighted rows of a screen', async () => {
    const host = await McpHost.start(place);
    const args = ['-c', `printf 'one\\r\\n${esc}[7m> two${esc}[m\\r\\nthree'; sleep 100`];
    const { session_id } = await host.call('create_session', { program: 'sh', args });
    const read = await host.call('read', { session_id, wait_for: ['three'] });
    expect(read).toMatchObject({ highlighted: [{ row: 1, text: '> two' }] });
  });
});

describe('the scrollback', () => {
  it('is read from the line that a search returns', async () => {
    const [host, session_id] = await bash();
    await host.call('run', { session_id, line: 'seq 1000 1200' });
    const { matches } = await host.call('search', { session_id, pattern: '^1050$' });
    const page = { session_id, view: 'scrollback', from_line: matches[0].line, limit: 3 };
    const answer = await host.call('read', page);
    expect(answer).toMatchObject({ content: '1050\n1051\n1052', lines: 3 });
    const { view: _, ...unviewed } = page;
    expect((await host.call('read', unviewed)).content).toBe(answer.content);
    const atEnd = await host.call('read', { ...unviewed, at: 'command:last' });
    expect(atEnd.content).toBe(answer.content);
    const { total_lines } = answer;
    expect(total_lines).toBeGreaterThan(200);
    const last = { session_id, view: 'scrollback', offset: total_lines - matches[0].line - 1 };
    expect(await host.call('read', { ...last, limit: 1 })).toMatchObject({ content: '1050' });
    const beyond = { session_id, view: 'scrollback', offset: 100_000 };
    expect(await host.call('read', beyond)).toMatchObject({ lines: 0, total_lines });
    const short = { ...page, limit: 100, max_lines: 2 };
    expect(await host.call('read', short)).toMatchObject({
      content: '1050\n1051',
      lines: 2,
      omitted: { lines: 98 },
    });
  });

  it('is read by pages of max_lines, also from the end', async () => {
    const [host, session_id] = await bash();
    await host.call('run', { session_id, line: 'seq 1 3000' });
    const page = (more: object) => host.call('read', { session_id, view: 'scrollback', ...more });
    const { total_lines, content } = await page({ from_line: -100, max_lines: 2 });
    const at = total_lines - 100;
    expect(await page({ from_line: at, max_lines: 2 })).toMatchObject({ content });
    expect(await page({ from_line: at, max_lines: 2 })).not.toHaveProperty('omitted');
    expect(await page({ from_line: -100_000, max_lines: 2 })).toMatchObject({ lines: 2 });
    expect(await page({ max_lines: 2000 })).toMatchObject({ lines: 2000 });
  });

  it('lists no name that another one replaces, and accepts it', async () => {
    const host = await McpHost.start(place);
    const { tools } = await host.client.listTools();
    const listed = tools.find(({ name }) => name === 'terminal__read')?.inputSchema.properties;
    expect(Object.keys(listed ?? {})).toEqual(
      expect.arrayContaining(['from_line', 'max_lines', 'max_chars']),
    );
    expect(listed).not.toHaveProperty('offset');
    expect(listed).not.toHaveProperty('limit');
  });
});

describe('text', () => {
  onLinux('has no trailing blanks, except one after a question', async () => {
    const [host, session_id] = await bash();
    const line = `printf 'one      \\ntwo\\t  \\nGo on?   '; read x`;
    expect(await host.call('run', { session_id, line })).toMatchObject({
      content: 'one\ntwo\nGo on? ',
    });
  });

  it('begins without the blank rows of a screen that is new', async () => {
    const [host, session_id] = await bash();
    await host.call('read', { session_id, view: 'new' });
    const line = `printf '${esc}[?1049h${esc}[20Hlow'; sleep 100\n`;
    const read = { view: 'new', wait_for: ['low$'], wait_idle_ms: 500 };
    const { read_result } = await host.call('send', { session_id, text: line, read });
    expect(read_result.content).toMatch(/^printf .*\nlow/);
  });
});

describe('a full-screen program', () => {
  it('is reported once when it appears in a session', async () => {
    const [host, session_id] = await bash();
    const script = `printf '${esc}[?1049hmenu'; stty -echo; while read x; do echo $x; done`;
    const read = { wait_idle_ms: 300 };
    await host.call('read', { session_id, ...read });
    const first = await host.call('send', { session_id, text: `${script}\n`, read });
    expect(first.read_result).toMatchObject({ state: 'full_screen' });
    const next = await host.call('send', { session_id, text: 'x\n', read });
    expect(next.read_result).not.toHaveProperty('state');
  });

  needs('vim')('is reported by the run of its command', async () => {
    const [host, session_id] = await bash();
    const ran = await host.call('run', { session_id, line: 'vim -u NONE' });
    expect(ran).toMatchObject({ state: 'full_screen' });
  });
});

it('errors name arguments and tools, not flags and commands', async () => {
  const [host, session_id] = await bash();
  await host.call('send', { session_id, text: 'sleep 100\n', read: { wait_idle_ms: 300 } });
  const busy = await host.failure('run', { session_id, line: 'ls', timeout_ms: 300 });
  expect(busy).toMatch(/ or name its prompt with prompt_pattern; /);
  const named = { program: 'cat', name: session_id };
  expect(await host.failure('create_session', named)).toMatch(
    /choose another name, or end it with terminal__destroy_session$/,
  );
  const marked = { session_id, view: 'new', since: 'nothing' };
  expect(await host.failure('read', marked)).toMatch(/use "start" or the mark of an answer/);
});

describe('terminal__create_session', () => {
  it('accepts a name, and explains how to give arguments', async () => {
    const host = await McpHost.start(place);
    const named = await host.call('create_session', { program: 'cat', name: 'web' });
    expect(named).toMatchObject({ session_id: 'web' });
    expect(await host.failure('create_session', { program: 'ls -la' })).toMatch(
      /^PROGRAM_NOT_FOUND: .*\{"program":"ls","args":\["-la"\]\}.*\["-c","ls -la"\]\}$/,
    );
  });
});

it('terminal__search goes on behind the last match', async () => {
  const [host, session_id] = await bash();
  await host.call('run', { session_id, line: 'seq 1000 1002' });
  const request = { session_id, pattern: '^100.$', max_matches: 2 };
  const first = await host.call('search', request);
  expect(first).toMatchObject({ matches: [{ text: '1000' }, { text: '1001' }], truncated: true });
  const from_line = first.matches[1].line + 1;
  const { matches } = await host.call('search', { ...request, from_line });
  expect(matches).toEqual([{ line: from_line, text: '1002' }]);
  await expect(host.call('search', { ...request, from_line, command: 1 })).rejects.toThrow(
    'give from_line or command, not both',
  );
});

it('terminal__search searches the output of one command', async () => {
  const [host, session_id] = await bash();
  await host.call('run', { session_id, line: 'echo same 1' });
  await host.call('run', { session_id, line: 'echo same 2' });
  const answer = await host.call('search', { session_id, pattern: '^same', command: 2 });
  expect(answer.matches).toMatchObject([{ text: 'same 2' }]);
});

it('finds hidden text that was cleared in the output of its command', async () => {
  const [host, session_id] = await bash();
  const clear = "printf '\\033[H\\033[2J\\033[3J'";
  const line = `printf '\\033[8msecret words\\033[m\\n'; echo shown; ${clear}`;
  const ran = await host.call('run', { session_id, line });
  expect(ran).toMatchObject({ content: 'secret words\nshown', hidden_text: true });
  await host.call('run', { session_id, line: clear });
  const answer = await host.call('search', { session_id, pattern: 'secret', command: 1 });
  expect(answer.matches).toMatchObject([{ line: 0, in_output: true, text: 'secret words' }]);
  expect(answer.hidden_text).toBe(true);
});

describe('answers as text', () => {
  const start = () => McpHost.start(place, { flags: ['--answers', 'text'] });
  const textsOf = async (host: McpHost, name: string, args: Readonly<Record<string, unknown>>) => {
    const result = await host.client.callTool({
      name: `terminal__${name}`,
      arguments: { ...args },
    });
    expect(result).not.toHaveProperty('structuredContent');
    return (result.content as { text: string }[]).map(({ text }) => text);
  };

  it('have neither structured content nor schemas of it, and no tool is lost', async () => {
    const [lean, text] = await Promise.all([McpHost.start(place), start()]);
    const { tools } = await text.client.listTools();
    const { tools: all } = await lean.client.listTools();
    expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
    expect(tools).toEqual(all.map(({ outputSchema: _, ...tool }) => tool));
    const facts = JSON.parse((await textsOf(text, 'list_sessions', { state: 'failed' }))[0] ?? '');
    expect(facts).toEqual({ sessions: [], count: 0 });
  });

  it('are a line of facts, then the output as it is', async () => {
    const host = await start();
    const [created] = await textsOf(host, 'create_session', { program: 'bash' });
    const { session_id } = JSON.parse(created ?? '');
    const run = { session_id, line: 'printf \'a \\\\ "b"\\n\\n{"exit_code":0}\\n\'; false' };
    expect(await textsOf(host, 'run', run)).toEqual([
      expect.stringMatching(/^\{"exit_code":1,("duration_ms":\d{4,},)?"untrusted":true\}$/),
      'a \\ "b"\n\n{"exit_code":0}',
    ]);
    const [facts = '', ...texts] = await textsOf(host, 'run', { session_id, line: 'true' });
    expect([facts.replace(/,"duration_ms":\d{4,}\b/, ''), texts]).toEqual(['{"exit_code":0}', []]);
    const typed = await textsOf(host, 'send', { session_id, text: 'echo hi\n', read: atPrompt });
    expect(typed).toEqual([
      '{"read_result":{"untrusted":true,"prompt_detected":true}}',
      // The prompt after `run` may come with it.
      expect.stringMatching(/^(?:\S+[#$] )?echo hi\nhi\n/),
    ]);
  });

  it('say what is missing', async () => {
    const host = await start();
    const [created] = await textsOf(host, 'create_session', { program: 'bash' });
    const { session_id } = JSON.parse(created ?? '');
    const run = { session_id, line: 'seq 100', max_lines: 4 };
    const [facts = '', output] = await textsOf(host, 'run', run);
    expect(JSON.parse(facts)).toMatchObject({ exit_code: 0, omitted: { lines: 96 } });
    expect(output).toMatch(/^1\n2\n.*\n99\n100$/);
  });
});
