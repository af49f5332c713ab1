import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { McpHost } from '../../support/mcp/mcp-client.ts';
import { provided } from '../../support/run/needs.ts';

/** The tests share its daemon. */
const place = Place.forAll();

describe('vtr mcp under load', () => {
  it('uses ten sessions at once, without mixing them up', async () => {
    const host = await McpHost.start(place);
    const sessions = await Promise.all(
      Array.from({ length: 10 }, () => host.shell({ program: 'bash' })),
    );
    const answers = await Promise.all(
      sessions.map((session_id) =>
        host.call('run', { session_id, line: `echo I am ${session_id}` }),
      ),
    );
    expect(answers.map(({ content }) => content)).toEqual(sessions.map((name) => `I am ${name}`));
  });

  it('reads 10 MB of output within its budget, and counts the text left out', async () => {
    const host = await McpHost.start(place, { flags: ['--answers', 'full'] });
    const session_id = await host.shell({ program: 'bash' });
    const line = 'yes 0123456789abcdef | head -c 10000000; echo; echo done';
    const ran = await host.call('run', { session_id, line });
    expect(ran).toMatchObject({ outcome: 'finished', exit_code: 0 });
    expect(ran.content.length).toBeLessThanOrEqual(30_000 + 100);
    expect(ran.content).toMatch(/\ndone$/);
    // The lines above the scrollback are archived: left out, and not lost.
    expect(ran).not.toHaveProperty('lost_lines');
    const total = Math.ceil(10_000_000 / 17) + 1;
    // One line of the content says how many are left out.
    expect(ran.omitted.lines + ran.content.split('\n').length - 1).toBe(total);
    const history = await host.call('read', { session_id, view: 'scrollback', limit: 100_000 });
    expect(history.content.length).toBeLessThanOrEqual(30_000);
    // They are searched by a wait since the input before them, too.
    await host.call('send', { session_id, text: "echo ear''ly; seq 50000", submit: true });
    await place.ok('wait', session_id, '^50000$', '--since', 'start');
    const wait_for = ['^never$'];
    const early = { session_id, wait_for, stop_on: ['^early$'], timeout_ms: 1 };
    expect(await host.call('wait', early)).toMatchObject({ outcome: 'stopped' });
  });

  it('creates and destroys a hundred sessions, and leaves none', async () => {
    const host = await McpHost.start(place);
    for (let round = 0; round < 20; round++) {
      const sessions = await Promise.all(
        Array.from({ length: 5 }, () => host.call('create_session', { program: 'cat' })),
      );
      await Promise.all(
        sessions.map(({ session_id }) => host.call('destroy_session', { session_id, force: true })),
      );
    }
    expect(await host.call('list_sessions')).toEqual({ sessions: [], count: 0 });
  });

  it('sends progress to a client that requested it', async () => {
    const host = await McpHost.start(place);
    const session_id = await host.shell();
    const times: number[] = [];
    await host.client.callTool(
      { name: 'terminal__wait', arguments: { session_id, timeout_ms: 6_000 } },
      { onprogress: ({ progress }) => times.push(progress) },
    );
    expect(times).toEqual([1]);
  });

  const onLinux = provided(
    process.platform === 'linux',
    'only on Linux: its lines have 4,095 bytes',
  );
  onLinux('says where a terminal has cut a line', async () => {
    const host = await McpHost.start(place);
    const args = ['-c', 'echo ready; cat'];
    const { session_id } = await host.call('create_session', { program: 'sh', args });
    await host.call('read', { session_id, wait_for: ['ready'] });
    const answer = await host.call('send', { session_id, text: `${'x'.repeat(5000)}\n` });
    expect(answer).toMatchObject({ sent: true, line_cut_at_bytes: expect.any(Number) });
  });
});
