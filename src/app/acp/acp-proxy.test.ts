import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OwnCoordinator } from '#app/client';
import { VtrError } from '#model';
import { AcpWire, type WireEnd } from '../../../test/support/acp/acp-wire.ts';
import { maxFrameBytes } from './acp-proxy.ts';

/** Enough for messages that are not about terminals. */
const none = new OwnCoordinator({
  client: 'acp',
  socket: '/nowhere/vtr.sock',
  reach: async (mayStart) => {
    if (mayStart === 'if_left') return false;
    throw new VtrError('UNAVAILABLE', 'there is no coordinator');
  },
}).coordinator;

/** One that runs and never answers. */
const never = () => new Promise<never>(() => {});
const silent = {
  ...new OwnCoordinator({
    client: 'acp',
    socket: '/nowhere/vtr.sock',
    reach: never,
  }).coordinator,
  list: never,
};

const sides = ['editor', 'agent'] as const;
const megabyte = 1024 * 1024;

/** Resolves when streams in memory have passed on all that they can: they need a few turns of the event loop. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await setImmediate();
}

function ends(wire: AcpWire, from: 'editor' | 'agent'): { sender: WireEnd; receiver: WireEnd } {
  const { editor, agent } = wire;
  return from === 'editor'
    ? { sender: editor, receiver: agent }
    : { sender: agent, receiver: editor };
}

/** Messages that are not about terminals. */
const ids = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom('12345678901234567890123', '1.50', 'null', '"a\\u0062"', '-0'),
);
const values = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value));
const methods = fc.constantFrom(
  ...[
    'session/prompt',
    'fs/read_text_file',
    '_x/y',
    'terminals',
    'Terminal/create',
    'session/updates',
  ],
);
const message = fc
  .tuple(methods, ids, values, fc.constantFrom('request', 'notification', 'result', 'error'))
  .map(([method, id, value, kind]) => {
    switch (kind) {
      case 'request':
        return `{"jsonrpc":"2.0", "id":${id},"method":"${method}","params":${value},"_meta":{"a" : 1.0}}`;
      case 'notification':
        return `{"params":${value},"method":"${method}","jsonrpc":"2.0"}`;
      default:
        return `{"jsonrpc":"2.0","${kind}":${value},"id":${id}}`;
    }
  });
const noMessage = fc.constantFrom(
  '',
  '[]',
  '{',
  '"x"',
  'no json',
  '{"a":}',
  '[{"method":"terminal/create"}]',
);
const lines = fc.array(
  fc.tuple(fc.oneof({ weight: 4, arbitrary: message }, noMessage), fc.constantFrom('\n', '\r\n')),
);

