import { describe, expect, it } from 'vitest';
import { tree } from '../../../../test/support/tree.ts';
import { allAgentHooks, hooksForOneStart, installableKinds } from './agent-hooks.ts';
import { changedLines } from './install-hooks.ts';

const context = { env: { HOME: '/home/me' }, program: '/opt/vtr/vtr.cjs', version: '0.0.0' };
const moved = { ...context, program: '/new/vtr.cjs' };
const [all, movedAll] = [await allAgentHooks(context), await allAgentHooks(moved)];

const formatOf = (kind: string, from = context) => {
  const hooks = (from === moved ? movedAll : all).find((each) => each.kind === kind);
  if (hooks === undefined) throw new Error(`no hooks for ${kind}`);
  return hooks.format;
};

it('the kinds that completion names are those whose files have hooks', () => {
  expect(all.map(({ kind }) => kind)).toEqual(installableKinds);
});

/** Files of settings as people have them, by the kind of the agent. */
const own = `{
  // mine
  "model": "opus", /* keep */
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] },
    ],
    "PreCompact": [],
  },
  "env": { "A": "1" },
}
`;
const samples: Readonly<Record<string, readonly string[]>> = {
  json: ['', '{}\n', '{"model":"x"}', '{\n\t"a": [1]\n}\n', '{\r\n  "hooks": {}\r\n}\r\n', own],
  toml: ['', 'model = "x"\n', 'a = 1', '[[hooks]]\nevent = "Stop"\ncommand = "say"\n'],
};

const isToml = (kind: string) => kind === 'kimi';
/** Their file is all vtr's. */
const hasOwnFile = (kind: string) => ['copilot', 'opencode', 'kilo', 'pi'].includes(kind);

describe.each(installableKinds)('the hooks of %s', (kind) => {
  const texts = hasOwnFile(kind) ? [''] : (samples[isToml(kind) ? 'toml' : 'json'] ?? []);

  it.each(texts)('are installed once, also again: %j', (text) => {
    const { install } = formatOf(kind);
    const installed = install(text);
    expect(installed).toContain('/opt/vtr/vtr.cjs');
    expect(install(installed)).toBe(installed);
  });

  it.each(texts)('are replaced when vtr has moved, and removed wherever it is: %j', (text) => {
    const installed = formatOf(kind).install(text);
    const again = formatOf(kind, moved).install(installed);
    expect(again).not.toContain('/opt/vtr');
    expect(again.split('/new/vtr.cjs')).toHaveLength(installed.split('/opt/vtr/vtr.cjs').length);
    expect(formatOf(kind).remove(again) ?? '').not.toContain('vtr');
  });
});

it.each(installableKinds)('the file that vtr has made for %s is removed with its hooks', (kind) => {
  const { install, remove } = formatOf(kind);
  expect(remove(install(''))).toBeNull();
});

it.each(['{}\n', '// mine\n{}\n', '{ "model": "x" }\n'])(
  'a file without hooks of vtr, or with something else, is not removed: %j',
  (text) => {
    const { install, remove } = formatOf('gemini');
    expect(remove(text)).toBe(text);
    if (text !== '{}\n') expect(remove(install(text))).not.toBeNull();
  },
);

it.each(installableKinds)(
  'the command of %s does not contain the variable by its value',
  (kind) => {
    expect(formatOf(kind).install('')).not.toContain('$VTR_REPORT');
  },
);

it('what else is in a file stays to the byte', () => {
  const { install, remove } = formatOf('claude');
  const installed = install(own);
  for (const line of own.split('\n').filter((each) => each.trim().length > 2))
    expect(installed).toContain(line.trim());
  expect(remove(installed)).toBe(own);
  const toml = '# mine\nmodel = "x"\n\n[[hooks]]\nevent = "Stop"\ncommand = "say"\n';
  const kimi = formatOf('kimi');
  expect(kimi.install(toml).startsWith(toml)).toBe(true);
  expect(kimi.remove(kimi.install(toml))).toBe(toml);
});

it('a hook that somebody has moved into a group of others is removed alone', () => {
  const { install, remove } = formatOf('droid');
  const [command] = /! printenv [^"\n]*:/.exec(install('')) ?? [''];
  const group = { hooks: [{ command: 'say' }, { command: JSON.parse(`"${command}"`) }] };
  const text = JSON.stringify({ hooks: { Stop: [group] } });
  expect(JSON.parse(remove(text) ?? '')).toEqual({
    hooks: { Stop: [{ hooks: [{ command: 'say' }] }] },
  });
});

it.each([['[]'], ['{"hooks": []}'], ['{"hooks": {"Stop": {}}}'], ['{"hooks": '], ['no']])(
  'a file in another form is not changed: %j',
  (text) => {
    expect(() => formatOf('claude').install(text)).toThrow();
  },
);

it('a person’s own file in the place of a plugin is neither replaced nor removed', () => {
  expect(() => formatOf('opencode').install('export const mine = 1;\n')).toThrow(
    'not a file of vtr',
  );
  expect(formatOf('opencode').remove('export const mine = 1;\n')).toBe('export const mine = 1;\n');
  expect(formatOf('opencode').remove(formatOf('opencode').install(''))).toBeNull();
});

it('the directories of agents can be set', async () => {
  const env = { HOME: '/h', CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/x', XDG_CONFIG_HOME: '/g' };
  const hooks = await allAgentHooks({ ...context, env });
  const files = ['claude', 'codex', 'opencode', 'gemini'].map(
    (kind) => hooks.find((each) => each.kind === kind)?.file,
  );
  const expected = ['/c/settings.json', '/x/hooks.json', '/g/opencode/plugins/vtr.js'];
  expect(files).toEqual([...expected, '/h/.gemini/settings.json']);
});

it('one start of Claude Code gets its hooks by a file of settings', async () => {
  const { settings = '', args } = (await hooksForOneStart(context, 'claude')) ?? {};
  const written = JSON.parse(settings);
  expect(Object.keys(written)).toEqual(['hooks']);
  expect(written.hooks).toMatchObject({
    UserPromptSubmit: [{ hooks: [{ type: 'command' }] }],
    Notification: [{ matcher: 'idle_prompt|elicitation_dialog' }],
  });
  expect(args).toEqual(['--settings', '{file}']);
  expect(await hooksForOneStart(context, 'codex')).toBeNull();
});

it('a kind of the user has the hooks that its file says', async () => {
  const home = tree({
    '.config/vtr/agents/mine.toml':
      'directory = "~/.mine"\ndirectory_variable = "MINE"\n[hooks]\nfile = "~/.mine/h.json"\nformat = "groups"\nevents = ["Stop"]\n',
  });
  const hooks = await allAgentHooks({ ...context, env: { HOME: home, MINE: '/m' } });
  const mine = hooks.find(({ kind }) => kind === 'mine');
  expect(mine?.file).toBe('/m/h.json');
  expect(mine?.format.install('')).toContain('report --hook mine');
});

it('shows the lines that change, and those around them', () => {
  const before = 'a\nb\nc\nd\ne\nf\n';
  expect(changedLines(before, 'a\nb\nc\nd\nx\nf\n')).toEqual([
    ...['  c', '  d', '- e', '+ x', '  f'],
  ]);
  expect(changedLines('', 'a\n')).toEqual(['+ a']);
  expect(changedLines('a\n', '')).toEqual(['- a']);
});
