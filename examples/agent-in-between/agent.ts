// An agent that runs one command in a terminal of its client, shows the terminal, and checks the exit
// status. It uses the protocol's SDK and has no reference to vtr.
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';

const output = Writable.toWeb(process.stdout);
const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;

acp
  .agent({ name: 'agent' })
  .onRequest('initialize', ({ params }) => {
    if (!params.clientCapabilities?.terminal) throw new Error('there are no terminals');
    return { protocolVersion: acp.PROTOCOL_VERSION };
  })
  .onRequest('session/new', () => ({ sessionId: 'conversation' }))
  .onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
    const tests = await client.createTerminal({ sessionId, command: 'echo "2 passed"; exit 3' });
    await client.notify('session/update', {
      sessionId,
      update: {
        sessionUpdate: 'tool_call',
        toolCallId: 'tests',
        title: 'Run the tests',
        content: [{ type: 'terminal', terminalId: tests.id }],
      },
    });
    const { exitCode } = await tests.waitForExit();
    if (exitCode !== 3) throw new Error(`the tests exited ${exitCode}`);
    await tests.release();
    return { stopReason: 'end_turn' };
  })
  .connect(acp.ndJsonStream(output, input));
