import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ignored } from '#base';
import { terminalTools } from '../../../src/wire/mcp/tools/index.ts';
import { exitOf } from '../../support/command/running-daemon.ts';
import { Place } from '../../support/command/vtr-command.ts';
import { eras } from '../../support/mcp/mcp-client.ts';
import { McpHttpServer } from '../../support/mcp/mcp-http.ts';

/** Its daemon is that of most tests. */
const shared = Place.forAll();

const jsonType = { 'content-type': 'application/json' };
const bothTypes = { ...jsonType, accept: 'application/json, text/event-stream' };
const listSessions = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'terminal__list_sessions', arguments: {} },
};

describe.each(eras)('vtr mcp --http, protocol version %s', (era) => {
  it('uses a session in several requests', async () => {
    const server = await McpHttpServer.start(shared);
    const host = await server.connect(era);
    const { tools } = await host.client.listTools();
    expect(tools).toHaveLength(terminalTools.filter(({ isUnlisted }) => !isUnlisted).length);
    const session_id = await host.shell();
    const ran = await host.call('send', {
      session_id,
      text: 'echo $((40+2))\n',
      read: { view: 'new', wait_for_prompt: true },
    });
    expect(ran.read_result.content).toContain('\n42\n');
    expect(await host.failure('read', { session_id: 'nobody' })).toMatch(/^SESSION_NOT_FOUND: /);
  });

  it('returns to each client its own new output', async () => {
    const server = await McpHttpServer.start(shared);
    const [one, other] = [
      await server.connect(era, { name: 'one' }),
      await server.connect(era, { name: 'other' }),
    ];
    const { session_id } = await one.call('create_session', { program: 'cat' });
    const said = await one.call('send', {
      session_id,
      text: 'hello\n',
      read: { view: 'new', wait_idle_ms: 200 },
    });
    expect(said.read_result.content).toBe('hello\nhello');
    const read = { session_id, view: 'new' };
    expect(await one.call('read', read)).not.toHaveProperty('content');
    expect((await other.call('read', read)).content).toBe('hello\nhello');
  });

  it('sends progress during a wait, and ends a cancelled one', async () => {
    const server = await McpHttpServer.start(shared, { flags: ['--log-level', 'debug'] });
    const host = await server.connect(era);
    const session_id = await host.shell();
    const withdrawn = new AbortController();
    const waiting = new Promise((resolve) => {
      ignored(
        host.client.callTool(
          { name: 'terminal__wait', arguments: { session_id } },
          { signal: withdrawn.signal, onprogress: resolve },
        ),
        'it is withdrawn',
      );
    });
    await waiting;
    withdrawn.abort();
    // The server logs the end of the call, before its timeout of 30 s.
    await expect.poll(() => server.said).toMatch(/terminal__wait: SESSION_ERROR, \d+ ms/);
    expect(await host.call('get_info', { session_id })).toMatchObject({ state: 'at_prompt' });
  });
});

