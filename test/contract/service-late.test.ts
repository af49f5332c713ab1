import { connect } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { machineMs } from '#base';
import { SendTextRequestSchema, VTR } from '#messages';
import type { Coordinator } from '#model';
import {
  clockName,
  encodeStartLimit,
  type StartLimit,
  startLimitHeader,
} from '../../src/wire/service/call-headers.ts';
import { encodeFrame, frameTypes, preface } from '../../src/wire/service/frames/frame.ts';
import { httpRequest } from '../../src/wire/service/short/http-request.ts';
import { deferred } from '../support/deferred.ts';
import { runs } from '../support/run/runs.ts';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';
import { type Sent, StallingClient } from '../support/service/stalled-server.ts';

const message = toBinary(
  SendTextRequestSchema,
  create(SendTextRequestSchema, { name: 'one', text: 'x' }),
);

/** The call SendText of each wall, as a client sends it. */
const walls: Record<string, (limit: StartLimit | null) => Sent> = {
  'JSON over HTTP': (limit) => ({ bytes: jsonCall('SendText', { name: 'one', text: 'x' }, limit) }),
  gRPC: (limit) => {
    const body = Buffer.concat([Buffer.alloc(5), message]);
    body.writeUInt32BE(message.length, 1);
    const headers = {
      ':method': 'POST',
      ':path': '/vtr.VTR/SendText',
      te: 'trailers',
      'content-type': 'application/grpc',
      ...(limit && { [startLimitHeader]: encodeStartLimit(limit) }),
    };
    return { http2: { headers, body } };
  },
  frames: (limit) => ({
    bytes: Buffer.concat([
      Buffer.from(preface),
      encodeFrame(frameTypes.clock, 0, Buffer.from(clockName())),
      encodeFrame(frameTypes.call, 1, message, 'SendText', limit ?? sentBefore(1_000)),
    ]),
  }),
};

/** The limit of a call that may be carried out, and was sent before. */
const sentBefore = (agoMs: number): StartLimit => ({
  withinMs: 60_000,
  untilMs: machineMs() + 60_000 - agoMs,
});

