import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectSocket, type Socket } from 'node:net';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { type Client, Code, createClient } from '@connectrpc/connect';
import { afterEach, describe, expect, it } from 'vitest';
import { ErrorDetailSchema, PersistState, VTR } from '#messages';
import { connect, type DaemonControls, type DaemonDescription } from '#wire/service';
import { Health } from '../../src/wire/service/gen/grpc/health/v1/health.gen.ts';
import { ServerReflection } from '../../src/wire/service/gen/grpc/reflection/v1/reflection.gen.ts';
import { ServerReflection as ServerReflectionAlpha } from '../../src/wire/service/gen/grpc/reflection/v1alpha/reflection.gen.ts';
import { closed, rawClient, httpRequest as requestText } from '../support/service/raw-client.ts';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';
import { wireTransport } from '../support/service/wire-client.ts';

describe('the service', () => {
  let ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.reverse()) await end();
    ends = [];
  });

  const serve = async (...options: Parameters<typeof serveCoordinator>) => {
    const served = await serveCoordinator(...options);
    ends.push(() => served.end());
    return served;
  };

  const clientOf = (served: ServedCoordinator): Client<typeof VTR> =>
    createClient(VTR, wireTransport(served));

  /** Makes a Connect call as curl does. */
  const post = (
    served: ServedCoordinator,
    method: string,
    body: string | Uint8Array,
    type = 'application/json',
  ) =>
    new Promise<{ status: number | undefined; answer: Record<string, unknown> }>(
      (resolve, reject) => {
        const request = httpRequest({
          socketPath: served.socket,
          path: `/vtr.VTR/${method}`,
          method: 'POST',
          headers: { 'content-type': type },
        });
        request.on('error', reject).on('response', async (response) => {
          const chunks = await response.toArray();
          resolve({
            status: response.statusCode,
            answer: JSON.parse(String(Buffer.concat(chunks))),
          });
        });
        request.end(body);
      },
    );

  it('answers JSON over HTTP/1.1 on the socket that gRPC uses', async () => {
    const served = await serve();
    expect(await post(served, 'Spawn', '{"name":"one","command":"cat"}')).toMatchObject({
      status: 200,
      answer: { session: { name: 'one', status: 'SESSION_STATUS_RUNNING', cols: 80 } },
    });
    expect(await post(served, 'Info', '{"name":"two"}')).toMatchObject({
      status: 404,
      answer: { code: 'not_found', message: expect.stringContaining('"two" not found') },
    });
    const { sessions } = await clientOf(served).list({});
    expect(sessions).toMatchObject([{ name: 'one' }]);
  });

  it.each([
    ['a form, as by curl', 'List', 'application/x-www-form-urlencoded', 415, 'application/json'],
    ['one message for a stream', 'Subscribe', 'application/json', 415, 'application/connect+json'],
    ['HTTP/1.1 for two streams', 'Publish', 'application/connect+json', 505, 'HTTP/2'],
  ])('says why it does not take %s', async (_what, method, type, status, text) => {
    const { socket } = await serve();
    const path = `/vtr.VTR/${method}`;
    const request = httpRequest({ socketPath: socket, path, method: 'POST' });
    request.setHeader('content-type', type).end('{}');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(status);
    expect(String(Buffer.concat(await response.toArray()))).toContain(text);
  });

  it('sends the code of the error table and the facts as a detail', async () => {
    const served = await serve({ maxSessions: 1 });
    await served.local.spawn({ name: 'one', program: 'cat' });
    const error = await clientOf(served)
      .spawn({ command: 'cat' })
      .catch((thrown) => thrown);
    expect(error.code).toBe(Code.ResourceExhausted);
    expect(error.findDetails(ErrorDetailSchema)).toMatchObject([
      { code: 'MAX_SESSIONS', facts: { maxSessions: 1, sessions: ['one'] } },
    ]);
  });

  it('[S3.33] names the call for a recording that is larger than a message', async () => {
    const megabyte = 1024 * 1024;
    const limits = { sessionBytes: 16 * megabyte };
    const served = await serve({ recording: { limits } });
    const publication = await served.local.publish({ by: 'a test' });
    const { session } = publication;
    await publication.write(new Uint8Array(5 * megabyte).fill(0x2e));
    await expect(clientOf(served).dumpAsciinema({ name: session.name })).rejects.toMatchObject({
      code: Code.ResourceExhausted,
      rawMessage: expect.stringContaining('use DumpRecording'),
    });
    let bytes = 0;
    for await (const { data } of clientOf(served).dumpRecording({ name: session.name })) {
      bytes += data.length;
    }
    expect(bytes).toBeGreaterThan(5 * megabyte);
  });

  it('is healthy until it begins to stop', async () => {
    const served = await serve();
    const health = createClient(Health, wireTransport(served));
    for (const service of ['', 'vtr.VTR']) {
      expect(await health.check({ service })).toMatchObject({ status: 1 });
    }
    await expect(health.check({ service: 'other' })).rejects.toMatchObject({ code: Code.NotFound });
    const numbers: number[] = [];
    for await (const { status } of health.watch({})) {
      numbers.push(status);
      if (numbers.length === 1) served.server.close({ graceMs: 10_000 });
    }
    expect(numbers).toEqual([1, 2]);
  });

  it.each([
    ['v1', ServerReflection],
    ['v1alpha', ServerReflectionAlpha],
  ])('describes itself by reflection %s', async (_version, service) => {
    const served = await serve();
    const reflection = createClient(service as typeof ServerReflection, wireTransport(served));
    const questions = [
      { case: 'listServices', value: '' },
      { case: 'fileContainingSymbol', value: 'vtr.VTR' },
      { case: 'fileContainingSymbol', value: 'vtr.VTR.Spawn' },
      { case: 'fileByFilename', value: 'vtr.proto' },
      { case: 'fileByFilename', value: 'other.proto' },
    ] as const;
    async function* ask() {
      for (const messageRequest of questions) yield { messageRequest };
    }
    const answers = [];
    for await (const { messageResponse } of reflection.serverReflectionInfo(ask())) {
      answers.push(messageResponse);
    }
    expect(answers[0]).toMatchObject({
      value: {
        service: expect.arrayContaining([
          expect.objectContaining({ name: 'vtr.VTR' }),
          expect.objectContaining({ name: 'grpc.health.v1.Health' }),
        ]),
      },
    });
    const files = answers.slice(1, 4).map((answer) => {
      if (answer.case !== 'fileDescriptorResponse') throw new Error(`answered ${answer.case}`);
      const { fileDescriptorProto } = answer.value;
      return fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
    });
    const withImports = [
      'vtr.proto',
      'google/protobuf/duration.proto',
      'google/protobuf/struct.proto',
      'google/protobuf/timestamp.proto',
    ];
    expect(files).toEqual([withImports, withImports, withImports]);
    expect(answers[4]).toMatchObject({
      case: 'errorResponse',
      value: { errorCode: Code.NotFound },
    });
  });

  it('describes its daemon, stops and restarts it, if there is one', async () => {
    const description: DaemonDescription = {
      version: '1.2.3',
      pid: 42,
      startedAtMs: 1_700_000_000_000,
      socketPath: '/run/vtr.sock',
      host: { pid: 43, version: '1.2.2' },
      persist: { state: 'stopped', reason: 'the disk is full' },
      silentHosts: 2,
      audit: { directory: '/state/audit', lost: 2, isLosing: true, reason: 'ENOSPC' },
      damaged: [{ path: '/state/a', reason: 'it is damaged' }],
    };
    let stopped = 0;
    const restarted: unknown[] = [];
    const daemon: DaemonControls = {
      describe: () => description,
      stop: () => stopped++,
      restart: async (program) => {
        restarted.push(program);
        return { inForeground: program === undefined };
      },
      directories: async (prefix) => ({ directories: [`${prefix}c`], home: '/home/ann' }),
      agentKinds: async () => [{ kind: 'claude', name: 'Claude Code', inPath: true }],
      makeWorktree: async (directory, branch, from = 'HEAD') => ({
        path: `${directory}.${branch}`,
        from,
      }),
    };
    const client = clientOf(await serve({}, { daemon }));
    expect(await client.describeDaemon({})).toMatchObject({
      version: '1.2.3',
      pid: 42,
      startedAt: { seconds: 1_700_000_000n },
      socketPath: '/run/vtr.sock',
      hostPid: 43,
      hostVersion: '1.2.2',
      silentHosts: 2,
      persist: { state: PersistState.STOPPED, reason: 'the disk is full' },
    });
    expect(await client.listDirectories({ prefix: '/sr' })).toMatchObject({
      directories: ['/src'],
      home: '/home/ann',
    });
    expect((await client.listAgentKinds({})).kinds).toMatchObject([
      { kind: 'claude', name: 'Claude Code', inPath: true },
    ]);
    const wish = { directory: '/src/api', branch: 'fix', from: 'main' };
    expect(await client.makeWorktree(wish)).toMatchObject({
      path: '/src/api.fix',
      labels: { worktree: '/src/api.fix', 'worktree/from': 'main' },
    });
    expect(await client.restartDaemon({})).toMatchObject({ inForeground: true });
    expect(await client.restartDaemon({ program: '/new/vtr' })).toMatchObject({
      inForeground: false,
    });
    expect(restarted).toEqual([undefined, '/new/vtr']);
    await client.stopDaemon({});
    expect(stopped).toBe(1);
    const without = clientOf(await serve());
    await expect(without.stopDaemon({})).rejects.toMatchObject({ code: Code.Unimplemented });
  });

  describe('[law 6] order', () => {
    it('of calls on a connection is the order of their streams, whatever their size', async () => {
      const served = await serve();
      const client = await connect({ socket: served.socket });
      ends.push(() => client.close());
      const script = 'stty raw -echo; echo ready; exec head -c 3000003 | tr -d a';
      await client.spawn({ name: 'one', program: 'sh', args: ['-c', script] });
      // Before it is in raw mode, the terminal drops what is longer than a line can be.
      await client.wait('one', { screen: ['^ready'] });
      const big = 'a'.repeat(1_000_000);
      const messages = [];
      for (const text of ['1', big, '2', big, '3', big])
        messages.push(client.sendText('one', text));
      await Promise.all(messages);
      const { exitStatus } = await client.wait('one');
      expect(exitStatus).toEqual({ code: 0, signal: null });
      expect((await client.screen('one')).text.join('')).toMatch(/123$/);
    });

    it('is kept when an earlier call was cancelled or never sent its message', async () => {
      const served = await serve();
      await served.local.spawn({ name: 'one', program: 'cat' });
      const session = connectHttp2('http://localhost', {
        createConnection: () => connectSocket(served.socket),
      });
      ends.push(() => session.destroy());
      const open = () =>
        session.request({
          ':method': 'POST',
          ':path': '/vtr.VTR/List',
          'content-type': 'application/grpc',
          te: 'trailers',
        });
      const silent = open();
      silent.on('error', () => {});
      const behind = open();
      behind.end(Buffer.alloc(5));
      let answered = false;
      const response = once(behind, 'response').then(() => {
        answered = true;
      });
      // Another connection is not delayed.
      await clientOf(served).list({});
      expect(answered).toBe(false);
      silent.close();
      await response;
      behind.close();
    });
  });

  describe('limits', () => {
    it('[S3.31] refuse text that is not valid UTF-8', async () => {
      const served = await serve();
      await served.local.spawn({ name: 'one', program: 'cat' });
      const message = Buffer.from([0x0a, 3, ...Buffer.from('one'), 0x12, 2, 0xff, 0xfe]);
      const type = 'application/proto';
      const { status, answer } = await post(served, 'SendText', message, type);
      // gRPC's status for messages that cannot be parsed is INTERNAL.
      expect([status, answer]).toMatchObject([500, { code: 'internal' }]);
      expect(answer['message']).toMatch(/utf-?8|encoded data/i);
    });

    it('[S3.31] refuse a message of more than 4 MiB, and keep the connection', async () => {
      const served = await serve();
      const client = await connect({ socket: served.socket });
      ends.push(() => client.close());
      await client.spawn({ name: 'one', program: 'cat' });
      const sending = client.sendBytes('one', new Uint8Array(20 * 1024 * 1024));
      await expect(sending).rejects.toMatchObject({ code: 'INPUT_TOO_LARGE' });
      expect(await client.list()).toHaveLength(1);
    });

    it.each([
      ['garbage', 'PRI garbage\r\n\r\n'],
      ['half a greeting', 'PR'],
      ['an invalid request', '\0\0\0\0'],
      [
        'no authority',
        'POST /vtr.VTR/List HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
      ],
      [
        'an invalid authority',
        'POST /vtr.VTR/List HTTP/1.1\r\nhost: [\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
      ],
    ])('survive a client that sends %s', async (_what, bytes) => {
      const served = await serve();
      const socket: Socket = connectSocket(served.socket);
      socket.on('error', () => {}).resume();
      socket.end(bytes);
      await once(socket, 'close');
      expect(await clientOf(served).list({})).toMatchObject({ sessions: [] });
    });

    it.each(['%2Ftmp%2Fvtr.sock', '['])('ignore the authority %j', async (name) => {
      const served = await serve();
      const session = connectHttp2('http://localhost', {
        createConnection: () => connectSocket(served.socket),
      });
      ends.push(() => session.destroy());
      const stream = session.request({
        ':method': 'POST',
        ':path': '/vtr.VTR/List',
        ':authority': name,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      stream.end(Buffer.alloc(5)).resume();
      const [trailers] = await once(stream, 'trailers');
      expect(trailers['grpc-status']).toBe('0');
    });
  });

  describe('stopping', () => {
    it('answers pending calls and refuses new connections', async () => {
      const served = await serve();
      const client = await connect({ socket: served.socket });
      await client.spawn({ name: 'one', program: 'cat' });
      const waiting = client.wait('one');
      const subscription = await client.subscribe('one');
      await client.list();
      const closing = served.server.close({ graceMs: 30_000 });
      await served.local.close();
      expect((await waiting).outcome).toBe('exited');
      const types = [];
      for await (const { type } of subscription) types.push(type);
      expect(types.at(-1)).toBe('exit');
      await closing;
      await expect(client.list()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await client.close();
    });

    it('closes connections of HTTP/1.1 without a request at once', async () => {
      const served = await serve();
      const idle = rawClient(served.socket, requestText('List', '{}'), '{}');
      await once(idle, 'data');
      await served.server.close({ graceMs: 600_000 });
      await closed(idle);
    });

    it('ends calls that do not end in time, and reports that it is shutting down', async () => {
      const served = await serve();
      const client = await connect({ socket: served.socket });
      ends.push(() => client.close());
      await client.spawn({ name: 'one', program: 'cat' });
      const waiting = client.wait('one');
      await client.list();
      const failed = expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await served.server.close({ graceMs: 10 });
      await failed;
    });
  });
});
