import { expect, it } from 'vitest';
import { type AgentKind, agentOf } from '#agents';

const kind = (id: string, packages: readonly string[]): AgentKind => ({
  kind: id,
  name: id,
  source: 'vtr 0.0.0',
  checkedWith: [],
  executables: [id],
  packages,
  start: { command: [id] },
  interrupt: [],
  rules: [],
  background: [],
});

const kinds = [
  kind('claude', ['@anthropic-ai/claude-code']),
  kind('codex', ['@openai/codex']),
  kind('gemini', ['@google/gemini-cli']),
];

const modules = '/usr/lib/node_modules';

it.each([
  ['its program', 'claude', [['claude', '--resume']]],
  ['the path of its program', 'claude', [['/home/me/.local/bin/claude']]],
  ['a title that it gave its process', 'claude', [['claude --resume 1']]],
  ['a script', 'gemini', [['node', '--no-warnings', '/usr/bin/gemini']]],
  ['a script of a package', 'codex', [['node', `${modules}/@openai/codex/bin/main.js`]]],
  ['a program of a package', 'codex', [[`${modules}/@openai/codex/vendor/x64/bin`]]],
  ['a member of the group', 'codex', [['node', '/opt/launch.js'], ['/opt/bin/codex']]],
  ['npx', 'gemini', [['npm exec @google/gemini-cli']]],
  ['npx with a version', 'gemini', [['npx', '-y', '@google/gemini-cli@0.61.0']]],
  ['a script that npx is', 'gemini', [['node', '/usr/bin/npx', '@google/gemini-cli']]],
  ['sudo', 'claude', [['sudo', '-u', 'me', 'claude']]],
  ['a container', 'codex', [['docker', 'run', '-it', 'image', 'codex']]],
  ['a remote command', 'claude', [['ssh', 'host', 'cd project && claude']]],
  ['a variable', 'claude', [['ssh', 'host', 'VTR_AGENT=claude tmux attach']]],
])('an agent is known by %s', (_, expected, processes) => {
  expect(agentOf(kinds, processes)?.kind).toBe(expected);
});

it.each([
  ['an editor of its files', [['vim', 'claude']]],
  ['a search for its name', [['grep', '-r', 'codex', '.']]],
  ['a shell', [['bash']]],
  ['a script of another name', [['node', '/home/me/codex/server.js']]],
  ['a process that has ended', [[]]],
])('%s is no agent', (_, processes) => {
  expect(agentOf(kinds, processes)).toBeNull();
});

it('a process that is an agent counts before one that names another', () => {
  expect(agentOf(kinds, [['sudo', 'codex'], ['claude']])?.kind).toBe('claude');
});
