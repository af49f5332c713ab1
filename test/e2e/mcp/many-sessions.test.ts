import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { McpHost } from '../../support/mcp/mcp-client.ts';
import { provided } from '../../support/run/needs.ts';

/** The tests share its daemon. */
const place = Place.forAll();

const onLinux = provided(
  process.platform === 'linux',
  'only on Linux: other systems do not report which program reads a terminal',
);

const cat = (host: McpHost, name: string) => host.call('create_session', { program: 'cat', name });

const names = (list: { readonly sessions: readonly { readonly session_id: string }[] }) =>
  list.sessions.map(({ session_id }) => session_id).sort();

describe('terminal__list_sessions', () => {
  onLinux('filters by state, and has the question of sessions that wait', async () => {
    const host = await McpHost.start(place);
    const [asking, idle] = [await host.shell({ name: 'asking' }), await host.shell()];
    await host.call('run', { session_id: asking, line: 'printf "Go on? "; read answer' });
    const waiting = await host.call('list_sessions', { state: 'waiting' });
    expect(waiting).toMatchObject({
      sessions: [{ session_id: asking, state: 'awaiting_input', question: 'Go on?' }],
      count: 1,
    });
    expect(names(await host.call('list_sessions', { state: 'at_prompt' }))).toEqual([idle]);
    expect(await host.failure('list_sessions', { state: 'busy' })).toMatch(
      /: use one of waiting, failed, running/,
    );
  });

  it('filters by the failure of the program', async () => {
    const host = await McpHost.start(place);
    for (const [name, code] of [
      ['good', '0'],
      ['bad', '3'],
    ] as const) {
      await host.call('create_session', { program: 'sh', args: ['-c', `exit ${code}`], name });
      await host.call('wait', { session_id: name });
    }
    const failed = await host.call('list_sessions', { state: 'failed' });
    expect(failed.sessions).toMatchObject([{ session_id: 'bad', exit_code: 3 }]);
    expect(names(await host.call('list_sessions', { state: 'exited' }))).toEqual(['bad', 'good']);
  });

  it('filters by label, which get_info returns too', async () => {
    const host = await McpHost.start(place);
    await cat(host, 'one');
    await cat(host, 'two');
    await place.vtr(['label', 'one', 'team=web']);
    expect(names(await host.call('list_sessions', { label: 'team=web' }))).toEqual(['one']);
    expect(names(await host.call('list_sessions', { label: 'team' }))).toEqual(['one']);
    expect(await host.call('list_sessions', { label: 'team=api' })).toEqual({
      sessions: [],
      count: 0,
    });
    const info = await host.call('get_info', { session_id: 'one' });
    expect(info).toMatchObject({ labels: { team: 'web' } });
  });

  it('names a directory once if sessions share it', async () => {
    const host = await McpHost.start(place);
    for (const name of ['one', 'two', 'three']) await host.shell({ name });
    await host.call('run', { session_id: 'three', line: 'cd /usr' });
    const list = await host.call('list_sessions');
    expect(list.cwd).toEqual(expect.any(String));
    const rows = Object.fromEntries(
      list.sessions.map((row: { session_id: string; cwd?: string }) => [row.session_id, row.cwd]),
    );
    expect(rows).toEqual({ one: undefined, two: undefined, three: '/usr' });
  });
});

it('terminal__get_info names the command that runs', async () => {
  const host = await McpHost.start(place);
  const session_id = await host.shell({ program: 'bash' });
  await host.call('send', { session_id, text: 'sleep 100\n', read: { wait_idle_ms: 300 } });
  expect(await host.call('get_info', { session_id })).toMatchObject({ command: 'sleep 100' });
});

describe('terminal__destroy_session with a glob', () => {
  it('destroys the sessions that this client created, and names them', async () => {
    const [host, other] = [await McpHost.start(place), await McpHost.start(place)];
    for (const name of ['k1', 'k2', 'web']) await cat(host, name);
    await cat(other, 'k3');
    const ended = await host.call('destroy_session', { session_id: 'k*', force: true });
    expect(ended).toEqual({ destroyed: true, sessions: ['k1', 'k2'] });
    expect(names(await host.call('list_sessions'))).toEqual(['k3', 'web']);
    expect(await host.failure('destroy_session', { session_id: 'k*' })).toMatch(
      /^SESSION_NOT_FOUND: no session that you created matches k\*$/,
    );
    expect(await host.call('destroy_session', { session_id: 'k3', force: true })).toMatchObject({
      destroyed: true,
    });
  });

  it('does not destroy a session of another that has the name of one created before', async () => {
    const host = await McpHost.start(place);
    await cat(host, 'k1');
    await place.vtr(['rm', '--force', 'k1']);
    await place.vtr(['spawn', 'k1', '--', 'cat']);
    expect(await host.failure('destroy_session', { session_id: 'k?' })).toMatch(
      /^SESSION_NOT_FOUND/,
    );
    expect(names(await host.call('list_sessions'))).toEqual(['k1']);
  });
});
