import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { deferred } from '../../../test/support/deferred.ts';
import { needs, provided } from '../../../test/support/run/needs.ts';
import { tree } from '../../../test/support/tree.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { openSocket, type ServedPage, servePage } from '../../../test/support/web/fixture-page.ts';
import { ask, replyTo, upgradeStatus } from '../../../test/support/web/page-requests.ts';
import { silentCalls } from '../../../test/support/web/silent-calls.ts';
import type { Others } from './http/request-handler.ts';

it('[S3.32] a page that does not answer pings is gone', async () => {
  const clock = new VirtualClock();
  const page = await servePage({ clock, calls: silentCalls });
  const headers = { origin: page.origin, cookie: page.login() };
  const url = `ws://127.0.0.1:${page.server.port}/ws`;
  const socket = (await openSocket(url, ['v1.vtr'], headers)) as WebSocket;
  const pinged = new Promise((resolve) => socket.once('ping', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  clock.advance(20_000);
  await pinged;
  // As a machine that sleeps.
  socket.pause();
  clock.advance(20_000);
  clock.advance(20_000);
  socket.resume();
  await closed;
  expect(page.server.viewers()).toBe(0);
});

describe('half-sent messages', () => {
  it('close their page when too little more arrives, and not when they are complete', async () => {
    const clock = new VirtualClock();
    const page = await servePage({ clock, calls: silentCalls });
    const headers = { origin: page.origin, cookie: page.login() };
    const url = `ws://127.0.0.1:${page.server.port}/ws`;
    const open = async () => (await openSocket(url, ['v1.vtr'], headers)) as WebSocket;
    const [stuck, whole] = [await open(), await open()];
    const closed = new Promise((resolve) => stuck.once('close', resolve));
    const begin = '{"id": 1, "method": "Ping"';
    for (const socket of [stuck, whole]) socket.send(begin, { fin: false });
    const answered = new Promise((resolve) => whole.once('message', resolve));
    whole.send('}');
    await answered;
    for (let check = 0; check < 3; check++) {
      const pinged = new Promise((resolve) => whole.once('ping', resolve));
      clock.advance(20_000);
      await pinged;
      // The pong of each was received.
      const again = new Promise((resolve) => whole.once('message', resolve));
      whole.send(`${begin}}`);
      await again;
    }
    await closed;
    expect(page.server.viewers()).toBe(1);
  });

  it('of all pages are bounded', async () => {
    const page = await servePage({ calls: silentCalls });
    const headers = { origin: page.origin, cookie: page.login() };
    const url = `ws://127.0.0.1:${page.server.port}/ws`;
    const closed: Promise<number>[] = [];
    for (let count = 0; count < 6; count++) {
      const socket = (await openSocket(url, ['v1.vtr'], headers)) as WebSocket;
      closed.push(new Promise((resolve) => socket.once('close', resolve)));
      socket.send('x'.repeat(3_900_000), { fin: false });
    }
    expect(await Promise.race(closed)).toBe(1013);
  });

  it('close the page that has sent most of them, not one whose message is complete soon', async () => {
    const page = await servePage({ calls: silentCalls });
    const headers = { origin: page.origin, cookie: page.login() };
    const url = `ws://127.0.0.1:${page.server.port}/ws`;
    const open = async () => (await openSocket(url, ['v1.vtr'], headers)) as WebSocket;
    const closed: Promise<number>[] = [];
    for (let count = 0; count < 4; count++) {
      const hostile = await open();
      closed.push(new Promise((resolve) => hostile.once('close', resolve)));
      const sending = new Promise((resolve) =>
        hostile.send('x'.repeat(3_900_000), { fin: false }, resolve),
      );
      await sending;
      // What it has sent has arrived.
      const pong = new Promise((resolve) => hostile.once('pong', resolve));
      hostile.ping();
      await pong;
    }
    const whole = await open();
    const ended = new Promise((resolve) => whole.once('close', resolve));
    const answered = new Promise((resolve) =>
      whole.once('message', (data) => resolve(String(data))),
    );
    whole.send(`{"id": 1, "method": "Ping"}${' '.repeat(2_000_000)}`);
    expect(await Promise.race([answered, ended])).toBe('{"id":1,"result":{}}');
    expect(await Promise.race(closed)).toBe(1013);
    await expect.poll(() => page.server.viewers()).toBe(4);
  });
});

needs('openssl')('[S3.32] with a certificate, the page is served encrypted only', async () => {
  const directory = tree();
  const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const subject = ['-nodes', '-days', '2', '-subj', '/CN=localhost', '-keyout', keyFile];
  execFileSync('openssl', [...words, ...subject, '-out', certFile], { stdio: 'ignore' });
  const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  const page = await servePage({ tls, host: '0.0.0.0' });
  expect(page.server.newLink()).toMatch(/^https:/);
  const { port } = page.server;
  const headers = await new Promise<IncomingHttpHeaders>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/login', method: 'POST', ca: tls.cert };
    const origin = `https://localhost:${port}`;
    const settings = {
      ...options,
      servername: 'localhost',
      headers: { host: `localhost:${port}`, origin },
    };
    const outgoing = secureRequest({ ...settings, agent: false }, (response) => {
      response.resume();
      resolve(response.headers);
    });
    outgoing.once('error', reject);
    outgoing.end(JSON.stringify({ token: page.access.newLink() }));
  });
  expect(headers['set-cookie']?.[0]).toMatch(/^__Host-vtr_\d+=.*; Secure$/);
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  await expect(servePage({ tls: { cert: 'x', key: 'y' } })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  });
});

