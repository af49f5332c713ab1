import { connect as connectSocket } from 'node:net';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { VTR } from '#messages';
import { unaryCall } from '../../src/wire/service/short/unary-call.ts';
import { runs } from '../support/run/runs.ts';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';

let served: ServedCoordinator;

beforeAll(async () => {
  served = await serveCoordinator({}, { version: '1.2.3' });
});
afterAll(() => served.end());
afterEach(() => vi.restoreAllMocks());

const typed = () => vi.spyOn(served.local, 'sendText').mockResolvedValue({ mark: '' });

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
}

/** Makes a call of HTTP/1.1. @returns the status line and the body */
function post(
  method: string,
  body: Uint8Array,
  { headers = {}, type = 'application/json' }: Asked = {},
): Promise<string> {
  const head = [
    `POST /vtr.VTR/${method} HTTP/1.1`,
    'host: localhost',
    'connection: close',
    `content-type: ${type}`,
    `content-length: ${body.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return new Promise((resolve, reject) => {
    const socket = connectSocket(served.socket);
    const answer: Buffer[] = [];
    socket.on('error', reject).on('data', (chunk) => answer.push(chunk));
    socket.on('end', () => {
      const [first = '', ...rest] = Buffer.concat(answer).toString().split('\r\n');
      resolve(`${first}\n${rest.join('\n')}`);
    });
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]));
  });
}

const twice = [
  ['the same name', '{"name":"one","text":"a","text":"b"}', 'text'],
  ['a name that is escaped', '{"name":"one","text":"a","te\\u0078t":"b"}', 'text'],
  ['a name in a message', '{"name":"one","wait":{"match":["a"],"match":[]}}', 'wait.match'],
];

const postJson = (method: string, body: object, options: Asked = {}) =>
  post(method, Buffer.from(JSON.stringify(body)), options);

/** In a stream of Connect or gRPC. */
function enveloped(body: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** The longest beginning that is UTF-8. */
function validBytes(bytes: Uint8Array): number {
  for (let length = bytes.length; ; length--) {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length));
      return length;
    } catch {
      // A shorter one may be.
    }
  }
}

describe('a request in JSON', () => {
  it('types the text that it has, or is refused with the offset of what is not UTF-8', async () => {
    const before = Buffer.from('{"name": "one", "text": "');
    const sendText = typed();
    // Bytes with a meaning in JSON and in UTF-8.
    const special = fc.constantFrom(
      ...[0xff, 0xc0, 0xed, 0xa0, 0x80, 0xef, 0xbf, 0xbd, 0xf4, 0x90],
    );
    const letter = fc.integer({ min: 0x61, max: 0x7a });
    const text = fc
      .string({ unit: 'binary' })
      .map((each) => [...Buffer.from(JSON.stringify(each).slice(1, -1))]);
    const bytes = fc
      .array(
        fc.oneof(
          special.map((each) => [each]),
          letter.map((each) => [each]),
          text,
        ),
      )
      .map((parts) => Buffer.from(parts.flat()));
    const property = fc.asyncProperty(bytes, async (part) => {
      sendText.mockClear();
      const body = Buffer.concat([before, part, Buffer.from('"}')]);
      const answer = await post('SendText', body);
      const valid = validBytes(body);
      if (valid < body.length) {
        const byte = (body[valid] ?? 0).toString(16).toUpperCase();
        expect(answer).toContain('400 Bad Request');
        expect(answer).toContain(`not UTF-8: byte ${byte} at offset ${valid}"`);
        expect(sendText).not.toHaveBeenCalled();
      } else {
        expect(sendText.mock.calls[0]?.[1]).toBe(JSON.parse(`"${part.toString()}"`));
      }
    });
    await fc.assert(property, runs(12));
  });

  it.each([
    ['half a character', '"\\ud83d"', 'field text is not text: \\\\ud83d at character 0 is half'],
    ['its other half', '"ab\\udE00"', 'field text is not text: \\\\ude00 at character 2 is half'],
  ])('is refused with %s', async (_what, text, message) => {
    const sendText = typed();
    const answer = await post('SendText', Buffer.from(`{"name": "one", "text": ${text}}`));
    expect(answer).toContain('400 Bad Request');
    expect(answer).toContain(message);
    expect(sendText).not.toHaveBeenCalled();
  });

  it.each([
    ['Wait', { name: 'a', wait: { match: ['x'], timout: '2s' } }, 'wait.timout', 'wait.timeout'],
    ['Wait', { name: 'a', match: ['x'], timeout: '2s' }, 'match', 'wait.match'],
    [
      'SendText',
      { name: 'a', text: 'x', wait: { tail: { maxLine: 1 } } },
      'wait.tail.maxLine',
      'wait.tail.maxLines',
    ],
    [
      'SendKey',
      { keys: [{ shortForm: 'a' }, { shrtForm: 'b' }] },
      'keys[1].shrtForm',
      'keys[1].shortForm',
    ],
    ['Spawn', { comand: 'make' }, 'comand', 'command'],
    ['List', { colour: 'red' }, 'colour', null],
  ])('of %s is refused with an unknown field: %j', async (method, body, at, meant) => {
    const answer = await postJson(method, body);
    expect(answer).toContain('400 Bad Request');
    expect(answer).toContain(`unknown field \\"${at.split('.').at(-1)?.replace(/.*\]/, '')}\\"`);
    if (meant === null) expect(answer).not.toContain('did you mean');
    else expect(answer).toMatch(new RegExp(`did you mean ${meant.replace(/[[\].]/g, '\\$&')}[ ?]`));
    expect(answer).toMatch(/ [A-Z]\w+ of vtr 1\.2\.3 has \w/);
    expect(answer).toContain(`"field":"${at}"`);
  });

  it('is refused with an unknown value of an enum, unless its client is newer', async () => {
    const sendText = typed();
    const body = { name: 'one', text: 'x', paste: 'PASTE_MODE_ALWAY' };
    const answer = await postJson('SendText', body);
    expect(answer).toContain('400 Bad Request');
    expect(answer).toMatch(
      /unknown value \\"PASTE_MODE_ALWAY\\" of paste; did you mean PASTE_MODE_/,
    );
    expect(sendText).not.toHaveBeenCalled();
    const headers = { 'vtr-version': '1.10.0' };
    expect(await postJson('SendText', body, { headers })).toContain('200 OK');
    const message = { ...body, paste: 'PASTE_MODE_NEVER' };
    expect(await postJson('SendText', message)).toContain('200 OK');
    expect(sendText).toHaveBeenCalledTimes(2);
  });

  it('is refused with a field under both of its names', async () => {
    const answer = await postJson('SendText', { name: 'a', session_id: 'x', sessionId: 'y' });
    expect(answer).toContain('field sessionId is given twice');
  });

  it('that streams is refused in the same way', async () => {
    const type = 'application/connect+json';
    const unknown = enveloped(Buffer.from('{"name": "a", "includeEvent": true}'));
    expect(await post('Subscribe', unknown, { type })).toMatch(/did you mean includeEvents\?/);
    const invalid = enveloped(Buffer.from([...Buffer.from('{"name": "a'), 0xff, 0x22, 0x7d]));
    expect(await post('Subscribe', invalid, { type })).toContain('byte FF at offset 11');
  });
});

