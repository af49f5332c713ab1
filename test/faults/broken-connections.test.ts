import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { ignored } from '#base';
import { LocalCoordinator, systemClock } from '#coordinator';
import { type Coordinator, isVtrError, VtrError } from '#model';
import { connect } from '#wire/service';
import { WebAccess, WebServer } from '#wire/web';
import { FailingPtyHost } from '../support/faults/failing-pty-host.ts';
import { openOf, stillHeld } from '../support/faults/leaks.ts';
import { runs } from '../support/run/runs.ts';
import { type Cut, CuttingProxy } from '../support/service/cutting-proxy.ts';
import { serveCoordinator } from '../support/service/served-coordinator.ts';
import { tree } from '../support/tree.ts';

/** One side of a connection that breaks. */
interface Client {
  type(bytes: Uint8Array): Promise<unknown>;
  close(): Promise<void>;
}

/** Two processes of vtr, here in one, with a proxy between them. */
interface Edge {
  readonly proxy: CuttingProxy;
  readonly served: Coordinator;
  open(): Promise<Client>;
  end(): Promise<void>;
}

const root = tree({}, afterAll);
const log = join(root, 'log');
const onEnd: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of onEnd.splice(0).reverse()) await end();
});

/** A program that writes what it reads to a file. */
const writing = {
  name: 'one',
  program: 'sh',
  args: ['-c', `stty raw -echo; echo ready; exec cat >> ${log}`],
  wait: { match: ['ready'] },
};

async function ofClients(): Promise<Edge> {
  const { local, socket, end } = await serveCoordinator();
  await local.spawn(writing);
  const proxy = await CuttingProxy.open(socket);
  const open = async () => {
    const client = await connect({ socket: proxy.socket });
    const type = (bytes: Uint8Array) => client.sendBytes('one', bytes);
    return { type, close: () => client.close() };
  };
  return { proxy, served: local, open, end };
}

async function ofHosts(): Promise<Edge> {
  const host = new FailingPtyHost(join(root, 'host'), () => {});
  await host.open();
  const proxy = await CuttingProxy.open(host.socket);
  const connected = async (socket: string) => {
    const coordinator = new LocalCoordinator({ ptyHost: await host.connect(socket) });
    await coordinator.adopt();
    return coordinator;
  };
  let coordinator = await connected(host.socket);
  await coordinator.spawn(writing);
  return {
    proxy,
    get served() {
      return coordinator;
    },
    async open() {
      coordinator = await connected(proxy.socket);
      const own = coordinator;
      const close = () => ignored(own.detach(), 'the host may be out of reach');
      return { type: (bytes) => own.sendBytes('one', bytes), close };
    },
    end: () => host.close(),
  };
}

async function ofPages(): Promise<Edge> {
  const { local, server, end } = await serveCoordinator();
  await local.spawn(writing);
  const access = new WebAccess({ clock: systemClock });
  const web = await WebServer.open({
    calls: server.jsonCalls,
    sessions: local,
    access,
    pageDirectory: tree({ 'index.html': '' }),
    coordinator: 'test',
    clock: systemClock,
    host: '127.0.0.1',
    port: 0,
  });
  const login = access.login(access.newLink());
  if (typeof login === 'string') throw new Error(login);
  const headers = { origin: web.origin, host: new URL(web.origin).host };
  const cookie = `vtr_${web.port}=${login.cookie}`;
  const proxy = await CuttingProxy.open(web.port);
  const open = () =>
    openPage(
      new WebSocket(`ws://127.0.0.1:${proxy.port}/ws`, 'v1.vtr', {
        headers: { ...headers, cookie },
      }),
    );
  const endAll = async () => {
    await web.close();
    await end();
  };
  return { proxy, served: local, open, end: endAll };
}

