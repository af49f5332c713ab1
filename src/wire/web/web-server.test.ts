import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type WebSocket from 'ws';
import { defined } from '#base';
import { type SessionInfo, VtrError } from '#model';
import { tree } from '../../../test/support/tree.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import {
  type Answered,
  openSocket,
  type ServedPage,
  servePage,
} from '../../../test/support/web/fixture-page.ts';
import { ask, replyTo, upgradeStatus } from '../../../test/support/web/page-requests.ts';
import { noSessions, silentCalls } from '../../../test/support/web/silent-calls.ts';

const policies = [
  ...['content-security-policy', 'cross-origin-opener-policy', 'cross-origin-resource-policy'],
  ...['permissions-policy', 'referrer-policy', 'x-content-type-options'],
];

describe('requests that are refused', () => {
  it('are told with what they lack, without their query, and few of a flood', async () => {
    const clock = new VirtualClock();
    const messages: unknown[] = [];
    const page = await servePage({ clock, onRefused: (refused) => void messages.push(refused) });
    const host = `127.0.0.1:${page.server.port}`;
    await ask(page, '/me');
    await ask(page, '/', { headers: { host: 'evil.example' } });
    await upgradeStatus(page, '/alis/codex?t=secret', { host }, ['v1.alis']);
    expect(messages).toMatchObject([
      { kind: 'web', lacks: 'host', details: { path: '/', host: 'evil.example' }, untold: 0 },
      { kind: 'web', lacks: 'token', details: { path: '/alis/codex', host } },
    ]);
    expect(JSON.stringify(messages)).not.toContain('secret');
    const flood = () => ask(page, '/', { headers: { host: 'evil.example' } });
    for (let count = 0; count < 30; count++) await flood();
    expect(messages).toHaveLength(20);
    clock.advance(60_000);
    await flood();
    expect(messages.at(-1)).toMatchObject({ untold: 12 });
  });
});

