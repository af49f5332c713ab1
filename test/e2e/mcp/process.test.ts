import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exitOf } from '../../support/command/running-daemon.ts';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { McpHost } from '../../support/mcp/mcp-client.ts';

/** A server without the SDK's client; each line of its stdout must be a message of the protocol. */
class RawServer {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  said = '';
  readonly #answers = new Map<number, (result: unknown) => void>();

  constructor(place: Place, flags: readonly string[]) {
    this.child = spawn(process.execPath, [vtrFile, 'mcp', ...flags], {
      cwd: place.directory,
      env: place.env,
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.said += text;
    });
    createInterface({ input: this.child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.lines.push(line);
      const { id, result } = JSON.parse(line);
      this.#answers.get(id)?.(result);
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the tests check its answers
  ask(id: number, method: string, params: object): Promise<any> {
    const answer = new Promise((resolve) => this.#answers.set(id, resolve));
    this.tell({ jsonrpc: '2.0', id, method, params });
    return answer;
  }

  tell(message: object): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** Initializes, and creates a session. @returns the pid of its program */
  async open(): Promise<number> {
    const clientInfo = { name: 'x', version: '1' };
    await this.ask(1, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo,
    });
    this.tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const session = await this.ask(2, 'tools/call', {
      name: 'terminal__create_session',
      arguments: { program: 'sleep', args: ['1000'] },
    });
    return session.structuredContent.pid;
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('vtr mcp --embedded', () => {
  it.each(['SIGINT', 'SIGTERM', 'EOF'] as const)('[S1.22] ends its sessions on %s', async (by) => {
    const place = new Place();
    const server = new RawServer(place, ['--embedded']);
    const pid = await server.open();
    expect(isAlive(pid)).toBe(true);
    if (by === 'EOF') server.child.stdin?.end();
    else server.child.kill(by);
    expect(await exitOf(server.child)).toBe(0);
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(place.directory).filter((name) => name.endsWith('.sock'))).toEqual([]);
  });

  it('serves its sessions at its own socket', async () => {
    const place = new Place();
    const server = new RawServer(place, ['--embedded']);
    await server.open();
    const socket = `${place.directory}/mcp-${server.child.pid}.sock`;
    expect(await place.ok('ls', '--coordinator', socket)).toContain('sess_');
  });

  it.each([[['--embedded']], [[]]])('[S1.17] keeps scrollback_limit lines: %j', async (flags) => {
    const env = { VTR_SCROLLBACK_LIMIT: '50' };
    const host = await McpHost.process(new Place(), { env, flags });
    const { session_id } = await host.call('create_session', { program: 'seq', args: ['500'] });
    await host.call('wait', { session_id });
    const read = { session_id, view: 'scrollback' };
    const { content, lines, lost_lines = 0, earlier_lines = 0 } = await host.call('read', read);
    expect(content).toMatch(/\n499\n500$/);
    expect(lost_lines + earlier_lines + lines).toBe(500);
    expect(lines).toBeGreaterThanOrEqual(50);
    expect(lines).toBeLessThanOrEqual(50 + 24);
  });

  it('reports output lost before the first read of the view new', async () => {
    const env = { VTR_SCROLLBACK_LIMIT: '50' };
    const flags = ['--embedded', '--answers', 'full'];
    const host = await McpHost.process(new Place(), { env, flags });
    const program = { program: 'seq', args: ['300000'] };
    const { session_id } = await host.call('create_session', program);
    await host.call('wait', { session_id });
    const answer = await host.call('read', { session_id, view: 'new' });
    const { lines, lost_lines = 0, earlier_lines } = answer;
    expect(lost_lines + earlier_lines + lines).toBe(300_000);
    const bytes = 2_288_895;
    const raw = { session_id, view: 'new', format: 'raw', since: 'start' };
    const { content, lost_bytes, omitted } = await host.call('read', raw);
    expect(lost_bytes + omitted.bytes + content.length).toBe(bytes);
    const above = { session_id, view: 'scrollback', offset: 400_000 };
    expect(await host.call('read', above)).not.toHaveProperty('lost_lines');
  });
});

describe('vtr mcp', () => {
  it.each(['debug', 'info', 'warn', 'error'])(
    '[S1.23] writes nothing but the protocol to stdout: %s',
    async (level) => {
      const server = new RawServer(new Place(), ['--embedded', '--log-level', level]);
      await server.open();
      server.child.stdin?.write('this is not JSON\n');
      await server.ask(3, 'tools/list', {});
      server.child.stdin?.end();
      await exitOf(server.child);
      for (const line of server.lines) expect(JSON.parse(line)).toHaveProperty('jsonrpc', '2.0');
      expect(server.said.includes('sessions at')).toBe(['debug', 'info'].includes(level));
      expect(/terminal__create_session: \d+ bytes, \d+ ms/.test(server.said)).toBe(
        level === 'debug',
      );
    },
  );

  it('answers invalid messages, keeps reading, and exits at the end of stdin', async () => {
    const server = new RawServer(new Place(), []);
    const clientInfo = { name: 'x', version: '1' };
    const open = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    await server.ask(1, 'initialize', open);
    const long = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'x'.repeat(50_000_000) });
    for (const line of ['{ no', '[]', '"text"', '', '{"id":7}', long]) {
      server.child.stdin?.write(`${line}\r\n`);
    }
    server.tell({ jsonrpc: '2.0', id: 'unknown', method: 'no/such' });
    await server.ask(10, 'ping', {});
    const errors = server.lines.map((line) => JSON.parse(line)).filter(({ error }) => error);
    expect(errors.map(({ id, error }) => [id, error.code])).toEqual([
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [7, -32600],
      [9, -32600],
      ['unknown', -32601],
    ]);
    server.child.stdin?.end();
    expect(await exitOf(server.child)).toBe(0);
  });

  it('leaves its sessions in the daemon for the next server', async () => {
    const place = new Place();
    const first = await McpHost.process(place);
    const { session_id } = await first.call('create_session', { program: 'cat' });
    await first.client.close();
    const next = await McpHost.process(place);
    const read = { view: 'new', wait_idle_ms: 100 };
    const { read_result } = await next.call('send', { session_id, text: 'still here\n', read });
    expect(read_result.content).toContain('still here');
  });

  it.each([
    ['VTR_IDLE_TIMEOUT', '100ms'],
    ['--idle-timeout', '100ms'],
  ])('ends unused sessions: %s', async (way, time) => {
    const by = way.startsWith('--') ? { flags: [way, time] } : { env: { [way]: time } };
    const host = await McpHost.process(new Place(), by);
    const { session_id } = await host.call('create_session', { program: 'cat' });
    const count = async () => (await host.call('list_sessions')).count;
    await expect.poll(count).toBe(0);
    expect(await host.failure('read', { session_id })).toMatch(
      /^SESSION_DESTROYED: .*is gone: it was unused/,
    );
  });

  it('reports the new name of a session that was renamed', async () => {
    const place = new Place();
    const host = await McpHost.process(place);
    const { session_id } = await host.call('create_session', { program: 'cat' });
    await place.ok('rename', session_id, 'notes');
    expect(await host.failure('read', { session_id })).toBe(
      `SESSION_NOT_FOUND: session "${session_id}" was renamed to "notes"`,
    );
    await host.call('read', { session_id: 'notes' });
  });

  it('ends unused sessions after 20 minutes, or never if so configured', async () => {
    const place = new Place();
    const createWith = async (flags: readonly string[]) => {
      const host = await McpHost.process(place, { flags });
      const { session_id } = await host.call('create_session', { program: 'cat' });
      return (await place.json('info', session_id)).lifetime.idle_ms;
    };
    expect(await createWith([])).toBe(20 * 60_000);
    expect(await createWith(['--idle-timeout', '0s'])).toBeNull();
  });

  it.each(['--embedded', '--max-sessions=1'])(
    '[S1.18, S1.21] refuses an invalid prompt pattern at start: %s',
    async (flag) => {
      const place = new Place();
      const { status, stdout, stderr } = await place.vtr(['mcp', flag, '--prompt-pattern', '(']);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/the prompt pattern "\(" is not a valid RE2 regular expression/);
    },
  );

  it.each([
    ['VTR_LOG_LEVEL', 'loud', '"error" or "warn" or "info" or "debug"'],
    ['VTR_MAX_WAIT', '50', 'a duration such as'],
    ['VTR_IDLE_TIMEOUT', 'never', 'a duration such as'],
    ['VTR_MAX_SESSIONS', '0', 'a whole number from 1'],
    ['VTR_SCROLLBACK_LIMIT', '1000001', 'a whole number from 0 to 1000000'],
    ['VTR_DEFAULT_ROWS', '24.5', 'a whole number from 1 to 1000'],
  ])('refuses %s=%s at start, and takes what is unset', async (name, value, mustBe) => {
    const place = new Place();
    const refused = await place.vtr(['mcp'], { env: { [name]: value } });
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain(`${name} is "${value}"; it must be ${mustBe}`);
    for (const unset of ['', ' ', `\${user_config.${name.slice(4).toLowerCase()}}`]) {
      const run = await place.vtr(['mcp'], { env: { [name]: unset } });
      expect(run, unset).toMatchObject({ status: 0, stdout: '', stderr: '' });
    }
  });

  it('starts a new daemon after the old one has ended', async () => {
    const place = new Place();
    const host = await McpHost.process(place);
    await host.call('create_session', { program: 'cat' });
    await place.vtr(['serve', '--stop']);
    expect(await host.call('list_sessions')).toEqual({ sessions: [], count: 0 });
    await host.call('create_session', { program: 'cat' });
    expect((await host.call('list_sessions')).count).toBe(1);
  });

  it('goes on with its sessions after its daemon was killed', async () => {
    const place = new Place();
    const { stderr } = await place.vtr(['serve', '--daemon']);
    const daemon = Number(/\(process (\d+)\)/.exec(stderr)?.[1]);
    const host = await McpHost.process(place);
    const { session_id } = await host.call('create_session', { program: 'cat' });
    process.kill(daemon, 'SIGKILL');
    // Where the next daemon needs more than 3 s to start, calls fail meanwhile and say: try again.
    const listed = () => host.call('list_sessions').catch(() => ({ sessions: null }));
    await expect.poll(async () => (await listed()).sessions).toMatchObject([{ session_id }]);
    await host.call('send', { session_id, text: 'hello\n' });
    expect(JSON.stringify(await host.call('read', { session_id }))).toContain('hello');
    await host.call('create_session', { program: 'cat' });
    expect((await host.call('list_sessions')).count).toBe(2);
  });
});
