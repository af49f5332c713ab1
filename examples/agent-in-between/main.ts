// `vtr acp` runs between an editor without terminals and an agent that requests one. The editor shows
// text in place of the agent's terminal. Prints that text, and fails if it is not the expected one.
import { equal, match } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import * as acp from '@agentclientprotocol/sdk';

const directory = mkdtempSync(join(tmpdir(), 'vtr-example-'));
const vtr = fileURLToPath(new URL('vtr.cjs', import.meta.resolve('vtr')));
const agent = fileURLToPath(new URL('agent.js', import.meta.url));

// An editor is configured to start `vtr acp -- AGENT ARGS`. Here --embedded keeps the sessions out of
// your own coordinator.
const proxy = spawn(process.execPath, [vtr, 'acp', '--embedded', '--', process.execPath, agent], {
  env: { ...process.env, VTR_SOCKET: join(directory, 'vtr.sock') },
  stdio: ['pipe', 'pipe', 'inherit'],
});

let shown = '';
let wake = (): void => {};
const editor = acp
  .client({ name: 'editor' })
  .onNotification('session/update', ({ params: { update } }) => {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return;
    const [block] = update.content ?? [];
    if (block?.type === 'content' && block.content.type === 'text') shown = block.content.text;
    wake();
  });

const output = Writable.toWeb(proxy.stdin);
const input = Readable.toWeb(proxy.stdout) as ReadableStream<Uint8Array>;
await editor.connectWith(acp.ndJsonStream(output, input), async (client) => {
  // The editor announces no terminals. vtr announces them to the agent.
  await client.request('initialize', { protocolVersion: acp.PROTOCOL_VERSION });
  const { sessionId } = await client.request('session/new', { cwd: directory, mcpServers: [] });
  const prompt = [{ type: 'text' as const, text: 'Run the tests.' }];
  await client.request('session/prompt', { sessionId, prompt });
  while (!shown.includes('exited')) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
});
match(shown, /2 passed\n```\nexited 3 · `vtr attach term_\w{8}` · `vtr screen term_\w{8}`/);

// When the editor closes its side, the proxy, the agent and its programs end.
proxy.stdin.end();
const [status] = await once(proxy, 'exit');
equal(status, 0);
rmSync(directory, { recursive: true });
console.log(`the editor saw: ${shown.split('\n')[1]}`);
