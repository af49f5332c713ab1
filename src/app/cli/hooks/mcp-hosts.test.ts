import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { tree } from '../../../../test/support/tree.ts';
import { mcpHosts, serverChange } from './mcp-hosts.ts';

const usual = { isRemoval: false, isProject: false, isApproved: false };
const server = { command: process.execPath, args: ['/opt/vtr/vtr.cjs', 'mcp'] };

function placeOf(files: Readonly<Record<string, string>> = {}) {
  const home = tree(files);
  return { env: { HOME: home }, program: '/opt/vtr/vtr.cjs', cwd: join(home, 'project') };
}

type Place = ReturnType<typeof placeOf>;

/** Writes what would change. */
async function changed(place: Place, host: string, options: Partial<typeof usual> = {}) {
  const change = await serverChange(place, host, { ...usual, ...options });
  mkdirSync(dirname(change.file), { recursive: true });
  writeFileSync(change.file, change.after ?? '');
  return change;
}

describe.each(mcpHosts)('the server of %s', (host) => {
  it('is added once, moved with vtr, and removed', async () => {
    const place = placeOf();
    const { after, file } = await changed(place, host);
    expect(after).toContain('/opt/vtr/vtr.cjs');
    expect(after).toContain(process.execPath);
    expect((await changed(place, host)).after).toBe(after);
    const moved = {
      ...place,
      program: '/new/vtr.cjs',
      env: { ...place.env, VTR_SOCKET: '/run/s' },
    };
    const again = (await changed(moved, host)).after;
    expect(again).toContain('/new/vtr.cjs');
    expect(again).toContain('/run/s');
    expect(again).not.toContain('/opt/vtr');
    // Nothing else is in the file.
    expect((await changed(moved, host, { isRemoval: true })).after).toBeNull();
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});

const commented = `{
  // mine
  "theme": "dark", /* keep */
  "mcpServers": {
    "other": { "command": "x" }, // another
  },
}
`;

it('all else in a file of JSON stays to the byte', async () => {
  const place = placeOf({ '.gemini/settings.json': commented });
  const { after } = await changed(place, 'gemini', { isApproved: true });
  for (const line of commented.split('\n').filter((each) => each.trim().length > 2))
    expect(after).toContain(line.trim());
  expect(after).toContain('"trust": true');
  expect((await changed(place, 'gemini', { isRemoval: true })).after).toBe(commented);
});

const toml = `# mine
model = "x" # keep

[mcp_servers.other]
command = "y"
`;

it('so does all else in a file of TOML', async () => {
  const place = placeOf({ '.codex/config.toml': toml });
  const { after, file } = await changed(place, 'codex', { isApproved: true });
  expect(after?.startsWith(toml)).toBe(true);
  expect(parse(after ?? '')).toMatchObject({
    mcp_servers: { terminal: { ...server, default_tools_approval_mode: 'approve' } },
  });
  const mine = `${after}\n[profiles.a]\nb = 1\n`.replace(
    '[mcp_servers.terminal]',
    '$&\n# slow\ntool_timeout_sec = 90',
  );
  writeFileSync(file, mine);
  const moved = { ...place, program: '/new/vtr.cjs', env: { ...place.env, VTR_SOCKET: '/run/s' } };
  const again = (await changed(moved, 'codex')).after ?? '';
  expect(again).toContain('# slow');
  expect(parse(again)).toEqual({
    model: 'x',
    profiles: { a: { b: 1 } },
    mcp_servers: {
      other: { command: 'y' },
      terminal: {
        command: process.execPath,
        args: ['/new/vtr.cjs', 'mcp'],
        env: { VTR_SOCKET: '/run/s' },
        default_tools_approval_mode: 'approve',
        tool_timeout_sec: 90,
      },
    },
  });
  const left = (await changed(moved, 'codex', { isRemoval: true })).after ?? '';
  expect(parse(left)).toEqual({
    model: 'x',
    profiles: { a: { b: 1 } },
    mcp_servers: { other: { command: 'y' } },
  });
  expect(left.startsWith(toml)).toBe(true);
});

it.each([
  ['gemini', '.gemini/settings.json', '{"mcpServers": '],
  ['gemini', '.gemini/settings.json', '{"mcpServers": []}'],
  ['gemini', '.gemini/settings.json', '{"mcpServers": {"terminal": {"command": "tmux-mcp"}}}'],
  ['codex', '.codex/config.toml', 'a = = b'],
  ['codex', '.codex/config.toml', '[mcp_servers.terminal]\ncommand = "tmux-mcp"\n'],
  ['codex', '.codex/config.toml', 'mcp_servers = { other = { command = "x" } }\n'],
  ['codex', '.codex/config.toml', 'mcp_servers = 3\n'],
])(
  '%s: a file that cannot be edited, or has another server, is refused: %j',
  async (host, file, text) => {
    const place = placeOf({ [file]: text });
    await expect(serverChange(place, host, usual)).rejects.toThrow(`${file}: `);
    await expect(serverChange(place, host, usual)).rejects.toThrow('it is not changed');
  },
);

it('what a host cannot have is refused', async () => {
  const place = placeOf();
  await expect(serverChange(place, 'word', usual)).rejects.toThrow('it knows claude, codex');
  await expect(serverChange(place, 'cline', { ...usual, isProject: true })).rejects.toThrow(
    'project',
  );
  await expect(serverChange(place, 'zed', { ...usual, isApproved: true })).rejects.toThrow(
    'approve',
  );
});

it('a host that would show each answer twice gets text alone', async () => {
  const { after } = await changed(placeOf(), 'cline');
  const { transport } = JSON.parse(after ?? '').mcpServers.terminal;
  expect(transport).toEqual({
    type: 'stdio',
    ...server,
    args: [...server.args, '--answers', 'text'],
  });
});

it.each([
  ['claude', 'CLAUDE_CONFIG_DIR', '/d', '/d/.claude.json'],
  ['codex', 'CODEX_HOME', '/d', '/d/config.toml'],
  ['gemini', 'GEMINI_CLI_HOME', '/d', '/d/.gemini/settings.json'],
  ['qwen', 'QWEN_HOME', '/d', '/d/settings.json'],
  ['cline', 'CLINE_DIR', '/d', '/d/data/settings/cline_mcp_settings.json'],
  ['cline', 'CLINE_DATA_DIR', '/d', '/d/settings/cline_mcp_settings.json'],
  ['cline', 'CLINE_MCP_SETTINGS_PATH', '/d/mcp.json', '/d/mcp.json'],
  ['qoder', 'QODER_CONFIG_DIR', '/d', '/d/settings.json'],
  ['nanocoder', 'NANOCODER_CONFIG_DIR', '/d', '/d/.mcp.json'],
  ['opencode', 'XDG_CONFIG_HOME', '/d', '/d/opencode/opencode.json'],
])('%s has its file where %s says', async (host, name, value, file) => {
  const place = placeOf();
  const directed = { ...place, env: { ...place.env, [name]: value } };
  expect((await serverChange(directed, host, usual)).file).toBe(file);
});

it('a project has a file of its own', async () => {
  const place = placeOf();
  const { file } = await serverChange(place, 'vscode', { ...usual, isProject: true });
  expect(file).toBe(join(place.cwd, '.vscode/mcp.json'));
});

it('a person is told what a host wants before it starts the server of a project', async () => {
  const place = placeOf();
  const words = 'qwen mcp approve terminal';
  const ofUser = await serverChange(place, 'qwen', usual);
  expect(ofUser.afterwards ?? '').not.toContain(words);
  const ofProject = await serverChange(place, 'qwen', { ...usual, isProject: true });
  expect(ofProject.afterwards).toContain(words);
});