describe('[S3.32] what one client takes', () => {
  it('ends with 408 for a request that does not become complete', async () => {
    const page = await servePage({ limits: { requestMs: 100, connections: 512 } });
    const head = `POST /login HTTP/1.1\r\nhost: 127.0.0.1:${page.server.port}\r\norigin: ${page.origin}`;
    for (const text of [head, `${head}\r\ncontent-length: 20\r\n\r\n{"token"`]) {
      expect(await replyTo(page, text)).toMatch(
        /^HTTP\/1.1 408 [\s\S]*content-security-policy: default-src 'none'; /i,
      );
    }
  });

  const opened = async ({ server }: ServedPage, host = '127.0.0.1') => {
    const socket = connect(server.port, host);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    await new Promise((resolve) => socket.once('connect', resolve));
    return { socket, closed };
  };

  it('is a limited number of connections: the oldest without a login makes room', async () => {
    const page = await servePage({
      calls: silentCalls,
      limits: { requestMs: 10_000, connections: 2 },
    });
    const headers = { origin: page.origin, cookie: page.login() };
    const own = await openSocket(`ws://127.0.0.1:${page.server.port}/ws`, ['v1.vtr'], headers);
    const stranger = await opened(page);
    const later = await opened(page);
    await stranger.closed;
    expect(own).toMatchObject({ readyState: WebSocket.OPEN });
    // One that is logged in is served, and then nobody makes room.
    expect(await upgradeStatus(page, '/ws', headers)).toBe(101);
    await later.closed;
    const dropped = replyTo(page, 'GET / HTTP/1.1\r\n\r\n').catch(({ code }) => code);
    expect(['', 'ECONNRESET', 'EPIPE']).toContain(await dropped);
    expect(own).toMatchObject({ readyState: WebSocket.OPEN });
  });

  it('is a limited number of pages, also of those that connect at the same time', async () => {
    const fixture = slowOthers(129);
    const page = await servePage({ calls: silentCalls, others: fixture.others });
    const headers = { origin: page.origin, cookie: page.login() };
    const all = Array.from({ length: 129 }, () => upgradeStatus(page, '/ws', headers));
    await fixture.all;
    fixture.answer();
    const statuses = await Promise.all(all);
    expect([101, 503].map((each) => statuses.filter((status) => status === each).length)).toEqual([
      128, 1,
    ]);
    expect(await upgradeStatus(page, '/ws', headers)).toBe(503);
  });

  it('leaves room for those who are logged in, however many visitors with shares connect', async () => {
    const page = await servePage({ calls: silentCalls });
    const { secret } = page.access.share(
      { id: 'id-1', name: 'a', begin: { line: 0, command: 0 } },
      {},
    );
    const visitor = { origin: page.origin, cookie: page.login(secret) };
    const all = Array.from({ length: 100 }, () => upgradeStatus(page, '/ws', visitor));
    const statuses = await Promise.all(all);
    expect([101, 503].map((each) => statuses.filter((status) => status === each).length)).toEqual([
      96, 4,
    ]);
    const own = { origin: page.origin, cookie: page.login() };
    expect(await upgradeStatus(page, '/ws', own)).toBe(101);
  });

  it('is no page of a share that ends while it connects', async () => {
    const fixture = slowOthers(1);
    const page = await servePage({ calls: silentCalls, others: fixture.others });
    const { share, secret } = page.access.share(
      { id: 'id-1', name: 'a', begin: { line: 0, command: 0 } },
      {},
    );
    const headers = { origin: page.origin, cookie: page.login(secret) };
    const status = upgradeStatus(page, '/ws', headers);
    await fixture.all;
    page.access.unshare(share.id);
    page.server.endShare(share.id);
    fixture.answer();
    expect(await status).toBe(401);
  });
});

