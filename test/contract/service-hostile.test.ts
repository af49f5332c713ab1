import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  constants,
} from 'node:http2';
import { connect as connectSocket, type Socket } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SendBytesRequestSchema, WaitForExitRequestSchema } from '#messages';
import { connect } from '#wire/service';
import { encodeFrame, frameTypes } from '../../src/wire/service/frames/frame.ts';
import { SessionDriver } from '../support/command/session-driver.ts';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';

/** A message in gRPC's framing: not compressed, its length, its bytes. */
function framed(message: Uint8Array, length = message.length): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

describe('clients that disconnect or misbehave', () => {
  let served: ServedCoordinator;
  let driver: SessionDriver;
  let sessions: ClientHttp2Session[];
  let sockets: Socket[];
  /** Checks connections after a short silence. */
  let impatient: ServedCoordinator;

  beforeEach(async () => {
    impatient = await serveCoordinator({}, { limits: { headMs: 100 } });
    served = await serveCoordinator();
    driver = new SessionDriver(served.local);
    sessions = [];
    sockets = [];
  });
  afterEach(async () => {
    for (const session of [...sessions, ...sockets]) session.destroy();
    await Promise.all([served.end(), impatient.end()]);
  });

  const http2 = () => {
    const session = connectHttp2('http://localhost', {
      createConnection: () => connectSocket(served.socket),
    });
    session.on('error', () => {});
    sessions.push(session);
    return session;
  };

  const open = (session: ClientHttp2Session, method: string): ClientHttp2Stream => {
    const stream = session.request({
      ':method': 'POST',
      ':path': `/vtr.VTR/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('error', () => {}).resume();
    return stream;
  };

  it('send text whole or not at all, wherever their connection breaks', async () => {
    const session = await driver.ready('stty raw -echo; echo ready; exec cat');
    const piece = (index: number) => `<${String(index).padStart(2, '0')}${'x'.repeat(3000)}>`;
    for (let index = 0; index < 40; index++) {
      const data = Buffer.from(piece(index));
      const message = create(SendBytesRequestSchema, { name: session.name, data });
      const bytes = framed(toBinary(SendBytesRequestSchema, message));
      const client = http2();
      const stream = open(client, 'SendBytes');
      // From no byte up to all but the end of the stream.
      await new Promise((resolve) =>
        stream.write(bytes.subarray(0, Math.ceil((bytes.length * index) / 39)), resolve),
      );
      client.destroy();
    }
    const end = served.local.wait(session, { match: ['END'] });
    await served.local.sendText(session, 'END');
    await end;
    const text = (await driver.text(session)).replace('ready', '').replaceAll(/\s/g, '');
    const whole = Array.from({ length: 40 }, (_, index) => piece(index));
    const pieces = text.replace('END', '').match(/<[^>]*>|[^<]+/g) ?? [];
    expect(pieces.filter((each) => !whole.includes(each))).toEqual([]);
    expect(new Set(pieces).size).toBe(pieces.length);
  });

  it('cancel their calls: their wait ends, the program is not affected', async () => {
    const session = await driver.ready('echo ready; exec sleep 1000');
    const client = await connect({ socket: served.socket });
    const waiting = client.wait(session);
    const failed = expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await client.list();
    await client.close();
    await failed;
    expect((await served.local.info(session)).state).toBe('running');
  });

  it('may not have more than 1024 pending calls on a connection, and affect no other', async () => {
    const session = await driver.ready('echo ready; exec sleep 1000');
    const message = create(WaitForExitRequestSchema, { name: session.name });
    const bytes = framed(toBinary(WaitForExitRequestSchema, message));
    const client = http2();
    await once(client, 'remoteSettings');
    expect(client.remoteSettings.maxConcurrentStreams).toBe(1024);
    const streams = Array.from({ length: 1500 }, () => open(client, 'WaitForExit'));
    for (const stream of streams) stream.end(bytes);
    // Served by the same process as the streams, which takes its time.
    const other = await connect({ socket: served.socket, timeoutMs: 60_000 });
    expect(await other.list()).toHaveLength(1);
    await other.close();
  });

  it.each([
    ['settings of a stream', '000014049e00000004583bfe8153f911a2c248af36eab20b4b188c8019'],
    ['data before headers', '000001000000000001ff'],
    ['a push', '000004050400000001000000ff'],
  ])('lose their connection when they violate the protocol by %s', async (_what, frame) => {
    const socket = connectSocket(impatient.socket);
    socket.on('error', () => {}).resume();
    const settings = '000000040000000000';
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    socket.write(Buffer.from(settings + frame, 'hex'));
    await once(socket, 'close');
  });

  it('keep their connection when they are only silent', async () => {
    const client = connectHttp2('http://localhost', {
      createConnection: () => connectSocket(impatient.socket),
    });
    sessions.push(client);
    await once(client, 'ping');
    const later = await driver.spawn({ program: 'sleep', args: ['1.5'] });
    await driver.exitOf(later);
    const stream = open(client, 'List');
    stream.end(framed(new Uint8Array(0)));
    const [trailers] = await once(stream, 'trailers');
    expect(trailers['grpc-status']).toBe('0');
  });

  it('are refused a message of 100 MB before it is received', async () => {
    const client = http2();
    const stream = open(client, 'SendBytes');
    const trailers = once(stream, 'trailers');
    stream.write(framed(new Uint8Array(1000), 100 * 1024 * 1024));
    const [headers] = await trailers;
    expect(headers['grpc-status']).toBe(String(Code.ResourceExhausted));
    stream.close(constants.NGHTTP2_CANCEL);
  });

  it('get 501 for a transfer coding besides chunked, and no answer to what follows', async () => {
    const ask = (coding: string) =>
      `POST /vtr.VTR/List HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    const last = 'GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    const received = async (text: string) => {
      const socket = connectSocket(served.socket);
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {});
      socket.write(text + last);
      await once(socket, 'close');
      return Buffer.concat(chunks).toString();
    };
    expect((await received(ask('Chunked') + ask('chunked'))).match(/HTTP\/1.1 200/g)).toHaveLength(
      3,
    );
    for (const coding of ['gzip, chunked', 'identity\r\ntransfer-encoding: chunked']) {
      const answer = await received(ask(coding) + ask('chunked'));
      expect(answer).toMatch(/^HTTP\/1.1 501 [\s\S]*^connection: close\r$/im);
      expect(answer.match(/HTTP\/1.1 /g)).toHaveLength(1);
    }
  });

  it('have their requests of HTTP/1.1 handled one after another, and may not send many ahead', async () => {
    const session = await driver.ready('echo ready; exec cat');
    const ask = (method: string, body: object) => {
      const text = JSON.stringify({ name: session.name, ...body });
      return `POST /vtr.VTR/${method} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
    };
    const wait = ask('Wait', { wait: { match: ['typed'] } });
    const connection = () => {
      const socket = connectSocket(served.socket);
      sockets.push(socket);
      return socket.on('error', () => {});
    };
    const typing = connection();
    let answers = '';
    typing.on('data', (chunk) => {
      answers += chunk;
    });
    // The text is not sent before the wait has ended, by other text.
    typing.write(wait + ask('SendText', { text: 'second\n' }));
    await driver.coordinator.sendText(session, 'typed\n');
    while (answers.match(/HTTP\/1.1 200/g)?.length !== 2) await once(typing, 'data');
    await driver.coordinator.wait(session, { screen: ['second'] });
    const { text } = await driver.coordinator.screen(session);
    expect(text.join('\n')).toMatch(/typed[\s\S]*second/);
    const flood = connection();
    flood.write(wait + ask('Info', {}).repeat(100));
    await once(flood, 'close');
    expect((await driver.coordinator.info(session)).state).toBe('running');
  });

  it('that have thousands of calls refused are read slowly, so that others go on', async () => {
    const session = await driver.spawn({ program: 'cat' });
    const socket = connectSocket(served.socket);
    sockets.push(socket);
    let answered = 0;
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        answered += bytes.toString('latin1').split('REQUEST_BACKLOG').length - 1;
      });
    const call = (number: number) =>
      encodeFrame(
        frameTypes.call,
        number,
        Buffer.concat([Buffer.of(0x0a, session.name.length), Buffer.from(session.name)]),
        'WaitForExit',
      );
    const count = 40_000;
    socket.write('vtr/2\n');
    for (let number = 1; number <= count; number++) socket.write(call(number));
    while (answered === 0) await new Promise((resolve) => setImmediate(resolve));
    const client = await connect({ socket: served.socket });
    const before = answered;
    for (let round = 0; round < 5; round++) await client.list();
    expect(answered).toBeLessThan(count);
    // Without the limit it is all of them. On a busy machine, five answers take long.
    expect(answered - before).toBeLessThan(count / 4);
    await client.close();
  });

  it('that read nothing delay no other client', async () => {
    const flood = await driver.spawn({ program: 'yes' });
    const stuck = http2();
    for (const flags of [0x10, 0x18]) {
      const stream = open(stuck, 'Subscribe');
      stream.pause();
      const name = Buffer.from(flood.name);
      stream.end(framed(Buffer.from([0x0a, name.length, ...name, flags, 1])));
    }
    const client = await connect({ socket: served.socket });
    const session = await driver.ready('stty -echo; echo ready; exec cat');
    for (let round = 0; round < 30; round++) {
      const waiting = client.wait(session, { match: [`^round ${round}\\.`] });
      await client.sendText(session, `round ${round}.\n`);
      expect((await waiting).outcome).toBe('matched');
    }
    await client.close();
  });
});
