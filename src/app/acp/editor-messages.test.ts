import { describe, expect, it } from 'vitest';
import { hasTerminals, withServer, withTerminals } from './editor-messages.ts';
import { messageIn } from './frames/message.ts';

type Edit = (frame: Uint8Array, message: NonNullable<ReturnType<typeof messageIn>>) => Uint8Array;

function edit(change: Edit, params: string): string {
  const frame = Buffer.from(`{"jsonrpc":"2.0","id":0,"method":"m","params":${params},"_x":1.0}\n`);
  const message = messageIn(frame);
  if (message === null) throw new Error('no message');
  const [, changed] =
    /"params":(.*),"_x":1.0\}\n$/.exec(Buffer.from(change(frame, message)).toString()) ?? [];
  return changed ?? '';
}

describe('withTerminals', () => {
  it.each([
    ['{}', '{"clientCapabilities":{"terminal":true}}'],
    ['{"clientCapabilities":null}', '{"clientCapabilities":{"terminal":true}}'],
    ['{"clientCapabilities":{}}', '{"clientCapabilities":{"terminal":true}}'],
    [
      '{"protocolVersion":1,"clientCapabilities":{"fs":{"x":1.50},"terminal":false,"_meta":{"a":9007199254740993}},"_meta":{}}',
      '{"protocolVersion":1,"clientCapabilities":{"fs":{"x":1.50},"terminal":true,"_meta":{"a":9007199254740993}},"_meta":{}}',
    ],
    ['{"clientCapabilities":{"terminal":true}}', '{"clientCapabilities":{"terminal":true}}'],
    ['[]', '[]'],
  ])('changes %s', (before, after) => {
    expect(edit(withTerminals, before)).toBe(after);
  });

  it.each([
    ['{"clientCapabilities":{"terminal":true}}', true],
    ['{"clientCapabilities":{"terminal":false}}', false],
    ['{"clientCapabilities":{"terminal":"true"}}', false],
    ['{"clientCapabilities":[]}', false],
    ['{}', false],
  ])('knows who has terminals: %s', (params, has) => {
    const frame = Buffer.from(`{"method":"initialize","params":${params}}`);
    const message = messageIn(frame);
    expect(message && hasTerminals(frame, message)).toBe(has);
  });
});

describe('withServer', () => {
  const server = { name: 'vtr', command: '/vtr', args: ['mcp'], env: [] };
  const added = JSON.stringify(server);
  it.each([
    ['{"cwd":"/"}', `{"mcpServers":[${added}],"cwd":"/"}`],
    ['{"mcpServers":[]}', `{"mcpServers":[${added}]}`],
    ['{"mcpServers":null,"cwd":"/"}', `{"mcpServers":[${added}],"cwd":"/"}`],
    ['{"mcpServers":[{"name":"other"}]}', `{"mcpServers":[{"name":"other"},${added}]}`],
    ['{"mcpServers":[{"name":"vtr","url":"x"}]}', '{"mcpServers":[{"name":"vtr","url":"x"}]}'],
  ])('adds one to %s', (before, after) => {
    expect(edit((frame, message) => withServer(frame, message, server), before)).toBe(after);
  });
});
