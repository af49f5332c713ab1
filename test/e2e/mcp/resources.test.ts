import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { type Era, eras, McpHost } from '../../support/mcp/mcp-client.ts';

/** The tests share its daemon. */
const place = Place.forAll();

/** Timeout on a busy machine. */

describe.each(eras)('with protocol version %s', (era) => {
  it('sessions can be read as resources, and their names are completed', async () => {
    const { client, ...host } = await started(era);
    const session = await host.shell();
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      ['screen', 'scrollback', 'commands'].map((kind) => `terminal://${session}/${kind}`),
    );
    expect(await host.read(`terminal://${session}/screen`)).toMatch(/hello\n.*[$#] ?$/);
    expect(await host.read(`terminal://${session}/scrollback`)).toContain('hello');
    const commands = JSON.parse(await host.read(`terminal://${session}/commands`));
    expect(commands).toMatchObject([{ line: 'echo hello', state: 'ended', exit_code: 0 }]);
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'terminal://{session}/screen' },
      argument: { name: 'session', value: 'sess' },
    });
    expect(completion.values).toEqual([session]);
    await expect(client.readResource({ uri: 'terminal://nobody/screen' })).rejects.toMatchObject({
      message: expect.stringContaining('terminal://nobody/screen'),
    });
  });

  it('notifies subscribers of changes, and nobody else', async () => {
    const host = await McpHost.start(place, { era });
    const [session_id, other] = [await host.shell(), await host.shell()];
    const uri = `terminal://${session_id}/screen`;
    const updates = updatesOf(host);
    const stop = await subscribed(host, era, uri);
    await host.call('send', { session_id, text: 'echo $((6*7))\n' });
    await host.call('send', { session_id: other, text: 'echo elsewhere\n' });
    await expect.poll(() => updates.length).toBeGreaterThan(0);
    const { contents } = await host.client.readResource({ uri });
    expect(contents[0]).toMatchObject({ text: expect.stringMatching(/^42$/m) });
    await stop();
    const before = updates.length;
    await host.call('run', { session_id, line: 'echo unheard' });
    // Notifications are ordered: this change is later, so an earlier notification would arrive first.
    const session = await host.call('create_session', { program: 'cat' });
    const later = `terminal://${session.session_id}/screen`;
    await subscribed(host, era, later);
    await host.call('send', { session_id: session.session_id, text: 'x\n' });
    await expect.poll(() => updates.slice(before)).toContain(later);
    expect(new Set(updates.slice(0, before))).toEqual(new Set([uri]));
    expect(updates.slice(before)).not.toContain(uri);
  });

  it('notifies of a flood at intervals, and of its end', async () => {
    const host = await McpHost.start(place, { era });
    const { session_id } = await host.call('create_session', { program: 'cat' });
    const uri = `terminal://${session_id}/scrollback`;
    const updates = updatesOf(host);
    await subscribed(host, era, uri);
    const startMs = performance.now();
    for (let line = 0; line < 50; line++) {
      await host.call('send', { session_id, text: `line ${line}\n`, read: { wait_idle_ms: 10 } });
    }
    const count = updates.length;
    await host.call('send', { session_id, key: 'ctrl+d' });
    await expect.poll(() => updates.length).toBeGreaterThan(count);
    // A notification is sent at least 200 ms after the change, and covers later changes too.
    expect(updates.length).toBeLessThanOrEqual(1 + (performance.now() - startMs) / 200);
  });

  it('watches a session only while somebody is subscribed', async () => {
    const host = await McpHost.start(place, { era, flags: ['--idle-timeout', '2s'] });
    const newSession = async () =>
      (await host.call('create_session', { program: 'cat' })).session_id;
    const left = async () =>
      (await host.call('list_sessions')).sessions.map(
        (each: { session_id: string }) => each.session_id,
      );
    const watched = await newSession();
    const stop = await subscribed(host, era, `terminal://${watched}/screen`);
    const other = await newSession();
    // Both are unused, but watching counts as use.
    await expect.poll(left).not.toContain(other);
    expect(await left()).toEqual([watched]);
    await stop();
    await expect.poll(left).toEqual([]);
  });

  it('notifies of the end of a session, and of changes of the list', async () => {
    const host = await McpHost.start(place, { era });
    const session_id = await host.shell();
    const uri = `terminal://${session_id}/screen`;
    const updates = updatesOf(host);
    let lists = 0;
    host.client.setNotificationHandler('notifications/resources/list_changed', () => {
      lists += 1;
    });
    await subscribed(host, era, uri);
    if (era === '2026-07-28') await host.client.listen({ resourcesListChanged: true });
    await host.call('destroy_session', { session_id, force: true });
    await expect.poll(() => updates).toContain(uri);
    await expect.poll(() => lists).toBeGreaterThan(0);
  });

  it('notifies of the next session of the same name', async () => {
    const host = await McpHost.start(place, { era });
    const named = { name: `next-${era}`, program: 'cat' };
    const { session_id } = await host.call('create_session', named);
    const uri = `terminal://${session_id}/screen`;
    const updates = updatesOf(host);
    await subscribed(host, era, uri);
    await host.call('destroy_session', { session_id });
    await expect.poll(() => updates).toContain(uri);
    await host.call('create_session', named);
    for (const text of ['one\n', 'two\n']) {
      updates.length = 0;
      await host.call('send', { session_id, text, read: { wait_for: [text.trim()] } });
      await expect.poll(() => updates).toContain(uri);
    }
  });

  it('prompts explain how to drive a TUI and how to debug a hang', async () => {
    const { client } = await started(era);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['drive-tui', 'debug-hang']);
    const args = { session_id: 'build' };
    const { messages } = await client.getPrompt({ name: 'debug-hang', arguments: args });
    expect(JSON.stringify(messages)).toContain('session build');
  });
});

it('refuses subscriptions of an older client to resources that do not exist', async () => {
  const { client } = await McpHost.start(place, { era: '2025-11-25' });
  for (const uri of ['terminal://nobody/screen', 'terminal://nobody/x', 'file:///etc/passwd']) {
    await expect(client.subscribeResource({ uri })).rejects.toThrow(uri);
  }
});

/** The URIs whose changes the host is notified of. */
function updatesOf({ client }: McpHost): string[] {
  const texts: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    texts.push(params.uri);
  });
  return texts;
}

/** @returns unsubscribes */
async function subscribed({ client }: McpHost, era: Era, uri: string): Promise<() => unknown> {
  if (era === '2025-11-25') {
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  }
  const subscription = await client.listen({ resourceSubscriptions: [uri] });
  expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: [uri] });
  return () => subscription.close();
}

async function started(era: Era) {
  const host = await McpHost.start(place, { era });
  return {
    client: host.client,
    async shell() {
      const session_id = await host.shell({ program: 'bash' });
      await host.call('run', { session_id, line: 'echo hello' });
      return session_id;
    },
    async read(uri: string): Promise<string> {
      const { contents } = await host.client.readResource({ uri });
      return (contents[0] as { readonly text: string }).text;
    },
  };
}