describe('[S3.32] who may ask', () => {
  /** The status with our Host, our Origin or none where that may be, and a cookie or none. */
  const routes: readonly {
    readonly path: string;
    readonly method: string;
    readonly status: number;
    readonly unknown: number;
  }[] = [
    { path: '/', method: 'GET', status: 200, unknown: 200 },
    { path: '/', method: 'HEAD', status: 200, unknown: 200 },
    { path: '/assets/app.0a1b2c.js', method: 'GET', status: 200, unknown: 200 },
    { path: '/healthz', method: 'GET', status: 204, unknown: 204 },
    { path: '/me', method: 'GET', status: 200, unknown: 401 },
    { path: '/recordings/x', method: 'GET', status: 503, unknown: 401 },
    { path: '/login', method: 'POST', status: 400, unknown: 400 },
    { path: '/login', method: 'GET', status: 405, unknown: 405 },
    { path: '/me', method: 'POST', status: 405, unknown: 405 },
    { path: '/', method: 'DELETE', status: 405, unknown: 405 },
    { path: '/nothing', method: 'GET', status: 404, unknown: 404 },
    { path: '/../package.json', method: 'GET', status: 404, unknown: 404 },
    { path: '/ws', method: 'UPGRADE', status: 101, unknown: 401 },
    { path: '/alis/codex', method: 'UPGRADE', status: 503, unknown: 401 },
    { path: '/other', method: 'UPGRADE', status: 404, unknown: 404 },
  ];

  it.each(routes)('$method $path: 12 cases of Host, Origin and cookie', async (route) => {
    const page = await servePage({ onFault: () => {} });
    const { path, method, status, unknown } = route;
    const { port } = page.server;
    const cookie = page.login();
    const acts = method !== 'GET' && method !== 'HEAD';
    const cases = ['127.0.0.1', 'evil.example'].flatMap((name) =>
      [page.origin, 'http://evil.example', null].flatMap((origin) =>
        [cookie, null].map((each) => ({ host: `${name}:${port}`, origin, cookie: each })),
      ),
    );
    expect(cases).toHaveLength(12);
    const expected = cases.map((each) => {
      const isOurs = each.host.startsWith('127.') && each.origin !== 'http://evil.example';
      if (!isOurs || (acts && each.origin === null)) return 403;
      return each.cookie === null ? unknown : status;
    });
    const statuses = await Promise.all(
      cases.map(async ({ host, origin, cookie: text }) => {
        const headers = {
          host,
          ...defined({ origin, cookie: text }),
        };
        if (method !== 'UPGRADE') return (await ask(page, path, { method, headers })).status;
        return upgradeStatus(page, path, headers, ['v1.vtr', 'v1.alis']);
      }),
    );
    expect(statuses).toEqual(expected);
  });

  it.each(['localhost', '127.0.0.1', '[::1]'])('answers as %s with its port only', async (name) => {
    const page = await servePage();
    const { port } = page.server;
    const hosts = [`${name}:${port}`, name, `${name}:1`, `${name}.evil.example:${port}`];
    const answers = await Promise.all(
      hosts.map((host) => ask(page, '/healthz', { headers: { host } })),
    );
    expect(answers.map(({ status }) => status)).toEqual([204, 403, 403, 403]);
  });

  it('refuses what another site asks for, also without an origin', async () => {
    const page = await servePage();
    const statusOf = async (path: string, site: string) =>
      (await ask(page, path, { headers: { 'sec-fetch-site': site } })).status;
    const sites = ['same-origin', 'none', 'same-site', 'cross-site'];
    expect(await Promise.all(sites.map((site) => statusOf('/', site)))).toEqual([
      ...[200, 200, 403, 403],
    ]);
    const script = '/assets/app.0a1b2c.js';
    expect(await Promise.all(sites.map((site) => statusOf(script, site)))).toEqual([
      ...[200, 403, 403, 403],
    ]);
  });

  it('lets a link of another site open the page, in a tab of its own and nowhere else', async () => {
    const page = await servePage();
    const statusOf = async (path: string, mode: string, dest: string, method = 'GET') => {
      const headers = {
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': mode,
        'sec-fetch-dest': dest,
      };
      return (await ask(page, path, { method, headers })).status;
    };
    expect(await statusOf('/', 'navigate', 'document')).toBe(200);
    const refused = [
      statusOf('/', 'navigate', 'iframe'),
      statusOf('/', 'no-cors', 'document'),
      statusOf('/', 'cors', 'empty'),
      statusOf('/me', 'navigate', 'document'),
      statusOf('/assets/app.0a1b2c.js', 'navigate', 'document'),
      statusOf('/', 'navigate', 'document', 'POST'),
    ];
    expect(await Promise.all(refused)).toEqual(refused.map(() => 403));
  });

  it('answers as its proxy, whose pages get a secure cookie', async () => {
    const behindProxy = 'https://vtr.example';
    const page = await servePage({ behindProxy });
    expect(page.server.newLink()).toMatch(/^https:\/\/vtr\.example\/#t=/);
    const headers = { host: 'vtr.example', origin: behindProxy };
    const body = JSON.stringify({ token: page.access.newLink() });
    const answer = await ask(page, '/login', { method: 'POST', headers, body });
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-vtr_\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200; Secure$/,
    );
    expect((await ask(page, '/me', { headers: { ...headers, cookie } })).status).toBe(200);
    const other = { host: 'vtr.example', origin: 'https://vtr.example.evil.example' };
    expect((await ask(page, '/me', { headers: { ...other, cookie } })).status).toBe(403);
  });
});

describe('[S3.32] every answer', () => {
  it('has the policies, also those that refuse', async () => {
    const page = await servePage();
    const host = `127.0.0.1:${page.server.port}`;
    const answers = await Promise.all([
      ask(page, '/'),
      ask(page, '/assets/app.0a1b2c.js'),
      ask(page, '/healthz'),
      ask(page, '/me'),
      ask(page, '/nothing'),
      ask(page, '/login'),
      ask(page, '/', { headers: { host: 'evil.example' } }),
      openSocket(`ws://${host}/ws`, ['v1.vtr'], { origin: page.origin }),
      openSocket(`ws://${host}/ws`, [], { origin: page.origin, cookie: page.login() }),
    ]);
    const [first] = answers as Answered[];
    const values = (answer: Answered) => policies.map((name) => answer.headers.get(name));
    for (const each of answers as Answered[])
      expect(values(each)).toEqual(values(first as Answered));
    expect(first?.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; manifest-src 'self'; connect-src 'self' ws://127.0.0.1:${page.server.port} ws://localhost:${page.server.port}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'`,
    );
    expect(answers.at(-1)).toMatchObject({ status: 400 });
  });

  it('allows the script that the page contains, and no other', async () => {
    const text = 'held = [];\n';
    const html = `<script>${text}</script><script src="/x.js"></script><script type="module">y</script>`;
    const page = await servePage({ pageDirectory: tree({ 'index.html': html }) });
    const hash = createHash('sha256').update(text).digest('base64');
    expect((await ask(page, '/me')).headers.get('content-security-policy')).toContain(
      `; script-src 'self' 'sha256-${hash}'; `,
    );
  });

  it('to what is not HTTP, or is too large, has them, too', async () => {
    const page = await servePage();
    const large = `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`;
    const withoutHost = 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n';
    const texts = ['nonsense\r\n\r\n', large, withoutHost];
    for (const text of texts) {
      const answer = await replyTo(page, text);
      expect(answer).toMatch(/^HTTP\/1.1 4\d\d /);
      expect(answer).toMatch(/^content-security-policy: default-src 'none'; /im);
    }
  });
});

