// An editor that gives its agent terminals. Each one is a session of vtr. The agent here is a few lines
// in the same process; a real agent is a program at the other end of a pipe. Prints one result, and
// fails if a result is not the expected one.
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as acp from '@agentclientprotocol/sdk';
import { LocalCoordinator } from 'vtr';
import { mountTerminals, terminalCapabilities } from 'vtr/acp';

const coordinator = new LocalCoordinator(); // or, for terminals that `vtr ls` shows: await connect({ socket })
const commands: string[] = [];

// The editor: one call mounts the terminals, with options.
const editor = acp.client({ name: 'editor' });
const terminals = mountTerminals(editor, {
  coordinator,
  cwd: () => '/tmp',
  maxTerminals: 8,
  maxRunMs: 60_000,
  audit: ({ event, command }) => commands.push(`${event}: ${command}`),
});
editor.onNotification('session/update', () => {});

// The agent: runs a command with a timeout, as the protocol describes it.
const agent = acp
  .agent({ name: 'agent' })
  .onRequest('initialize', ({ params }) => {
    equal(params.clientCapabilities?.terminal, true);
    return { protocolVersion: acp.PROTOCOL_VERSION };
  })
  .onRequest('session/new', () => ({ sessionId: 'conversation' }))
  .onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
    // Agents also send shell lines as the command.
    const tests = await client.createTerminal({ sessionId, command: 'echo "2 passed"; exit 3' });
    deepEqual(await tests.waitForExit(), { exitCode: 3, signal: null });
    equal((await tests.currentOutput()).output, '2 passed\n');
    await tests.release();
    await rejects(tests.currentOutput(), { code: -32002 });

    const server = await client.createTerminal({
      sessionId,
      command: 'sh',
      args: ['-c', 'echo listening; sleep 1000'],
      outputByteLimit: 10_000,
    });
    await client.notify('session/update', {
      sessionId,
      update: {
        sessionUpdate: 'tool_call',
        toolCallId: 'call',
        title: 'Start the server',
        content: [{ type: 'terminal', terminalId: server.id }],
      },
    });
    while (!(await server.currentOutput()).output.includes('listening')) await sleep(50);
    equal(await Promise.race([sleep(100, 'timeout'), server.waitForExit()]), 'timeout');
    await server.kill();
    const { output, exitStatus } = await server.currentOutput();
    deepEqual([output, exitStatus?.signal], ['listening\n', 'SIGHUP']);
    await server.release();
    return { stopReason: 'end_turn' };
  });

await editor.connectWith(agent, async (context) => {
  await context.request('initialize', {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: terminalCapabilities,
  });
  const { sessionId } = await context.request('session/new', { cwd: '/tmp', mcpServers: [] });
  const prompt = [{ type: 'text' as const, text: 'Run the tests, then the server' }];
  await context.request('session/prompt', { sessionId, prompt });
});

// Released terminals stay readable: the editor shows them by their id, which is the session's name.
await terminals.ended();
const sessions = await coordinator.list();
equal(sessions.length, 2);
for (const { name } of sessions) match(name, /^term_[a-z0-9]{8}$/);
const [first = { name: '' }] = sessions;
const { text } = await coordinator.screen(first.name);
console.log(`${commands.length} records of commands; the first terminal shows: ${text[0]}`);

await coordinator.close();