describe.each(sides)('frames of the %s that are not about terminals', (from) => {
  it('pass unchanged and in order, however they are chunked', async () => {
    const cuts = fc.array(fc.nat(2_000), { maxLength: 10 });
    const property = fc.asyncProperty(lines, cuts, async (all, places) => {
      const bytes = Buffer.from(all.map((pair) => pair.join('')).join(''));
      const wire = new AcpWire(none).listen();
      const { sender, receiver } = ends(wire, from);
      const marks = [...places.map((at) => Math.min(at, bytes.length)), bytes.length];
      let at = 0;
      for (const end of marks.sort((a, b) => a - b)) {
        sender.says.write(bytes.subarray(at, end));
        at = end;
      }
      await wire.end();
      expect(receiver.heard.toString()).toBe(bytes.toString());
      expect(sender.heard.length).toBe(0);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it('pass with bytes that are not valid UTF-8', async () => {
    const frame = Buffer.concat([
      Buffer.from('{"method":"_x","params":"'),
      Buffer.from([0xff, 0xc3, 0x28]),
      Buffer.from('"}\n'),
    ]);
    const wire = new AcpWire(none).listen();
    const { sender, receiver } = ends(wire, from);
    sender.says.write(frame);
    await wire.end();
    expect(receiver.heard.equals(frame)).toBe(true);
  });

  it('pass if the last one has no line end', async () => {
    const wire = new AcpWire(none).listen();
    const { sender, receiver } = ends(wire, from);
    sender.says.write('{"method":"_half","par');
    await wire.end();
    expect(receiver.heard.toString()).toBe('{"method":"_half","par');
  });

  it.each([10 * megabyte, maxFrameBytes])('pass with %i bytes', async (size) => {
    const [before, after] = ['{"jsonrpc":"2.0","id":1,"method":"_x","params":"', '"}'];
    const fill = 'terminal é '.repeat(size / 12 - 10);
    const padding = ' '.repeat(size - Buffer.byteLength(before + fill + after));
    const frame = Buffer.from(`${before}${fill}${after}${padding}\n`);
    const wire = new AcpWire(none).listen();
    const { sender, receiver } = ends(wire, from);
    sender.says.write(frame);
    expect((await receiver.hearsBytes(frame.length)).equals(frame)).toBe(true);
    await wire.end();
  });
});

describe('a frame over the limit', () => {
  const long = ' '.repeat(maxFrameBytes);

  it.each(sides)(
    'of the %s is answered if it is a request, and the next one passes',
    async (from) => {
      const wire = new AcpWire(none).listen();
      const { sender, receiver } = ends(wire, from);
      sender.says.write(`{"jsonrpc":"2.0","id":"big","method":"_x","params":"${long}"}\n`);
      sender.tell({ jsonrpc: '2.0', method: '_next' });
      const answer = await sender.answerTo('big');
      expect(answer.error).toMatchObject({
        code: -32600,
        message: expect.stringContaining('33554432'),
      });
      await receiver.hearsMessage(({ method }) => method === '_next');
      expect(receiver.messages).toHaveLength(1);
      expect(wire.logged).toHaveLength(1);
      await wire.end();
    },
  );

  it('is an answer: the receiver gets an error in its place', async () => {
    const wire = new AcpWire(none).listen();
    wire.agent.says.write(`{"jsonrpc":"2.0","id":7,"result":"${long}"}\n`);
    expect((await wire.editor.answerTo(7)).error.code).toBe(-32600);
    expect(wire.agent.heard.length).toBe(0);
    await wire.end();
  });

  it('is a request if its parameters precede its method', async () => {
    const wire = new AcpWire(none).listen();
    wire.agent.says.write(`{"id":7,"params":"${long}","method":"_x"}\n`);
    expect((await wire.agent.answerTo(7)).error.code).toBe(-32600);
    expect(wire.editor.heard.length).toBe(0);
    await wire.end();
  });

  it.each([
    `{"params":"${long}","id":7,"method":"_x"}\n`,
    `{"id":7,"_meta":"${long}","result":{}}\n`,
  ])('of unknown kind gets an error without an id: %#', async (frame) => {
    const wire = new AcpWire(none).listen();
    wire.agent.says.write(frame);
    expect((await wire.agent.answerTo(null)).error.code).toBe(-32600);
    expect(wire.editor.heard.length).toBe(0);
    await wire.end();
  });
});

describe('a peer that does not read', () => {
  it.each(sides)('makes the %s wait, and little is buffered', async (from) => {
    const wire = new AcpWire(none);
    const { sender, receiver } = ends(wire, from);
    const frame = `{"method":"_x","params":"${'x'.repeat(10_000)}"}\n`;
    let written = 0;
    for (let count = 0; count < 2_000; count++) {
      written += frame.length;
      if (!sender.says.write(frame)) {
        const drained = new Promise((resolve) => sender.says.once('drain', () => resolve(true)));
        const stuck = idle().then(() => false);
        if (!(await Promise.race([drained, stuck]))) break;
      }
    }
    // Not 20 MB: only the buffers of the test's streams, and a frame or two.
    expect(written).toBeLessThan(500_000);
    receiver.listen();
    await receiver.hearsBytes(written);
    wire[from === 'editor' ? 'agent' : 'editor'].listen();
    await wire.end();
  });
});

describe('initialize', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: 1, clientCapabilities: { terminal: true, _meta: { a: 1 } } },
  };

  it('announces terminals to the agent, whatever the editor has', async () => {
    const wire = new AcpWire(none).listen();
    wire.editor.tell({ ...initialize, params: { protocolVersion: 1, _meta: { x: 1 } } });
    await wire.end();
    expect(wire.agent.messages).toEqual([
      {
        ...initialize,
        params: {
          protocolVersion: 1,
          _meta: { x: 1 },
          clientCapabilities: { terminal: true, _meta: { terminal_output: true } },
        },
      },
    ]);
  });

  const create = { jsonrpc: '2.0', id: 5, method: 'terminal/create', params: { sessionId: 's' } };

  it('of an editor with terminals is unchanged, with passthrough', async () => {
    const wire = new AcpWire(none, { passthrough: true }).listen();
    wire.editor.tell(initialize);
    await wire.agent.hearsMessage(({ method }) => method === 'initialize');
    wire.agent.tell(create);
    wire.agent.tell({ method: '$/cancel_request', params: { requestId: 5 } });
    await wire.editor.hearsMessage(({ method }) => method === '$/cancel_request');
    expect(wire.editor.messages[0]).toEqual(create);
    await wire.end();
  });

  it.each([
    ['without passthrough', false, true],
    ['where the editor has none', true, false],
  ])('%s, terminals are ours', async (_name, passthrough, terminal) => {
    const wire = new AcpWire(none, { passthrough }).listen();
    wire.editor.tell({ ...initialize, params: { clientCapabilities: { terminal } } });
    await wire.agent.hearsMessage(({ method }) => method === 'initialize');
    wire.agent.tell(create);
    // The parameters are invalid; the test checks who answers.
    expect((await wire.agent.answerTo(5)).error.code).toBe(-32602);
    expect(wire.editor.messages).toEqual([]);
    await wire.end();
  });
});

describe('requests of terminals', () => {
  it('of unknown methods are refused, and never reach the editor', async () => {
    const wire = new AcpWire(none).listen();
    wire.agent.tell({ jsonrpc: '2.0', id: 'x', method: 'terminal/resize', params: {} });
    expect((await wire.agent.answerTo('x')).error.code).toBe(-32601);
    wire.agent.tell({ jsonrpc: '2.0', method: 'terminal/kill', params: {} });
    wire.agent.tell({ jsonrpc: '2.0', method: '_after' });
    await wire.editor.hearsMessage(({ method }) => method === '_after');
    expect(wire.editor.messages).toHaveLength(1);
    expect(wire.agent.messages).toHaveLength(1);
    await wire.end();
  });

  it('keep their ids to the last digit', async () => {
    const wire = new AcpWire(none).listen();
    const id = '12345678901234567890123';
    wire.agent.says.write(`{"id":${id},"method":"terminal/output","params":{"sessionId":1}}\n`);
    await wire.agent.hearsMessage(({ error }) => error !== undefined);
    expect(wire.agent.heard.toString()).toContain(`"id":${id},`);
    await wire.end();
  });

  it('with parameters that are not valid JSON are refused', async () => {
    const wire = new AcpWire(none).listen();
    wire.agent.says.write('{"id":3,"method":"terminal/output","params":{"sessionId":+}}\n');
    expect((await wire.agent.answerTo(3)).error.code).toBe(-32700);
    await wire.end();
  });

  it('are not waited for at the end if the coordinator does not answer', async () => {
    const wire = new AcpWire(silent).listen();
    const params = { sessionId: 's', command: 'true' };
    wire.agent.tell({ jsonrpc: '2.0', id: 1, method: 'terminal/create', params });
    wire.agent.tell({ jsonrpc: '2.0', method: '_after' });
    await wire.editor.hearsMessage(({ method }) => method === '_after');
    await wire.end();
    expect(wire.logged).toEqual([expect.stringContaining('does not answer')]);
  });

  it('fail without a coordinator, and other messages pass', async () => {
    const wire = new AcpWire(none).listen();
    const params = { sessionId: 's', command: 'true' };
    wire.agent.tell({ jsonrpc: '2.0', id: 1, method: 'terminal/create', params });
    const { error } = await wire.agent.answerTo(1);
    expect(error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('no coordinator'),
    });
    wire.agent.tell({ jsonrpc: '2.0', method: '_after' });
    await wire.editor.hearsMessage(({ method }) => method === '_after');
    await wire.end();
  });
});

describe('a conversation that begins', () => {
  const server = { name: 'vtr', command: '/vtr', args: ['mcp'], env: [] };

  it.each(['session/new', 'session/load', 'session/resume'])(
    'by %s is given the server, where it is wanted',
    async (method) => {
      const wire = new AcpWire(none, { server }).listen();
      const params = { cwd: '/', mcpServers: [{ name: 'other' }] };
      wire.editor.tell({ jsonrpc: '2.0', id: 1, method, params });
      await wire.end();
      expect(wire.agent.messages[0].params.mcpServers).toEqual([{ name: 'other' }, server]);
    },
  );
});
