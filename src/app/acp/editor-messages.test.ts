import { describe, expect, it } from 'vitest';
import { capabilitiesIn, withServer, withTerminals } from './editor-messages.ts';
import { messageIn } from './frames.ts';

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
  const all = '{"terminal":true,"_meta":{"terminal_output":true}}';
  it.each([
    ['{}', `{"clientCapabilities":{"_meta":{"terminal_output":true},"terminal":true}}`],
    [
      '{"clientCapabilities":null}',
      `{"clientCapabilities":{"_meta":{"terminal_output":true},"terminal":true}}`,
    ],
    [
      '{"protocolVersion":1,"clientCapabilities":{"fs":{"x":1.50},"terminal":false,"_meta":{"a":9007199254740993}},"_meta":{}}',
      '{"protocolVersion":1,"clientCapabilities":{"fs":{"x":1.50},"terminal":true,"_meta":{"terminal_output":true,"a":9007199254740993}},"_meta":{}}',
    ],
    [`{"clientCapabilities":${all}}`, `{"clientCapabilities":${all}}`],
    ['[]', '[]'],
  ])('changes %s', (before, after) => {
    expect(edit(withTerminals, before)).toBe(after);
  });

  it.each([
    ['{"clientCapabilities":{"terminal":true}}', { terminals: true, displays: false }],
    [`{"clientCapabilities":${all}}`, { terminals: true, displays: true }],
    ['{"clientCapabilities":{"terminal":false,"_meta":{}}}', { terminals: false, displays: false }],
    ['{"clientCapabilities":{"terminal":"true"}}', { terminals: false, displays: false }],
    ['{"clientCapabilities":[]}', { terminals: false, displays: false }],
    ['{}', { terminals: false, displays: false }],
  ])('knows what an editor has: %s', (params, capabilities) => {
    const frame = Buffer.from(`{"method":"initialize","params":${params}}`);
    const message = messageIn(frame);
    expect(message && capabilitiesIn(frame, message)).toEqual(capabilities);
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
