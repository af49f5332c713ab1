import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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
  const told = await host.call('send', { session_id, text: 'echo $TERM\n', read });
  expect(told.read_result).toMatchObject({ outcome: 'matched', matched: 'vt220' });
});