describe('a client that names its version', () => {
  const body = { name: 'one', text: 'x', sparkle: true };

  it('that is newer has its unknown fields ignored', async () => {
    const sendText = typed();
    const headers = { 'vtr-version': '1.10.0' };
    expect(await postJson('SendText', body, { headers })).toContain('200 OK');
    expect(sendText).toHaveBeenCalledTimes(1);
  });

  it.each(['1.2.3', '1.2.2', '0.9.9'])('that is not newer has not: %s', async (version) => {
    const sendText = typed();
    const answer = await postJson('SendText', body, { headers: { 'vtr-version': version } });
    expect(answer).toContain('unknown field');
    expect(sendText).not.toHaveBeenCalled();
  });

  it('that is no version is refused', async () => {
    const answer = await postJson('SendText', body, { headers: { 'vtr-version': 'newest' } });
    expect(answer).toContain('the header vtr-version is');
  });

  it('and what it needs is refused with both versions if that is not known', async () => {
    const sendText = typed();
    const headers = { 'vtr-version': '1.10.0', 'vtr-needs': 'inputId, driver_epoch, sparkle' };
    const answer = await postJson('SendText', body, { headers });
    expect(answer).toMatch(
      /vtr 1\.10\.0 .* needs the field sparkle of SendText, which vtr 1\.2\.3 /,
    );
    const transport = createGrpcTransport({
      baseUrl: 'http://localhost',
      nodeOptions: { createConnection: () => connectSocket(served.socket) },
      idleConnectionTimeoutMs: 50,
    });
    const call = createClient(VTR, transport).sendText({ name: 'one', text: 'x' }, { headers });
    await expect(call).rejects.toThrow('needs the field sparkle');
    expect(sendText).not.toHaveBeenCalled();
    const withNeeds = { ...headers, 'vtr-needs': 'inputId,driver_epoch,timeout,match' };
    expect(await postJson('SendText', body, { headers: withNeeds })).toContain('200 OK');
  });

  it('is the short client, which names the fields that must not be ignored', async () => {
    const sendText = typed();
    const message = { name: 'one', text: 'x', inputId: 'id' };
    const options = { timeoutMs: 5_000, version: '99.0.0' };
    await unaryCall(served.socket, 'sendText', message, options);
    expect(sendText.mock.calls[0]?.[2]?.inputId).toBe('id');
  });
});

it.each(twice)('a request with %s twice is refused', async (_what, json, field) => {
  const sendText = typed();
  const answer = await post('SendText', Buffer.from(json));
  expect(answer).toContain('400');
  expect(answer).toContain(`field ${field} is given twice`);
  expect(sendText).not.toHaveBeenCalled();
});
