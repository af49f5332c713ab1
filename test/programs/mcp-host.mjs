// A host that starts an MCP server, creates a session, and waits for its exit. It prints the processes
// in one line, and never exits by itself. Arguments: the file to run and its arguments.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const server = spawn(process.execPath, process.argv.slice(2), {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
/** @param {object} message */
const tell = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
/** @param {string} method @param {object} params */
const ask = async (method, params) => {
  tell({ id: 1, method, params });
  return JSON.parse((await answers.next()).value).result;
};

const clientInfo = { name: 'host', version: '1' };
await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
tell({ method: 'notifications/initialized' });
const { structuredContent } = await ask('tools/call', {
  name: 'terminal__create_session',
  arguments: { program: 'sh', args: ['-c', 'sleep 1000; true'] },
});
const { session_id, pid } = structuredContent;
tell({
  id: 2,
  method: 'tools/call',
  params: { name: 'terminal__wait', arguments: { session_id, timeout_ms: 50_000 } },
});
// The wait is registered once the server answers a later call.
await ask('tools/call', { name: 'terminal__get_info', arguments: { session_id } });
console.log(JSON.stringify({ server: server.pid, program: pid, session_id }));