/** What a page does: see src/web/link. */
async function openPage(socket: WebSocket): Promise<Client> {
  const lost = new VtrError('UNAVAILABLE', 'the connection is lost');
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const answers = new Map<number, (answer: { error?: { message: string } }) => void>();
  let id = 0;
  socket.on('message', (data, isBinary) => {
    if (isBinary) return;
    const answer = JSON.parse(String(data));
    answers.get(answer.id)?.(answer);
  });
  socket.on('error', () => {});
  await Promise.race([
    new Promise((resolve) => socket.once('open', resolve)),
    closed.then(() => Promise.reject(lost)),
  ]);
  const type = async (bytes: Uint8Array) => {
    id += 1;
    const answer = new Promise<{ error?: { message: string } }>((resolve, reject) => {
      answers.set(id, resolve);
      closed.then(() => reject(lost));
    });
    const data = Buffer.from(bytes).toString('base64');
    socket.send(JSON.stringify({ id, method: 'SendBytes', body: { name: 'one', data } }));
    const { error } = await answer;
    if (error !== undefined) throw new Error(error.message);
  };
  const close = async () => {
    socket.close();
    await closed;
  };
  return { type, close };
}

const bytes = fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 500_000 }));
const direction = fc.constantFrom('up', 'down');
const cut: fc.Arbitrary<Cut> = fc
  .record({
    direction,
    bytes,
    isReset: fc.boolean(),
    pieceBytes: fc.constantFrom(1, 7, 1_000, 1_000_000),
    pauseTurns: fc.constantFrom(0, 1, 20),
  })
  .map(({ direction: way, bytes: limit, ...how }) => ({ [way]: limit, ...how }));
/** A larger one does not fit into the buffer of a socket. */
const size = fc.constantFrom(1, 100, 5_000, 300_000);

let words = 0;

/** Types words, each with a new connection if one is lost. Returns what is wrong. */
async function typed(
  edge: Edge,
  cuts: readonly Cut[],
  sizes: readonly number[],
): Promise<string[]> {
  const { proxy, open } = edge;
  const left = [...cuts];
  proxy.nextCut = () => left.shift() ?? null;
  const wrong: string[] = [];
  const attempts: { word: string; isDone: boolean }[] = [];
  let client: Client | null = null;
  for (const length of sizes) {
    const word = `<${words++}:${'x'.repeat(length)}>`;
    let isDone = false;
    try {
      client ??= await open();
      await client.type(Buffer.from(word));
      isDone = true;
    } catch (error) {
      if (!isVtrError(error)) wrong.push(`fails with ${error}`);
      await client?.close();
      client = null;
    }
    attempts.push({ word, isDone });
  }
  await client?.close();
  proxy.nextCut = () => null;
  const next = await open();
  await next.type(Buffer.from('<end>'));
  await expect.poll(() => readFileSync(log, 'latin1')).toMatch(/<end>$/);
  if ((await edge.served.info('one')).state !== 'running') wrong.push('the program has ended');
  await next.close();
  const text = readFileSync(log, 'latin1');
  truncateSync(log);
  for (const { word, isDone } of attempts) {
    const times = text.split(word).length - 1;
    if (times > 1 || (isDone && times === 0)) wrong.push(`${word.slice(0, 20)}: ${times} times`);
  }
  const whole = [...attempts.map(({ word }) => word), '<end>'];
  const parts = text.match(/<[^>]*>|[^<]+|</g) ?? [];
  for (const part of parts) if (!whole.includes(part)) wrong.push(`typed ${part.slice(0, 20)}`);
  return wrong;
}

describe('a connection that breaks in the middle of frames', () => {
  it.each([
    ['client and daemon', ofClients],
    ['daemon and PTY host', ofHosts],
    ['page and daemon', ofPages],
  ])('between %s: input is typed once or fails, and nothing is left open', async (_what, make) => {
    const edge = await make();
    onEnd.push(
      () => edge.end(),
      () => edge.proxy.close(),
    );
    // What is loaded and opened at first stays.
    await typed(edge, [], [1]);
    const before = openOf(root);
    const property = fc.asyncProperty(
      fc.array(cut, { minLength: 1, maxLength: 6 }),
      fc.array(size, { minLength: 1, maxLength: 6 }),
      async (cuts, sizes) => {
        expect(await typed(edge, cuts, sizes)).toEqual([]);
        expect(await stillHeld(before, root)).toEqual([]);
      },
    );
    await fc.assert(property, runs(12));
  });
});
