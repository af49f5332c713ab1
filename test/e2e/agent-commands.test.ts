import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { testProgram } from '../support/pty/pty-request.ts';

/**
 * An agent that runs the hooks in the settings of Claude Code as that does: `b` begins a command, `e` ends the last one,
 * `f` fails it, `o` begins another tool.
 */
const program = [
  `import { spawn } from 'node:child_process';`,
  `import { readFileSync } from 'node:fs';`,
  `const settings = \`\${process.env.HOME}/.claude/settings.json\`;`,
  `const { hooks } = JSON.parse(readFileSync(settings, 'utf8'));`,
  `let count = 0;`,
  `const run = (hook_event_name, tool_name, fields) => {`,
  `  const tool_input = { command: \`make \${count}\` };`,
  `  const input = { hook_event_name, tool_name, tool_input, tool_use_id: \`t-\${count}\`, ...fields };`,
  `  for (const { matcher = '', hooks: commands } of hooks[hook_event_name]) {`,
  `    if (!new RegExp(\`^(?:\${matcher})$\`).test(tool_name)) continue;`,
  `    for (const { command } of commands) {`,
  `      const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'ignore', 'ignore'] });`,
  `      child.stdin.end(JSON.stringify({ session_id: 'c-1', cwd: '/src', ...input }));`,
  `    }`,
  `  }`,
  `};`,
  `const tool_response = { stdout: '', stderr: '', interrupted: false };`,
  `const keys = {`,
  `  b: () => { count++; run('PreToolUse', 'Bash'); },`,
  `  e: () => run('PostToolUse', 'Bash', { tool_response, duration_ms: 1500 }),`,
  `  f: () => run('PostToolUseFailure', 'Bash', { error: 'Exit code 2', duration_ms: 20 }),`,
  `  o: () => run('PreToolUse', 'Edit'),`,
  `};`,
  `process.stdin.on('data', (data) => keys[String(data)]?.());`,
  `await import(${JSON.stringify(testProgram('coding-agent.mjs'))});`,
];

async function agent(place: Place): Promise<void> {
  await place.vtr(['agents', 'install', 'claude', '--yes']);
  const file = join(place.directory, 'claude.mjs');
  writeFileSync(file, program.join('\n'));
  await place.ok('spawn', 's', '--', process.execPath, file);
  await place.vtr(['wait', 's', '--agent', 'idle']);
}

describe('the commands of a coding agent', () => {
  const ran = async (place: Place) => (await place.json('commands', 's')).agent_commands;
  const statuses = async (place: Place) =>
    (await ran(place)).map(({ status }: { readonly status: string }) => status);
  /** An agent in its turn, with a command that has not ended. */
  const withCommand = async () => {
    const place = new Place();
    await agent(place);
    await place.ok('key', 's', 'enter');
    await place.vtr(['wait', 's', '--agent', 'busy']);
    await place.ok('key', 's', 'b');
    await expect.poll(() => statuses(place)).toEqual(['running']);
    return place;
  };

  it('are those that its hooks report, with their status, also after the daemon was killed', async () => {
    const place = await withCommand();
    expect((await place.json('info', 's')).agent.commands).toEqual({ count: 1, running: 1 });
    process.kill((await place.json('serve', '--status')).pid, 'SIGKILL');
    await place.ok('key', 's', 'e');
    await expect.poll(() => statuses(place)).toEqual(['succeeded']);
    await place.ok('key', 's', 'o');
    await place.ok('key', 's', 'b');
    await expect.poll(() => statuses(place)).toEqual(['succeeded', 'running']);
    await place.ok('key', 's', 'f');
    await expect.poll(() => statuses(place)).toEqual(['succeeded', 'failed']);
    expect(await ran(place)).toMatchObject([
      { number: 1, agent: 'claude', line: 'make 1', cwd: '/src', exit_code: 0, duration_ms: 1500 },
      { number: 2, agent: 'claude', line: 'make 2', exit_code: 2, duration_ms: 20 },
    ]);
    const [heads, ...rows] = (await place.ok('commands', 's')).trimEnd().split('\n');
    expect(heads).toMatch(/^NUMBER +BY +BEGAN +STATUS +TIME +DIRECTORY +LINE$/);
    expect(rows).toEqual([
      expect.stringMatching(/^ +claude +\S+ +0 +1s +\/src +make 1$/),
      expect.stringMatching(/^ +claude +\S+ +2 +20ms +\/src +make 2$/),
    ]);
    expect(await place.ok('info', 's')).toMatch(/^agent +claude: .*, ran 2 commands;/m);
  });

  it('do not run after its turn: their end was not reported', async () => {
    const place = await withCommand();
    await place.ok('key', 's', '?');
    await place.vtr(['wait', 's', '--agent', 'asks']);
    expect(await statuses(place)).toEqual(['asks']);
    await place.ok('key', 's', 'y');
    await place.vtr(['wait', 's', '--agent', 'busy']);
    expect(await statuses(place)).toEqual(['running']);
    await place.ok('key', 's', '.');
    await place.vtr(['wait', 's', '--agent', 'idle']);
    expect(await ran(place)).toMatchObject([
      { status: 'unknown', exit_code: null, ended_at: null },
    ]);
  });
});