/** Other coordinators that are asked for a number of times before any answer is given. */
function slowOthers(times: number) {
  const [all, answered] = [deferred<void>(), deferred<Others>()];
  let count = 0;
  const others = () => {
    if (++count === times) all.resolve();
    return answered.promise;
  };
  return {
    others,
    all: all.promise,
    answer: () => answered.resolve({ calls: new Map(), problems: [], isChanging: false }),
  };
}

const hasIpv6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === '::1'),
);

provided(hasIpv6, 'needs ::1')(
  '[S3.32] localhost is answered at both loopback addresses, until the page ends',
  async () => {
    const page = await servePage();
    const host = `localhost:${page.server.port}`;
    const request = `GET /healthz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
    for (const address of ['127.0.0.1', '::1']) {
      expect(await replyTo(page, request, address)).toMatch(/^HTTP\/1.1 204 /);
    }
    const open = connect(page.server.port, '::1');
    await new Promise((resolve) => open.once('connect', resolve));
    const closed = new Promise((resolve) => open.once('close', resolve));
    await page.server.close();
    await closed;
    await expect(replyTo(page, request, '::1')).rejects.toThrow('ECONNREFUSED');
  },
);

provided(hasIpv6, 'needs ::1')('has no connection left that came while it was closed', async () => {
  const page = await servePage();
  const { port } = page.server;
  const opened = async (host: string) => {
    const socket = connect(port, host);
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('connect', resolve));
    return socket;
  };
  const before = await opened('127.0.0.1');
  // Half a request: it is not idle, so the server waits for it.
  before.write('GET / HTTP/1.1');
  const text = `GET /healthz HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`;
  await ask(page, '/healthz');
  const closing = page.server.close();
  const late = await opened('::1');
  let answer = '';
  late.on('data', (chunk) => {
    answer += chunk;
  });
  const ended = new Promise((resolve) => late.once('close', resolve));
  late.write(text);
  before.destroy();
  await closing;
  await ended;
  expect(answer).toBe('');
});

it('[S3.32] a port that is taken is refused, or the next one is used', async () => {
  const { server } = await servePage();
  await expect(servePage({ port: server.port })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: `cannot listen at 127.0.0.1 port ${server.port}: the port is in use; choose another with --port`,
  });
});
