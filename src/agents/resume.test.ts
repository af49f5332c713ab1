import { describe, expect, it } from 'vitest';
import { defined } from '#base';
import type { AgentKind } from './agent-kind.ts';
import {
  conversationInArguments,
  isConversationId,
  resumedCommand,
  resumedLine,
} from './resume.ts';

const kindOf = (name: string, resume: AgentKind['resume'], packages: string[] = []): AgentKind => ({
  kind: name,
  name,
  source: 'a test',
  checkedWith: [],
  executables: [name],
  packages,
  start: { command: [name] },
  interrupt: [],
  rules: [],
  background: [],
  ...defined({ resume }),
});

const id = '0198-abc';
const claude = kindOf(
  'claude',
  {
    command: ['claude', '--resume', '{id}'],
    fork: ['claude', '--resume', '{id}', '--fork-session'],
    options: ['--verbose', '--model VALUE', '--add-dir VALUE...'],
  },
  ['@anthropic-ai/claude-code'],
);
const codex = kindOf('codex', { command: ['codex', 'resume', '{id}'], options: ['-m VALUE'] });
const copilot = kindOf('copilot', { command: ['copilot', '--resume={id}'] });

describe('an agent is started again with its conversation', () => {
  it.each([
    ['as it was', claude, 'claude', `claude --resume ${id}`],
    ['by its path', claude, '/opt/bin/claude', `/opt/bin/claude --resume ${id}`],
    [
      'with its options',
      claude,
      'claude --verbose --model opus',
      `claude --resume ${id} --verbose --model opus`,
    ],
    ['with a value behind =', claude, 'claude --model=opus', `claude --resume ${id} --model=opus`],
    ['without its prompt', claude, 'claude --verbose fix', `claude --resume ${id} --verbose`],
    ['without a prompt behind --', claude, 'claude -- --verbose', `claude --resume ${id}`],
    [
      'with several values',
      claude,
      'claude --add-dir a b --verbose',
      `claude --resume ${id} --add-dir a b --verbose`,
    ],
    ['without another conversation', claude, 'claude --continue', `claude --resume ${id}`],
    ['without the same twice', claude, `claude --resume ${id}`, `claude --resume ${id}`],
    ['with a subcommand', codex, 'codex -m x fix', `codex resume ${id} -m x`],
    ['that it names already', codex, 'codex resume 12-34 -m x', `codex resume ${id} -m x`],
    ['in one word', copilot, 'copilot', `copilot --resume=${id}`],
    [
      'by a wrapper',
      claude,
      'npx @anthropic-ai/claude-code@2 --verbose',
      `npx @anthropic-ai/claude-code@2 --resume ${id} --verbose`,
    ],
    ['elsewhere', codex, 'ssh -t host codex', `ssh -t host codex resume ${id}`],
    [
      'by an interpreter',
      claude,
      'node /n/node_modules/@anthropic-ai/claude-code/cli.js',
      `node /n/node_modules/@anthropic-ai/claude-code/cli.js --resume ${id}`,
    ],
  ] as const)('%s', (_title, kind, before, after) => {
    const resumed = resumedCommand(kind, before.split(' '), 'resume', id);
    expect([resumed?.program, ...(resumed?.args ?? [])].join(' ')).toBe(after);
  });

  it('and names the options that it does not repeat, without their values', () => {
    const words = [
      'claude',
      '--api-key',
      'hunter2',
      '--model',
      'opus',
      '-p',
      '--foo=bar',
      'fix the bug',
    ];
    const resumed = resumedCommand(claude, words, 'resume', id);
    expect(resumed).toEqual({
      program: 'claude',
      args: ['--resume', id, '--model', 'opus'],
      leftOut: ['--api-key', '-p', '--foo'],
    });
  });

  it('or with a copy of it, if it can', () => {
    expect(resumedCommand(claude, ['claude'], 'fork', id)?.args).toEqual([
      '--resume',
      id,
      '--fork-session',
    ]);
    expect(resumedCommand(codex, ['codex'], 'fork', id)).toBeNull();
    expect(resumedCommand(kindOf('amp', undefined), ['amp'], 'resume', id)).toBeNull();
  });

  it('or with another one: without its prompt', () => {
    const words = ['claude', '--verbose', '--continue', 'fix'];
    expect(resumedCommand(claude, words, 'none', '')?.args).toEqual(['--verbose']);
  });
});

describe('a line of a shell that starts an agent', () => {
  it.each([
    ['claude', `claude --resume ${id}`],
    [`FOO=1 exec claude --model opus "fix it's"`, `FOO=1 exec claude --resume ${id} --model opus`],
    [`claude --model 'a b' --verbose`, `claude --resume ${id} --model 'a b' --verbose`],
    ['cd x && claude', null],
    ['claude "$(cat prompt)"', null],
    ['claude < prompt', null],
    [`claude 'not ended`, null],
    ['claude fix \\\\', null],
    ['make', null],
  ])('%s', (line, after) => {
    expect(resumedLine(claude, line, 'resume', id)).toBe(after);
    const resumed = resumedCommand(claude, ['sh', '-lc', line, 'name'], 'resume', id);
    expect(resumed?.args ?? null).toEqual(after && ['-lc', after, 'name']);
  });
});

it.each([
  [claude, 'claude --resume 12-34', '12-34'],
  [claude, 'claude --resume=12-34', '12-34'],
  [claude, 'claude --session-id 12-34 --resume --verbose', '12-34'],
  [claude, 'claude --resume', null],
  [codex, 'codex resume 12-34', '12-34'],
  [codex, 'codex resume --last', null],
  [copilot, 'copilot --resume=12-34', '12-34'],
  [copilot, 'copilot fix-bug', null],
] as const)('the arguments of $0.kind name a conversation: %s', (kind, words, named) => {
  expect(conversationInArguments(kind, words.split(' '))).toBe(named);
});

it.each([
  ['0198c1e2-7d5a-7000-8000-000000000000', true],
  ['ses_7f3A', true],
  ['--dangerous', false],
  ['a b', false],
  ['$(reboot)', false],
  ['a;b', false],
  ['', false],
  ['a'.repeat(201), false],
])('%s can name a conversation: %s', (text, can) => {
  expect(isConversationId(text)).toBe(can);
});
