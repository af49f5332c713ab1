import { beforeAll, describe, expect, it } from 'vitest';
import { setUp } from '../../../scripts/setup.mjs';
import { eras, McpHost } from '../../support/mcp-client.ts';
import { Place } from '../../support/vtr-command.ts';

beforeAll(() => setUp());

describe.each(eras)('in the era %s', (era) => {
  it('sessions can be read as resources, and their names completed', async () => {
    const { client, ...host } = await started(era);
    const session = await host.shell();
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      ['screen', 'scrollback', 'commands'].map((kind) => `terminal://${session}/${kind}`),
    );
    expect(await host.read(`terminal://${session}/screen`)).toContain('hello');
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

  it('prompts say how to drive a TUI and how to debug a hang', async () => {
    const { client } = await started(era);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['drive-tui', 'debug-hang']);
    const args = { session: 'build' };
    const { messages } = await client.getPrompt({ name: 'debug-hang', arguments: args });
    expect(JSON.stringify(messages)).toContain('session build');
  });
});

async function started(era: (typeof eras)[number]) {
  const host = await McpHost.start(new Place(), { era });
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