describe('vtr mcp --http', () => {
  it('watches nothing for a disconnected client', async () => {
    const server = await McpHttpServer.start(shared, { flags: ['--idle-timeout', '2s'] });
    const [host, listener] = [
      await server.connect('2025-11-25'),
      await server.connect('2026-07-28'),
    ];
    const { session_id } = await host.call('create_session', { program: 'cat' });
    await listener.client.listen({ resourceSubscriptions: [`terminal://${session_id}/screen`] });
    await host.call('create_session', { program: 'cat' });
    const count = async () => (await host.call('list_sessions')).count;
    await expect.poll(count).toBe(1);
    await listener.client.close();
    await expect.poll(count).toBe(0);
  });

  it('serves ten clients of both protocol versions at once, without mixing them up', async () => {
    const server = await McpHttpServer.start(shared);
    const said = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const host = await server.connect(index % 2 === 0 ? '2025-11-25' : '2026-07-28');
        const session_id = await host.shell({ program: 'bash' });
        const { content } = await host.call('run', { session_id, line: `echo I am ${session_id}` });
        return content === `I am ${session_id}`;
      }),
    );
    expect(said).toEqual(said.map(() => true));
  });

  it('notifies each client of the changes that it subscribed to', async () => {
    const server = await McpHttpServer.start(shared);
    const [one, other] = [await server.connect('2026-07-28'), await server.connect('2026-07-28')];
    const session_id = await one.shell();
    const uri = `terminal://${session_id}/screen`;
    const notices: [string, string][] = [];
    for (const [name, { client }] of Object.entries({ one, other })) {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        notices.push([name, params.uri]);
      });
    }
    const heard = await one.client.listen({ resourceSubscriptions: [uri] });
    await other.client.listen({ resourcesListChanged: true });
    await other.call('run', { session_id, line: 'echo heard' });
    await expect.poll(() => notices).toContainEqual(['one', uri]);
    await heard.close();
    await other.client.listen({ resourceSubscriptions: [uri] });
    await one.call('run', { session_id, line: 'echo again' });
    await expect.poll(() => notices).toContainEqual(['other', uri]);
    expect(notices.filter(([name]) => name === 'one').length).toBeLessThanOrEqual(
      notices.findIndex(([name]) => name === 'other'),
    );
  });

  it('prints its address on stdout, and the token on stderr and to a private file', async () => {
    const server = await McpHttpServer.start(shared);
    expect(server.lines).toEqual([
      JSON.stringify({
        url: `http://127.0.0.1:${server.url.port}/mcp`,
        token_file: server.tokenFile,
      }),
    ]);
    expect(server.token).toMatch(/^[\w-]{43}$/);
    expect(statSync(server.tokenFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(server.tokenFile, 'utf8')).toBe(`${server.token}\n`);
    const flags = ['mcp', '--http', '--port', server.url.port];
    const second = await new Place().vtr(flags, { killAfterMs: 10_000 });
    expect(second).toMatchObject({ status: 3, stdout: '' });
    expect(second.stderr).toContain(`port ${server.url.port}: EADDRINUSE; choose another`);
  });

  it('refuses requests that a web page may have caused', async () => {
    const server = await McpHttpServer.start(shared);
    const { port } = server.url;
    const authorization = `Bearer ${server.token}`;
    const good = { ...bothTypes, authorization };
    const body = JSON.stringify(listSessions);
    const answerTo = (headers: Readonly<Record<string, string>>) =>
      server.ask({ ...good, ...headers }, { body });

    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `LOCALHOST:${port}`,
      `[::1]:${port}`,
    ]) {
      expect(await answerTo({ host }), host).toMatchObject({ status: 200 });
    }
    for (const host of [
      `attacker.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${Number(port) + 1}`,
      `localhost.attacker.example:${port}`,
      `127.0.0.1:${port}@attacker.example`,
      `attacker.example#127.0.0.1:${port}`,
    ]) {
      expect(await answerTo({ host }), host).toMatchObject({
        status: 403,
        text: expect.stringContaining(`127.0.0.1:${port}`),
      });
    }
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:8443']) {
      expect(await answerTo({ origin }), origin).toMatchObject({ status: 200 });
    }
    for (const origin of [
      'null',
      '',
      'http://attacker.example',
      `http://attacker.example:${port}`,
      'http://localhost.attacker.example',
      'http://127.0.0.1.attacker.example',
      'file://',
    ]) {
      expect(await answerTo({ origin }), origin).toMatchObject({ status: 403 });
    }
    // DNS rebinding: both headers have the same foreign name.
    const rebound = { host: `attacker.example:${port}`, origin: `http://attacker.example:${port}` };
    expect(await answerTo(rebound)).toMatchObject({ status: 403 });
  });

  it('refuses requests without its token', async () => {
    const server = await McpHttpServer.start(shared);
    const body = JSON.stringify(listSessions);
    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${server.token}x`,
      `Bearer ${server.token.slice(1)}`,
      `Basic ${server.token}`,
      server.token,
    ]) {
      const answer = await server.ask({ ...bothTypes, authorization }, { body });
      expect(answer, authorization).toMatchObject({
        status: 401,
        text: expect.stringMatching(/VTR_MCP_TOKEN or --token-file.*Authorization: Bearer TOKEN/),
      });
      expect(answer.text).not.toContain(server.token);
    }
    await expect(
      server.connect('2026-07-28', { token: 'wrong-token-wrong-token' }),
    ).rejects.toThrow();
    expect(await server.ask(bothTypes, { path: '/', body })).toMatchObject({ status: 404 });
    expect(await server.ask(bothTypes, { path: '/.well-known/x', method: 'GET' })).toMatchObject({
      status: 404,
    });
  });

  it('answers POST requests only', async () => {
    const server = await McpHttpServer.start(shared);
    const headers = { ...bothTypes, authorization: `Bearer ${server.token}` };
    for (const method of ['GET', 'DELETE', 'OPTIONS', 'PUT', 'TRACE']) {
      expect(await server.ask(headers, { method }), method).toMatchObject({
        status: 405,
        text: expect.stringContaining('use POST'),
      });
    }
  });

  it('refuses bodies that are too long or not valid JSON, and keeps running', async () => {
    const server = await McpHttpServer.start(shared);
    const good = { ...bothTypes, authorization: `Bearer ${server.token}` };
    const long = 'x'.repeat(4 * 1024 * 1024 + 1);
    expect(await server.ask(good, { body: long })).toMatchObject({
      status: 413,
      text: expect.stringContaining('4194304 bytes'),
    });
    const chunked = { ...good, 'transfer-encoding': 'chunked' };
    expect(await server.ask(chunked, { body: long })).toMatchObject({ status: 413 });
    for (const body of ['{', '', '[]', 'null', '"x"', '{"method":1}', '{"params":[]}']) {
      const { status } = await server.ask(good, { body });
      expect([status, body]).toEqual([400, body]);
    }
    const host = await server.connect('2026-07-28');
    expect(await host.call('list_sessions')).toEqual({ sessions: [], count: 0 });
  });

  it('listens on the loopback interface only', async () => {
    const server = await McpHttpServer.start(shared);
    const others = Object.values(networkInterfaces())
      .flat()
      .flatMap((each) =>
        each?.internal === false && each.family === 'IPv4' ? [each.address] : [],
      );
    for (const host of others) {
      const refused = new Promise((resolve) => {
        const socket = connect({ host, port: Number(server.url.port) });
        socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
        socket.once('connect', () => resolve('connected'));
      });
      expect(await refused).not.toBe('connected');
    }
    expect(await server.ask({}, { method: 'GET' })).toMatchObject({ status: 401 });
  });

  it('uses a given token, and does not save it', async () => {
    const place = new Place();
    const file = join(place.directory, 'my.token');
    writeFileSync(file, 'by-file-by-file-by-file\n', { mode: 0o600 });
    const byFile = await McpHttpServer.start(place, { flags: ['--token-file', file] });
    await byFile.connect('2026-07-28', { token: 'by-file-by-file-by-file' });
    const env = { VTR_MCP_TOKEN: 'by-environment-0123' };
    const byEnvironment = await McpHttpServer.start(place, { env });
    const host = await byEnvironment.connect('2025-11-25', { token: 'by-environment-0123' });
    const { session_id } = await host.call('create_session', { program: 'env' });
    const { content } = await host.call('read', { session_id, view: 'new', wait_for_exit: true });
    expect(content).not.toContain('by-environment');
    expect(byFile.said + byEnvironment.said).not.toMatch(/by-file-by|by-environment/);
    expect(readdirSync(place.directory).filter((name) => /^mcp-.*token$/.test(name))).toEqual([]);
  });

  it.each([
    [['--http'], { VTR_MCP_TOKEN: 'short' }, /invalid token in VTR_MCP_TOKEN/],
    [['--http', '--token-file', 'none'], {}, /cannot read the token file .*none: ENOENT/],
    [['--http', '--port', '65536'], {}, /--port 65536: use a whole number from 0 to 65535/],
    [['--port', '1'], {}, /--port, --token-file and --json need --http/],
    [['--json'], {}, /need --http/],
  ])('refuses at start: %j %j', async (flags, env, message) => {
    const { status, stderr, stdout } = await new Place().vtr(['mcp', ...flags], { env });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('refuses a token file that others can read', async () => {
    const place = new Place();
    const file = join(place.directory, 'my.token');
    writeFileSync(file, 'readable-by-everybody', { mode: 0o644 });
    const { status, stderr } = await place.vtr(['mcp', '--http', '--token-file', file]);
    expect(status).toBe(2);
    expect(stderr).toContain(`chmod 600 ${file}`);
  });

  it('does not start if others could read its token', async () => {
    const place = new Place();
    chmodSync(place.directory, 0o777);
    const { status, stdout, stderr } = await place.vtr(['mcp', '--http']);
    chmodSync(place.directory, 0o700);
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' });
    expect(stderr).toContain(`others have access to the directory ${place.directory}`);
  });

  it.each([[[]], [['--embedded']]])(
    'ends by SIGTERM with status 0, in the middle of a wait: %j',
    async (flags) => {
      const place = new Place();
      const server = await McpHttpServer.start(place, { flags });
      const host = await server.connect('2026-07-28');
      const { session_id, pid } = await host.call('create_session', { program: 'cat' });
      await host.client.listen({ resourceSubscriptions: [`terminal://${session_id}/screen`] });
      const wait = host.call('wait', { session_id }).catch(() => 'ended');
      await host.call('send', { session_id, text: 'x' });
      server.child.kill('SIGTERM');
      expect(await exitOf(server.child)).toBe(0);
      expect(await wait).toBe('ended');
      expect(existsSync(server.tokenFile)).toBe(false);
      const isAlive = flags.length === 0;
      expect(existsSync(`/proc/${pid}`) || process.platform !== 'linux').toBe(isAlive);
      expect(readdirSync(place.directory).filter((name) => name.startsWith('mcp-'))).toEqual([]);
    },
  );
});
