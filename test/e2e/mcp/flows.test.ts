import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { eras, McpHost } from '../../support/mcp/mcp-client.ts';
import { needs } from '../../support/run/needs.ts';

/** The tests share its daemon. */
const place = Place.forAll();

/** The example flows of the specification; paths and programs are the test's. */
describe.each(eras)('with protocol version %s', (era) => {
  it('[S1.26] flow 1: create a shell, run commands', async () => {
    const host = await McpHost.start(place, { era });
    writeFileSync(join(place.directory, 'a-file'), '');

    const created = await host.call('create_session');
    expect(created).toMatchObject({ session_id: expect.stringMatching(/^sess_[a-z0-9]{8}$/) });
    expect(created.pid).toBeGreaterThan(0);
    expect(created.program).toMatch(/^\/.*sh$/);

    const { session_id } = created;
    const listed = await host.call('send', {
      session_id,
      text: 'ls -la\n',
      read: { view: 'new', wait_for_prompt: true, timeout_ms: 50_000 },
    });
    expect(listed).toMatchObject({ read_result: { prompt_detected: true } });
    expect(listed.read_result.content).toMatch(/total \d+\n[\s\S]*a-file\n[\s\S]*\n.*[$#] ?$/);

    const answer = await host.call('send', {
      session_id,
      text: 'pwd\n',
      read: { view: 'new', wait_for_prompt: true },
    });
    expect(answer).toMatchObject({ read_result: { prompt_detected: true } });
    expect(answer.read_result.content).toContain(`${place.directory}\n`);
    expect(answer.read_result.content).not.toContain('a-file');
  });

  needs('vim')('[S1.26] flow 2: an interactive TUI app', async () => {
    const host = await McpHost.start(place, { era });
    writeFileSync(join(place.directory, 'file.txt'), 'first\nsecond\n');

    const { session_id } = await host.call('create_session', {
      program: 'vim',
      args: ['-u', 'NONE', 'file.txt'],
    });
    const read = { view: 'screen', wait_idle_ms: 200 };
    // The program may pause before it draws.
    const screen = () => expect.poll(() => host.call('read', { session_id, ...read }));
    await screen().toMatchObject({
      cursor: { row: 1, col: 1 },
      content: expect.stringMatching(/^first\nsecond\n~/),
    });

    const moved = await host.call('send', { session_id, key: 'down', read });
    expect(moved).toMatchObject({ read_result: { cursor: expect.anything() } });
    await screen().toMatchObject({ cursor: { row: 2, col: 1 } });

    await host.call('send', { session_id, text: 'ihello world' });
    await host.call('send', { session_id, key: 'escape' });
    const saved = await host.call('send', {
      session_id,
      text: ':wq\n',
      read: { view: 'new', timeout_ms: 50_000 },
    });
    expect(saved).toMatchObject({ read_result: { exited: true, exit_code: 0 } });
    expect(readFileSync(join(place.directory, 'file.txt'), 'utf8')).toBe(
      'first\nhello worldsecond\n',
    );
    expect(await host.call('destroy_session', { session_id })).toMatchObject({ destroyed: true });
  });

  it('presses enter for each line end that is not pasted, also in programs that read raw', async () => {
    const host = await McpHost.start(place, { era });
    const script =
      'stty raw -echo; echo ready; dd bs=1 count=8 2>/dev/null | od -An -v -tx1; stty sane; read -r line; echo "got $line"; cat';
    const { session_id } = await host.call('create_session', {
      program: 'sh',
      args: ['-c', script],
    });
    await host.call('read', { session_id, view: 'screen', wait_for: ['ready'] });
    const raw = { view: 'new', wait_for: ['0a|0d'] };
    const answer = await host.call('send', { session_id, text: 'abc\r\nde\n\n', read: raw });
    expect(answer.read_result).not.toHaveProperty('outcome');
    expect(answer.read_result.content).toContain('61 62 63 0d 64 65 0d 0d');
    const line = { view: 'new', wait_for: ['^got a line'] };
    const canonical = await host.call('send', { session_id, text: 'a line\n', read: line });
    expect(canonical.read_result).not.toHaveProperty('outcome');
    expect(canonical.read_result.content).toBe('a line\ngot a line');
  });

  it('[S1.26] flow 3: multiple concurrent sessions', async () => {
    const host = await McpHost.start(place, { era });
    const a = await host.shell({ cwd: '/usr' });
    const b = await host.shell({ cwd: '/tmp' });

    await host.call('send', { session_id: a, text: 'echo in $PWD\n' });
    await host.call('send', { session_id: b, text: 'echo in $PWD\n' });

    const { sessions, count } = await host.call('list_sessions');
    expect(count).toBe(2);
    expect(sessions.map(({ session_id }: { session_id: string }) => session_id)).toEqual([a, b]);

    for (const [session_id, text] of [
      [a, 'in /usr\n'],
      [b, 'in /tmp\n'],
    ] as const) {
      let content = '';
      const read = async () => {
        content += (await host.call('read', { session_id, view: 'new', wait_idle_ms: 100 }))
          .content;
        return content;
      };
      await expect.poll(read).toContain(text);
    }
  });

  it('[S1.26] flow 4: interrupt and control', async () => {
    const host = await McpHost.start(place, { era });
    const session_id = await host.shell({ program: 'bash' });
    // bash itself ignores a Ctrl-C that arrives between its fork and the program.
    const text = `sh -c 'echo $((1 + 1)) up; exec sleep 3600'\n`;
    await host.call('send', { session_id, text, read: { view: 'new', wait_for: ['^2 up'] } });
    const interrupted = await host.call('send', {
      session_id,
      key: 'c',
      ctrl: true,
      read: { view: 'new', wait_for_prompt: true },
    });
    expect(interrupted).toMatchObject({ read_result: { prompt_detected: true } });
    expect(interrupted.read_result.content).toMatch(/\^C\n.*[$#] ?$/);
  });
});
