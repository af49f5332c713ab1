import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { McpHost } from '../../support/mcp/mcp-client.ts';

const options = {
  default_rows: 30,
  default_cols: 100,
  default_shell: '/bin/sh',
  term: 'vt220',
  scrollback_limit: 50,
  prompt_pattern: 'go% $',
  max_sessions: 1,
};

type Way = (place: Place) => Parameters<typeof McpHost.start>[1];

const entries = Object.entries(options).map(([key, value]) => [key, String(value)] as const);

/** Each sets all seven. */
const ways: Readonly<Record<string, Way>> = {
  environment: () => ({
    env: Object.fromEntries(
      entries.map(([key, value]) => [`VTR_${key.toUpperCase()}`, value] as const),
    ),
  }),
  flags: () => ({
    flags: entries.flatMap(([key, value]) => [
      `--${key.replace('default_', '').replace('_', '-')}`,
      value,
    ]),
  }),
  'server.toml': (place) => {
    const directory = join(place.env['XDG_CONFIG_HOME'] ?? '', 'vtr');
    mkdirSync(directory, { recursive: true });
    const lines = Object.entries(options).map(
      ([key, value]) => `${key} = ${JSON.stringify(value)}\n`,
    );
    writeFileSync(join(directory, 'server.toml'), lines.join(''));
    return {};
  },
};

const token = 'ghp_0123456789abcdefghijABCDEFGHIJ456789';
const hidden = `ghp_${'•'.repeat(36)}`;

describe('the option redact', () => {
  it.each<[string, (place: Place) => readonly string[]]>([
    ['by flag', () => ['--redact']],
    [
      'by redact_reads in server.toml, which the command follows, too',
      (place) => {
        const directory = join(place.env['XDG_CONFIG_HOME'] ?? '', 'vtr');
        mkdirSync(directory, { recursive: true });
        writeFileSync(join(directory, 'server.toml'), 'redact_reads = true\n');
        return [];
      },
    ],
  ])('replaces secrets in tools and resources, %s', async (way, flagsOf) => {
    const place = new Place();
    const host = await McpHost.start(place, { flags: flagsOf(place) });
    const { session_id } = await host.call('create_session', { program: 'bash', name: 'one' });
    // Typed in two parts, so that the line itself is not one.
    const line = `echo ${token.slice(0, 4)}''${token.slice(4)}`;
    expect(await host.call('run', { session_id, line })).toMatchObject({
      content: hidden,
      redacted: 1,
    });
    const read = await host.call('read', { session_id, view: 'screen' });
    expect(read['content']).toContain(hidden);
    // What follows the prefix stays hidden where it stands alone, as in the echo of the line.
    expect(JSON.stringify(read)).not.toContain(token.slice(4));
    expect(read['redacted']).toBe(2);
    const answer = await host.call('search', { session_id, pattern: '^ghp_' });
    expect(JSON.stringify(answer)).toContain(hidden);
    expect(await host.call('run', { session_id, line: 'true' })).toMatchObject({ redacted: 0 });
    // The name is typed in two parts, too.
    const enter = `d=ghp_; mkdir "$d"${token.slice(4)} && cd $d*`;
    const entered = await host.call('run', { session_id, line: enter });
    expect(entered['cwd']).toBe(join(place.directory, hidden));
    const result = await host.call('get_info', { session_id });
    expect(result['cwd']).toBe(join(place.directory, hidden));
    const { contents } = await host.client.readResource({ uri: 'terminal://one/scrollback' });
    expect(JSON.stringify(contents)).toContain(hidden);
    expect(JSON.stringify(contents)).not.toContain(token);
    const output = await place.vtr(['output', 'one', '--command', '1']);
    if (way === 'by flag') expect(output.stdout).toBe(`${token}\n`);
    else
      expect(output).toMatchObject({ stdout: `${hidden}\n`, stderr: 'vtr: 1 secret replaced\n' });
  });
});

describe('the option answers', () => {
  it.each([
    ['environment', { env: { VTR_ANSWERS: 'full' } }],
    ['flags', { flags: ['--answers', 'full'] }],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the host replaces it
    ['the placeholder of a bundle', { env: { VTR_ANSWERS: '${user_config.answers}' } }],
  ])('by %s', async (name, start) => {
    const host = await McpHost.start(new Place(), start);
    const { session_id } = await host.call('create_session', { program: 'cat' });
    const isFull = name === 'environment' || name === 'flags';
    const answer = await host.call('send', { session_id, text: 'x' });
    expect(answer).toEqual(isFull ? { sent: true, read_result: null } : { sent: true });
    const { tools } = await host.client.listTools();
    const { outputSchema } = tools.find((tool) => tool.name === 'terminal__send') ?? {};
    expect(outputSchema?.['required']).toEqual(isFull ? ['sent', 'read_result'] : undefined);
    expect(host.client.getInstructions()?.includes('absent')).toBe(!isFull);
  });

  it('accepts lean, text and full only', async () => {
    const place = new Place();
    const { status, stderr } = await place.vtr(['mcp'], { env: { VTR_ANSWERS: 'short' } });
    expect(status).toBe(2);
    expect(stderr).toContain('VTR_ANSWERS is "short"; it must be "lean" or "text" or "full"');
  });
});

it.each(Object.entries(ways))('[S1.20] accepts the seven options by %s', async (_name, way) => {
  const place = new Place();
  const start = way(place);
  const host = await McpHost.start(place, {
    ...start,
    env: { SHELL: '/bin/false', ...start?.env, PS1: 'go% ' },
    flags: ['--embedded', '--answers', 'full', ...(start?.flags ?? [])],
  });
  const created = await host.call('create_session');
  expect(created).toMatchObject({
    program: '/bin/sh',
    dimensions: { rows: 30, cols: 100 },
    // The shell does not mark its prompt, and the default pattern does not match it.
    ready: true,
  });
  const { session_id } = created;
  const send = { session_id, text: 'seq 500\n', read: { wait_for_prompt: true } };
  expect((await host.call('send', send)).read_result.outcome).toBe('prompt');
  const { content } = await host.call('read', { session_id, view: 'scrollback' });
  expect(content.split('\n').length).toBeLessThanOrEqual(50 + 30);
  expect((await host.call('search', { session_id, pattern: '^499$' })).matches).toHaveLength(1);
  expect(await host.failure('create_session')).toMatch(/^MAX_SESSIONS: .*\b1\b/);
  const read = { view: 'new', wait_for: ['^vt220$'] };
  const answer = await host.call('send', { session_id, text: 'echo $TERM\n', read });
  expect(answer.read_result).toMatchObject({ outcome: 'matched', matched: 'vt220' });
});
