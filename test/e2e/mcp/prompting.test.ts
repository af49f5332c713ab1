import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { McpHost } from '../../support/mcp/mcp-client.ts';
import { testProgram } from '../../support/pty/pty-request.ts';
import { tree } from '../../support/tree.ts';

it('a client leads agents: starts, prompts, waits for and answers them', async () => {
  const host = await McpHost.start(new Place());
  const program = join(tree(), 'codex.mjs');
  copyFileSync(testProgram('coding-agent.mjs'), program);
  for (const name of ['a', 'b']) {
    const agent = { name, agent: 'codex', program: process.execPath, args: [program, 'prompted'] };
    expect(await host.call('create_session', agent)).toMatchObject({ ready: true });
  }
  const send = (session_id: string, args: object) => host.call('send', { session_id, ...args });
  expect(await send('a', { text: 'ask first', submit: true })).toMatchObject({ submitted: true });
  const first = { session_id: ['a', 'b'], agent: 'asks', timeout_ms: 20_000 };
  const answer = await host.call('wait', first);
  expect(answer).toMatchObject({ session_id: 'a', outcome: 'awaiting_input' });
  const question_id = (answer as { menu: { id: string } }).menu.id;

  await send('b', { text: 'look', submit: true });
  const done = await host.call('wait', { ...first, agent: 'idle,asks' });
  expect(done).toMatchObject({ session_id: 'b', outcome: 'agent_idle' });

  const { sessions } = (await host.call('list_sessions')) as { sessions: object[] };
  expect(sessions).toEqual([
    expect.objectContaining({
      session_id: 'a',
      agent: 'codex asks',
      menu: expect.objectContaining({ id: question_id }),
    }),
    expect.objectContaining({ session_id: 'b', agent: 'codex idle, turn 1' }),
  ]);
  const read = { agent: 'idle', timeout_ms: 20_000 };
  const answered = await send('a', { answer: 'yes', question_id, read });
  expect(answered).toMatchObject({
    read_result: { content: expect.stringContaining('all done') },
  });
});