it('refuses a request with two Host headers, whichever is ours', async () => {
  const page = await servePage();
  const ours = `host: 127.0.0.1:${page.server.port}\r\n`;
  const others = 'host: attacker.example\r\n';
  for (const hosts of [ours + others, others + ours, ours + ours]) {
    const answer = await replyTo(page, `GET / HTTP/1.1\r\n${hosts}connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('several Host headers');
  }
});

it.each([...['gzip, chunked', 'identity, chunked'], 'identity\r\ntransfer-encoding: chunked'])(
  'answers 501 to a request in the transfer coding %j, and nothing that follows it',
  async (coding) => {
    const page = await servePage();
    const head = `host: 127.0.0.1:${page.server.port}\r\norigin: ${page.origin}\r\n`;
    const body = `transfer-encoding: ${coding}\r\n\r\n0\r\n\r\n`;
    const next = `GET /healthz HTTP/1.1\r\n${head}connection: close\r\n\r\n`;
    for (const path of ['/login', '/me', '/']) {
      const answer = await replyTo(page, `POST ${path} HTTP/1.1\r\n${head}${body}${next}`);
      expect(answer).toMatch(/^HTTP\/1.1 501 Not Implemented\r\n/);
      expect(answer.match(/HTTP\/1.1 /g)).toHaveLength(1);
      expect(answer).toMatch(/^connection: close\r$/im);
    }
    const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\n';
    const answer = await replyTo(page, `GET /ws HTTP/1.1\r\n${head}${upgrade}${body}${next}`);
    expect(answer).toMatch(/^HTTP\/1.1 501 Not Implemented\r\n/);
    expect(answer.match(/HTTP\/1.1 /g)).toHaveLength(1);
  },
);

describe('[S3.32] the files of the page', () => {
  it('are sent compressed, and kept by browsers if their names have a hash', async () => {
    const page = await servePage();
    const index = await ask(page, '/', { headers: { 'accept-encoding': 'gzip, br' } });
    expect([index.headers.get('content-encoding'), index.headers.get('cache-control')]).toEqual([
      ...[null, 'no-cache'],
    ]);
    const headers = { 'accept-encoding': 'br;q=1, gzip' };
    const script = await ask(page, '/assets/app.0a1b2c.js', { headers });
    expect(script.headers.get('content-encoding')).toBe('gzip');
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect((await ask(page, '/assets/app.0a1b2c.js')).body).toContain('console.log');
    expect((await ask(page, '/manifest.webmanifest')).headers.get('content-type')).toBe(
      'application/manifest+json',
    );
  });

  it('are those of its version, also when another one is installed in its place', async () => {
    const pageDirectory = tree({ 'index.html': 'old', 'assets/app.1.js': 'old' });
    const page = await servePage({ pageDirectory });
    rmSync(join(pageDirectory, 'assets'), { recursive: true });
    writeFileSync(join(pageDirectory, 'index.html'), 'new');
    expect((await ask(page, '/')).body).toBe('old');
    expect((await ask(page, '/assets/app.1.js')).body).toBe('old');
    const { status, headers, body } = await ask(page, '/', { method: 'HEAD' });
    expect([status, headers.get('content-length'), body]).toEqual([200, '3', '']);
  });
});

describe('[S3.32] POST /login', () => {
  const post = (page: ServedPage, body: string) =>
    ask(page, '/login', { method: 'POST', headers: { origin: page.origin }, body });

  it('gives a cookie for the token of a link, once', async () => {
    const page = await servePage();
    const [, token] = page.server.newLink().split('#t=');
    const body = JSON.stringify({ token });
    const answer = await post(page, body);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect([answer.status, cookie]).toEqual([
      204,
      expect.stringMatching(
        /^vtr_\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/,
      ),
    ]);
    const me = await ask(page, '/me', { headers: { cookie: cookie.split(';')[0] ?? '' } });
    expect(JSON.parse(me.body)).toEqual({
      scope: 'all',
      write: true,
      coordinator: 'test',
      machine: hostname(),
      home: homedir(),
      others: [],
      login: expect.objectContaining({
        id: expect.stringMatching(/^[0-9a-f]{8}$/),
        isNamed: false,
      }),
    });
    expect((await post(page, body)).status).toBe(401);
  });

  it('is renewed by the cookie that is good, also next to an old one', async () => {
    const page = await servePage();
    const [name, value] = page.login().split('=');
    const cookie = `__Host-${name}=old; ${name}=${value}`;
    const answer = await ask(page, '/me', { headers: { cookie } });
    expect(answer.headers.get('set-cookie')).toMatch(`${name}=${value}; HttpOnly`);
    expect(answer.headers.get('set-cookie')).not.toContain('__Host-');
  });

  it('answers 400 to what is no token, and 429 from the sixth wrong one within a minute', async () => {
    const page = await servePage();
    for (const body of ['', '{}', '{"token": 7}', 'x'.repeat(5000)]) {
      expect((await post(page, body)).status).toBe(400);
    }
    const statuses: number[] = [];
    for (let times = 0; times < 7; times++) {
      statuses.push((await post(page, '{"token": "wrong"}')).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });
});

describe('[S3.32] a login', () => {
  const posted = (page: ServedPage, path: string, cookie: string, body = '{}') =>
    ask(page, path, { method: 'POST', headers: { cookie, origin: page.origin }, body });

  it('is called as the browser says, until its person gives it a name', async () => {
    const page = await servePage();
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const body = JSON.stringify({ token: page.access.newLink() });
    const headers = { origin: page.origin, 'user-agent': agent };
    const answer = await ask(page, '/login', { method: 'POST', headers, body });
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const own = async () =>
      JSON.parse((await ask(page, '/me', { headers: { cookie } })).body).login;
    expect(await own()).toMatchObject({ name: 'Firefox on Linux', isNamed: false });
    for (const bad of [
      '{}',
      '{"name": " "}',
      '{"name": "a\\u0007"}',
      `{"name": "${'x'.repeat(41)}"}`,
    ]) {
      expect((await posted(page, '/name', cookie, bad)).status).toBe(400);
    }
    expect((await posted(page, '/name', cookie, '{"name": " Ann\'s phone "}')).status).toBe(204);
    expect(await own()).toMatchObject({ name: "Ann's phone", isNamed: true });
    expect((await posted(page, '/name', 'vtr_1=none', '{"name": "x"}')).status).toBe(401);
  });

  it('makes a link for another browser; that of a share does not', async () => {
    const page = await servePage();
    const { token } = JSON.parse((await posted(page, '/link', page.login())).body);
    expect(page.access.login(token)).toMatchObject({ cookie: expect.any(String) });
    const { secret } = page.access.share(
      { id: 'id-1', name: 'a', begin: { line: 0, command: 0 } },
      {},
    );
    expect((await posted(page, '/link', page.login(secret))).status).toBe(403);
    expect((await ask(page, '/link', { headers: { cookie: page.login() } })).status).toBe(405);
  });

  it('ends with its pages, and no other does', async () => {
    const page = await servePage({ calls: silentCalls });
    const [cookie, other] = [page.login(), page.login()];
    const open = async (each: string) => {
      const headers = { cookie: each, origin: page.origin };
      return (await openSocket(`${page.origin}/ws`, ['v1.vtr'], headers)) as WebSocket;
    };
    const [socket, stays] = [await open(cookie), await open(other)];
    const [, secret = ''] = cookie.split('=');
    const login = page.access.visitor(secret)?.login;
    if (!login) throw new Error('not logged in');
    expect(page.server.pagesOf(login)).toBe(1);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    page.server.endLogin(page.access.endLogin(login.id));
    expect(await closed).toBe(1001);
    expect([page.access.visitor(secret), stays.readyState]).toEqual([null, stays.OPEN]);
    expect(() => page.access.endLogin(login.id)).toThrow(
      expect.objectContaining({ code: 'LOGIN_NOT_FOUND' }),
    );
  });
});

describe('[S3.32] a share', () => {
  const session = { id: 'id-1', name: 'codex', begin: { line: 0, command: 0 } };

  it('is told to the page, and is closed at once when it is ended', async () => {
    let info = async () => ({ name: 'renamed' }) as SessionInfo;
    const sessions = { ...noSessions, info: () => info() };
    const page = await servePage({ calls: silentCalls, sessions });
    const { share, secret } = page.access.share(session, { write: true });
    const cookie = page.login(secret);
    const me = async () => JSON.parse((await ask(page, '/me', { headers: { cookie } })).body);
    expect(await me()).toEqual({
      scope: 'share',
      session: 'renamed',
      write: true,
      coordinator: 'test',
      login: expect.objectContaining({ isNamed: false }),
    });
    info = () => Promise.reject(new VtrError('SESSION_NOT_FOUND', 'it has gone'));
    expect(await me()).toMatchObject({ session: 'codex' });
    expect((await ask(page, '/recordings/x', { headers: { cookie } })).status).toBe(403);
    const url = `ws://127.0.0.1:${page.server.port}/ws`;
    const headers = { origin: page.origin, cookie };
    const socket = (await openSocket(url, ['v1.vtr'], headers)) as WebSocket;
    // The client offers compression, which is refused.
    expect(socket.extensions).toBe('');
    expect([page.server.viewers(), page.server.viewers(share.id)]).toEqual([1, 1]);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    page.access.unshare(share.id);
    page.server.endShare(share.id);
    expect(await closed).toBe(4001);
    expect(await upgradeStatus(page, '/ws', headers)).toBe(401);
  });

  it('ends also for those who ignore that', async () => {
    const clock = new VirtualClock();
    const names: string[] = [];
    const calls = {
      connect: () => ({
        ...silentCalls.connect(),
        unary: (method: string) => {
          names.push(method);
          return new Promise<never>(() => {});
        },
      }),
    };
    const page = await servePage({ clock, calls });
    const { share, secret } = page.access.share(session, {});
    const headers = { origin: page.origin, cookie: page.login(secret) };
    const url = `ws://127.0.0.1:${page.server.port}/ws`;
    const socket = (await openSocket(url, ['v1.vtr'], headers)) as WebSocket;
    const info = '{"id": 1, "method": "Info"}';
    socket.send(info);
    await expect.poll(() => names).toEqual(['Info']);
    // It does not read that its connection is closed.
    socket.pause();
    page.server.endShare(share.id);
    socket.send(info);
    await ask(page, '/healthz');
    clock.advance(250);
    await expect.poll(() => page.server.viewers()).toBe(0);
    expect(names).toEqual(['Info']);
  });

  it('closes its connections when its time is over', async () => {
    const clock = new VirtualClock();
    const page = await servePage({ clock, calls: silentCalls });
    const { secret } = page.access.share(session, { forMs: 1000 });
    const headers = { origin: page.origin, cookie: page.login(secret) };
    const url = `ws://127.0.0.1:${page.server.port}/ws`;
    const socket = (await openSocket(url, ['v1.vtr'], headers)) as WebSocket;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    clock.advance(1000);
    expect(await closed).toBe(4001);
  });

  it('for players is good from any page, by the secret in its address', async () => {
    const page = await servePage({ calls: silentCalls });
    const { share, secret } = page.access.share(session, { alis: true });
    const path = new URL(page.server.streamOf(share, secret));
    const from = { origin: 'https://blog.example' };
    const offered = ['v1.alis', 'v2.asciicast', 'raw'];
    expect(path.pathname).toBe('/alis/codex');
    expect(await upgradeStatus(page, path.pathname + path.search, from, offered)).toBe(101);
    expect(await upgradeStatus(page, path.pathname, from, offered)).toBe(403);
    expect(await upgradeStatus(page, `/alis/other${path.search}`, from, offered)).toBe(401);
    expect(await upgradeStatus(page, '/alis/codex?t=wrong', from, offered)).toBe(401);
    expect(await upgradeStatus(page, path.pathname + path.search, from, ['raw'])).toBe(400);
    const rebound = { ...from, host: `blog.example:${page.server.port}` };
    expect(await upgradeStatus(page, path.pathname + path.search, rebound, offered)).toBe(403);
  });
});