function jsonCall(method: string, body: object, limit: StartLimit | null): Buffer {
  const json = JSON.stringify(body);
  const head = [
    `POST /vtr.VTR/${method} HTTP/1.1`,
    'host: localhost',
    'content-type: application/json',
    `content-length: ${json.length}`,
    ...(limit ? [`${startLimitHeader}: ${encodeStartLimit(limit)}`] : []),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${json}`);
}

describe('a call that reaches its coordinator late', () => {
  let served: ServedCoordinator;
  let client: StallingClient;
  let typed: ReturnType<typeof vi.fn>;

  beforeAll(() => {
    client = new StallingClient();
  });
  afterAll(() => client.end());
  beforeEach(async () => {
    served = await serveCoordinator();
    typed = vi.spyOn(served.local, 'sendText').mockResolvedValue({ mark: '' }) as never;
  });
  afterEach(() => served.end());

  /** Resolves when everything that was sent before has been handled. */
  const handled = async () => {
    for (let round = 0; round < 3; round++) {
      await httpRequest(served.socket, '/vtr.VTR/List', '{}', { timeoutMs: 5_000 });
    }
  };

  describe.each(Object.entries(walls))('over %s', (_wall, call) => {
    it.each([
      ['a new connection', true],
      ['a connection that was there', false],
    ])('has no effect if its client has gone meanwhile: %s', async (_which, isNew) => {
      const request = call(null);
      if (!isNew) await client.open(served.socket, 'http2' in request);
      client.send(isNew ? served.socket : null, request, true, 150);
      await handled();
      expect(typed).not.toHaveBeenCalled();
    });

    it('has no effect after its limit, if the clocks are the same', async () => {
      client.send(served.socket, call({ withinMs: 50, untilMs: machineMs() + 50 }), false, 80);
      await handled();
      expect(typed).not.toHaveBeenCalled();
      client.send(served.socket, call({ withinMs: 60_000, untilMs: machineMs() + 60_000 }), false);
      await vi.waitFor(() => expect(typed).toHaveBeenCalledTimes(1));
    });
  });

  it('has no effect if it was cancelled meanwhile', async () => {
    const cancel = encodeFrame(frameTypes.cancel, 1);
    const frames = walls['frames']?.(sentBefore(1_000)) as { readonly bytes: Uint8Array };
    client.send(served.socket, { bytes: Buffer.concat([frames.bytes, cancel]) }, false);
    await handled();
    expect(typed).not.toHaveBeenCalled();
  });

  it('types nothing if its client has gone while it waited for the prompt', async () => {
    const begun = deferred<void>();
    const shown = deferred<void>();
    vi.spyOn(served.local, 'run').mockImplementation(async (_session, request) => {
      begun.resolve();
      await shown.promise;
      await request.beforeTyping?.();
      await served.local.sendText('one', 'x');
      throw new Error('typed');
    });
    const run = jsonCall('RunCommand', { name: 'one', line: 'x' }, sentBefore(0));
    client.send(served.socket, { bytes: run }, false);
    await begun.promise;
    client.send(null, { bytes: Buffer.alloc(0) }, true);
    shown.resolve();
    await handled();
    expect(typed).not.toHaveBeenCalled();
  });

  it('has no effect if only a part of it arrived', async () => {
    const whole = jsonCall('SendText', { name: 'one', text: 'x' }, null);
    const property = fc.asyncProperty(fc.integer({ min: 1, max: whole.length }), async (length) => {
      client.send(served.socket, { bytes: whole.subarray(0, length) }, true);
      await handled();
      expect(typed).not.toHaveBeenCalled();
    });
    await fc.assert(property, runs(20));
  });

  const answerTo = async (header: string) => {
    const request = jsonCall('SendText', { name: 'one', text: 'x' }, null)
      .toString()
      .replace('host:', `${startLimitHeader}: ${header}\r\nconnection: close\r\nhost:`);
    return raw(served.socket, request);
  };

  it('tells a client that waits that it was not carried out', async () => {
    const answer = await answerTo(`50 ${machineMs() - 1000} ${clockName()}`);
    expect(answer).toContain('503');
    expect(answer).toMatch(/not carried out: it came 1\.\d s after it was sent/);
    expect(typed).not.toHaveBeenCalled();
  });

  it.each([
    ['another clock', '5000 1 another-machine'],
    ['no clock', '5000'],
  ])('is counted from its arrival if its client has %s', async (_what, header) => {
    expect(await answerTo(header)).toContain('200 OK');
    expect(typed).toHaveBeenCalledTimes(1);
  });

  it.each(['soon', '', '-1', '1 2', '1 2 ', `1 ${'9'.repeat(400)} x`])(
    'is refused with a limit that is not one: %j',
    async (header) => {
      const answer = await answerTo(header);
      expect(answer).toContain('400 Bad Request');
      expect(answer).toContain(startLimitHeader);
      expect(typed).not.toHaveBeenCalled();
    },
  );
});

describe('every method of the service', () => {
  it('does nothing after the limit of its call', async () => {
    const called: string[] = [];
    const everything = <T extends object>(): T =>
      new Proxy({} as T, {
        get: (_target, name) => (name === 'then' ? undefined : () => called.push(String(name))),
      });
    const parts = { daemon: everything<never>(), web: everything<never>() };
    const served = await serveCoordinator({}, parts);
    const { local } = served;
    for (const name of methodsOf(local)) {
      if (name !== 'close')
        vi.spyOn(local, name as 'list').mockImplementation(refuse(called, name));
    }
    const late = { withinMs: 1, untilMs: machineMs() - 1 };
    for (const method of VTR.methods) {
      if (method.methodKind !== 'unary') continue;
      const request = jsonCall(method.name, {}, late)
        .toString()
        .replace('host:', 'connection: close\r\nhost:');
      expect([method.name, await raw(served.socket, request)]).toEqual([
        method.name,
        expect.stringContaining('"reason":"LATE"'),
      ]);
    }
    expect(called).toEqual([]);
    vi.restoreAllMocks();
    await served.end();
  });
});

const refuse = (called: string[], name: string) => async (): Promise<never> => {
  called.push(name);
  throw new Error(name);
};

const methodsOf = (coordinator: Coordinator): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(coordinator)).filter(
    (name) =>
      name !== 'constructor' && typeof coordinator[name as keyof Coordinator] === 'function',
  );

/** Sends a request and returns the answer, until the server closes the connection. */
function raw(socketPath: string, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    let answer = '';
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('end', () => resolve(answer));
    socket.write(request);
  });
}
