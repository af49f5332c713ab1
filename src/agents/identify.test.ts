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
  kind('claude', ['@anthropic-ai/claude-code', 'claude-code']),
  kind('codex', ['@openai/codex']),
  kind('gemini', ['@google/gemini-cli']),
  kind('kilo', ['@kilocode/cli']),
  kind('qwen', ['@qwen-code/qwen-code']),
];

const modules = '/usr/lib/node_modules';

it.each([
  ['its program', 'claude', [['claude', '--resume']]],
  ['the path of its program', 'claude', [['/home/me/.local/bin/claude']]],
  ['a title that it gave its process', 'claude', [['claude --resume 1']]],
  ['a script', 'gemini', [['node', '--no-warnings', '/usr/bin/gemini']]],
  ['a script of a package', 'codex', [['node', `${modules}/@openai/codex/bin/main.js`]]],
  ['its package', 'kilo', [['node', `${modules}/@kilocode/cli/bin/cli.js`]]],
  [
    'its package, if its script has the name of another package',
    'qwen',
    [['node', `${modules}/@qwen-code/qwen-code/dist/cli.js`]],
  ],
  ['a program of a package', 'codex', [[`${modules}/@openai/codex/vendor/x64/bin`]]],
  ['a member of the group', 'codex', [['node', '/opt/launch.js'], ['/opt/bin/codex']]],
  ['npx', 'gemini', [['npm exec @google/gemini-cli']]],
  ['npx with a version', 'gemini', [['npx', '-y', '@google/gemini-cli@0.61.0']]],
  ['a script that npx is', 'gemini', [['node', '/usr/bin/npx', '@google/gemini-cli']]],
  ['sudo', 'claude', [['sudo', '-u', 'me', 'claude']]],
  ['a container', 'codex', [['docker', 'run', '-it', 'image', 'codex']]],
  ['a program in a container', 'codex', [['docker', 'exec', '-it', 'codex', 'codex']]],
  ['a remote command', 'claude', [['ssh', 'host', 'cd project && claude']]],
  ['a remote command behind options', 'claude', [['ssh', '-t', '-p', '22', 'host', 'claude']]],
  ['bunx', 'gemini', [['bunx', '@google/gemini-cli']]],
  ['bun', 'codex', [['bun', 'x', '@openai/codex']]],
  ['pnpm', 'claude', [['pnpm', 'dlx', '@anthropic-ai/claude-code']]],
  ['uv', 'gemini', [['uv', 'tool', 'run', 'gemini']]],
  ['a module of Python', 'gemini', [['python3', '-m', 'gemini']]],
  ['nix', 'claude', [['nix', 'run', 'nixpkgs#claude-code']]],
  ['a shell of nix', 'codex', [['nix-shell', '-p', 'codex', '--run', 'codex']]],
  ['bwrap', 'codex', [['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', 'codex']]],
  ['firejail', 'gemini', [['firejail', '--noprofile', 'gemini', '--yolo']]],
  ['script', 'claude', [['script', '-q', '-c', 'claude --resume 1', 'log']]],
  ['unbuffer', 'codex', [['unbuffer', 'codex']]],
  ['expect', 'codex', [['expect', '-c', 'spawn codex; interact']]],
  ['strace', 'claude', [['strace', '-f', 'claude']]],
  ['nohup and setsid', 'codex', [['nohup', 'setsid', 'codex']]],
  ['env -S', 'codex', [['env', '-S', 'A=1 codex']]],
  ['the line of a shell', 'claude', [['sh', '-c', 'cd /x && env A=1 claude --agent-id a@b']]],
  [
    'a script behind what Node loads first',
    'gemini',
    [['node', '-r', './a.js', '/usr/bin/gemini']],
  ],
  ['a file of another kind', 'codex', [['/opt/codex/codex-x86_64-unknown-linux-musl']]],
  ['a variable', 'claude', [['ssh', 'host', 'VTR_AGENT=claude tmux attach']]],
])('an agent is known by %s', (_, expected, processes) => {
  expect(agentOf(kinds, processes)?.kind).toBe(expected);
});

it.each([
  ['an editor of its files', [['vim', 'claude']]],
  ['a search for its name', [['grep', '-r', 'codex', '.']]],
  ['a shell', [['bash']]],
  ['a script of another name', [['node', '/home/me/codex/server.js']]],
  ['a script with the last part of the name of a package', [['node', '/srv/app/dist/cli.js']]],
  ['a user of its name', [['sudo', '-u', 'claude', 'bash']]],
  ['a host of its name', [['ssh', 'codex']]],
  ['a host of its name, behind options', [['ssh', '-t', '-p', '22', 'me@codex']]],
  ['a container of its name', [['docker', 'run', '--name', 'codex', 'image', 'bash']]],
  ['a container of its name that is entered', [['docker', 'exec', '-it', 'codex', 'bash']]],
  ['a user who is taken', [['su', 'claude']]],
  ['an installation', [['npm', 'install', '-g', '@openai/codex']]],
  ['an installation by its short name', [['pnpm', 'add', '@openai/codex']]],
  ['a line of a shell that edits it', [['sh', '-c', 'vim claude']]],
  ['a process that has ended', [[]]],
])('%s is no agent', (_, processes) => {
  expect(agentOf(kinds, processes)).toBeNull();
});

it('a process that is an agent counts before one that names another', () => {
  expect(agentOf(kinds, [['sudo', 'codex'], ['claude']])?.kind).toBe('claude');
});
