import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tree } from '../../../test/support/tree.ts';
import { AgentKindFiles, readAgentKinds } from './agent-kinds.ts';

const version = '1.2.3';
const own = await readAgentKinds({ env: { HOME: '/nonexistent' } }, version);

describe('the files of kinds', () => {
  it('are those of the agents that vtr knows, one each', () => {
    const files = readdirSync(join(import.meta.dirname, '../../agents/kinds'));
    expect(own.problems).toEqual([]);
    expect(own.kinds.map(({ kind }) => `${kind}.toml`)).toEqual(files.sort());
    expect(own.kinds).toHaveLength(27);
  });

  it.each(own.kinds)('say how to recognise, start and resume $kind', (kind) => {
    const { executables, start, resume, hooks, directory, rules, checkedWith } = kind;
    expect(executables.length).toBeGreaterThan(0);
    const commands = [start.command, resume?.command, resume?.fork].filter((each) => each != null);
    for (const [program] of commands) expect(executables).toContain(program);
    const files = [resume?.files, hooks?.file].filter((each) => each != null);
    for (const file of files) expect(file.startsWith(`${directory}/`)).toBe(true);
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    for (const each of checkedWith) expect(each).toMatch(/^\d+\.\d+\.\d+$/);
    expect(kind.source).toBe('vtr 1.2.3');
  });

  it('share no name of a program', () => {
    const names = own.kinds.flatMap(({ executables, packages }) => [...executables, ...packages]);
    const repeated = names.filter((name, at) => names.indexOf(name) !== at);
    // A package may have the name of its program.
    expect(repeated).toEqual(['cline', 'command-code', 'droid']);
  });
});

/** Returns the kinds of a user who has these files. */
async function withFiles(files: Readonly<Record<string, string>>) {
  const home = tree();
  const directory = join(home, '.config/vtr/agents');
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const read = await readAgentKinds({ env: { HOME: home } }, version);
  const kindNamed = (name: string) => read.kinds.find(({ kind }) => kind === name);
  return { ...read, directory, kindNamed };
}

const titleRule = `[[rule]]
id = "title-idle"
claim = "idle"
where = "title"
match = '^ready'
`;

describe('a file of the user', () => {
  it('adds a kind, whose name and program are those of the file', async () => {
    const { kindNamed, directory } = await withFiles({ 'mine.toml': titleRule });
    const file = join(directory, 'mine.toml');
    expect(kindNamed('mine')).toEqual({
      kind: 'mine',
      name: 'mine',
      source: file,
      checkedWith: [],
      executables: ['mine'],
      packages: [],
      start: { command: ['mine'] },
      interrupt: [],
      rules: [
        {
          id: 'title-idle',
          claim: 'idle',
          strength: 'strong',
          where: 'title',
          match: '^ready',
          file,
        },
      ],
      background: [],
    });
  });

  it('replaces a rule with the same id, and leaves the rest', async () => {
    const { kindNamed, directory } = await withFiles({ 'claude.toml': titleRule });
    const before = own.kinds.find(({ kind }) => kind === 'claude');
    const after = kindNamed('claude');
    expect(after?.rules.map(({ id, match }) => [id, match])).toEqual([
      ['title-busy', before?.rules[1]?.match],
      ['title-idle', '^ready'],
    ]);
    expect(after?.resume).toEqual(before?.resume);
    expect(after?.source).toBe(join(directory, 'claude.toml'));
  });

  it('switches a rule off by its id', async () => {
    const { kindNamed } = await withFiles({
      'claude.toml': '[[rule]]\nid = "title-idle"\noff = true\n',
    });
    expect(kindNamed('claude')?.rules.map(({ id }) => id)).toEqual(['title-busy']);
  });

  it('replaces the whole file of a kind', async () => {
    const { kindNamed } = await withFiles({ 'claude.toml': `replace = true\n${titleRule}` });
    const kind = kindNamed('claude');
    expect(kind?.rules.map(({ id }) => id)).toEqual(['title-idle']);
    expect(kind?.resume).toBeUndefined();
    expect(kind?.packages).toEqual([]);
  });

  it.each([
    ['name = 3', '1:8: name is 3'],
    ['[start]\ncommand = []', '2:11: command is []; it must be a list of words'],
    [
      '[resume]\ncommand = ["mine", "-c"]',
      '2:11: command is ["mine","-c"]; it must be a list of words with {id} once',
    ],
    ['[resume]\nfiles = "~/x"', '1:1: [resume] has no command'],
    ['[prompt]\ninterrupt = ["escpae"]', '2:13: interrupt: '],
    ["[[rule]]\nid = 'x'\nclaim = 'idle'\nwhere = 'end'\nmatch = '('", '5:9: match: '],
    ["[[rule]]\nid = 'x'", '1:1: [[rule]] has no claim'],
    ["[[rule]]\nid = 'x'\nclaim = 'done'", '3:9: claim is "done"; it must be'],
    ['[[rules]]', '1:1: unknown key rules; did you mean rule?'],
  ])('that is wrong is left out, and told with line and column: %j', async (text, message) => {
    const { kinds, problems, directory } = await withFiles({
      'claude.toml': text,
      'fine.toml': '',
    });
    expect(kinds.find(({ kind }) => kind === 'claude')?.source).toBe('vtr 1.2.3');
    expect(kinds.some(({ kind }) => kind === 'fine')).toBe(true);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.startsWith(`${join(directory, 'claude.toml')}:${message}`)).toBe(true);
  });
});

it('a change of a file is told once, also if a caller sees it first', async () => {
  const home = tree();
  const directory = join(home, '.config/vtr/agents');
  mkdirSync(directory, { recursive: true });
  let calls = 0;
  const onChange = () => calls++;
  const log = (line: string) => expect.fail(line);
  const files = new AgentKindFiles({ user: { env: { HOME: home } }, version, log, onChange });
  const names = async () => (await files.kinds()).map(({ name }) => name);
  expect(await names()).not.toContain('Robo');
  expect(calls).toBe(0);
  writeFileSync(join(directory, 'robo.toml'), 'name = "Robo"\n');
  expect(await names()).toContain('Robo');
  expect(await names()).toContain('Robo');
  expect(calls).toBe(1);
});
