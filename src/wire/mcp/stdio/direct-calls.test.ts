import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defined } from '#base';
import { type Coordinator, VtrError } from '#model';
import type { McpOptions } from '../options.ts';
import { Service } from '../service.ts';
import { terminalTools } from '../tools/index.ts';
import { DirectCalls } from './direct-calls.ts';
import { serveOnStreams } from './serve-on-stdio.ts';

const options: McpOptions = {
  size: { cols: 80, rows: 24 },
  shell: null,
  cwd: '/',
  term: 'xterm',
  promptPattern: null,
  scrollbackLines: null,
  idleMs: 0,
  maxSessions: 16,
  maxWaitMs: 50_000,
  answers: 'lean',
  environment: null,
  redact: null,
  isElsewhere: false,
  termcp: null,
};

const info = (name: string, id: string) => ({
  name,
  id,
  program: 'sh',
  args: ['-c', '"é\u2028"'],
  pid: 7,
  cwd: '/a',
  createdAtMs: 0,
  size: { cols: 80, rows: 24 },
  exitStatus: null,
  exitedAtMs: null,
  lineCount: 1,
  revision: 3,
});

/** Calls that end when their signal does. */
const waits: AbortSignal[] = [];

async function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  if (signal === undefined) throw new VtrError('UNAVAILABLE', 'there is no wait');
  waits.push(signal);
  await once(signal, 'abort');
  throw new VtrError('CANCELLED', 'the call was cancelled');
}

/** Two sessions. Each call that is not here fails. */
const answers: Partial<Record<keyof Coordinator, unknown>> = {
  list: async () => [info('s', '1'), info('__proto__', '2')],
  async info(session: string | { readonly name: string }) {
    const name = typeof session === 'string' ? session : session.name;
    if (name === 's') return info('s', '1');
    throw new VtrError('SESSION_NOT_FOUND', `no session ${name}`);
  },
  screen: async () => ({
    text: ['é"\u2028'],
    cursor: { row: 0, col: 3, visible: true },
    revision: 3,
  }),
  commands: async () => ({ commands: [] }),
  wait: (_session: string, { signal }: { readonly signal: AbortSignal }) => untilAborted(signal),
  sendText: (
    _session: string,
    _text: string,
    { wait }: { readonly wait?: { signal: AbortSignal } },
  ) => untilAborted(wait?.signal),
};
const coordinator = new Proxy(answers, {
  get: (calls, name: keyof Coordinator) =>
    calls[name] ??
    (name === ('then' as string)
      ? undefined
      : async () => {
          throw new VtrError('UNAVAILABLE', `${name} "fails"\n\u{1f600}`);
        }),
}) as unknown as Coordinator;

type Json = Record<string, unknown>;

/** A connection to a server of its own. */
class Connection {
  readonly #input = new PassThrough();
  readonly #lines: AsyncIterator<string>;
  #end: () => void = () => {};

  constructor(changed: Partial<McpOptions> = {}, log = () => {}) {
    const output = new PassThrough();
    this.#lines = createInterface({ input: output })[Symbol.asyncIterator]();
    const reach = async () => coordinator;
    const service = new Service({ reach, start: reach }, { ...options, ...changed }, log);
    const stop = new Promise<void>((resolve) => {
      this.#end = resolve;
    });
    void serveOnStreams(service, { input: this.#input, output }, stop);
  }

  static async opened(changed?: Partial<McpOptions>, log = () => {}): Promise<Connection> {
    const connection = new Connection(changed, log);
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    connection.send({ id: 'i', method: 'initialize', params });
    await connection.line();
    connection.send({ method: 'notifications/initialized' });
    await turn();
    await turn();
    return connection;
  }

  send(...messages: readonly Json[]): void {
    const lines = messages.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`);
    this.#input.write(lines.join(''));
  }

  async line(): Promise<string> {
    return (await this.#lines.next()).value;
  }

  close(): void {
    this.#end();
  }
}

const call = (id: unknown, name: string, args: unknown, meta?: Json): Json => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...defined({ _meta: meta }) },
});

/** The same call, which only the library answers. */
const forLibrary = ({ params, ...message }: Json): Json => {
  const { _meta: meta = {}, ...others } = params as Json;
  return { ...message, params: { ...others, _meta: { ...(meta as Json), other: 1 } } };
};

const takes = vi.spyOn(DirectCalls.prototype, 'takes');
afterEach(() => {
  takes.mockClear();
  waits.length = 0;
});

/** Whether the last message was answered without the library. */
const wasDirect = () => takes.mock.results.at(-1)?.value;

/** A direct connection, and one whose calls the library answers. */
const both = (changed?: Partial<McpOptions>) =>
  Promise.all([Connection.opened(changed), Connection.opened(changed)]);

describe('a call that is answered without the library', () => {
  it.each([{ answers: 'lean' }, { answers: 'full' }, { answers: 'text' }] as const)(
    'has the answer of the library to the byte, with %o',
    async (changed) => {
      const [direct, library] = await both(changed);
      const fields = terminalTools.flatMap(({ input }) => Object.keys(input.shape));
      const names = terminalTools.map(({ name }) => name).filter((name) => !/wait/.test(name));
      const value = fc.oneof(fc.constantFrom('s', '"gone"\u2028', ''), fc.jsonValue());
      const others = fc.dictionary(fc.constantFrom(...fields, 'x'), value, { maxKeys: 3 });
      const args = fc.option(
        fc.tuple(fc.constantFrom({}, { session_id: 's' }, { session_id: 'gone' }), others),
        { nil: undefined },
      );
      const id = fc.oneof(fc.integer(), fc.string({ unit: 'grapheme' }));
      const token = fc.option(fc.record({ progressToken: id }), { nil: undefined });
      const calls = fc.tuple(id, fc.constantFrom(...names), args, token);
      await fc.assert(
        fc.asyncProperty(calls, async ([id, name, args, token]) => {
          const message = call(id, name, args && { ...args[1], ...args[0] }, token);
          direct.send(message);
          const answer = await direct.line();
          expect(wasDirect()).toBe(true);
          library.send(forLibrary(message));
          expect(answer).toBe(await library.line());
          expect(wasDirect()).toBe(false);
        }),
        { numRuns: 300 },
      );
      direct.close();
      library.close();
    },
  );

  it('is any plain call, and no other message', async () => {
    const connection = await Connection.opened();
    const list = (changes: Json, params: Json = {}) => ({
      id: 1,
      method: 'tools/call',
      params: { name: 'terminal__list_sessions', ...params },
      ...changes,
    });
    const cases: [Json, boolean][] = [
      [list({}), true],
      [list({}, { arguments: {} }), true],
      [list({}, { _meta: {} }), true],
      [list({}, { _meta: { progressToken: 'a' } }), true],
      [list({}, { _meta: { progressToken: 1.5 } }), false],
      [list({}, { _meta: [] }), false],
      [list({}, { arguments: [] }), false],
      [list({}, { arguments: null }), false],
      [list({}, { arguments: JSON.parse('{"__proto__":1}') }), false],
      [list({}, { task: {} }), false],
      [list({}, { requestState: '' }), false],
      [list({}, { name: 'terminal__unknown' }), false],
      [list({ id: 1.5 }), false],
      [list({ id: null }), false],
      [list({ jsonrpc: '1.0' }), false],
      [list({ method: 'tools/list' }), false],
      [list({ extra: 1 }), false],
      [list({ params: undefined }), false],
    ];
    for (const [message, isDirect] of cases) {
      connection.send(message);
      expect(JSON.parse(await connection.line())).toHaveProperty('jsonrpc');
      expect(wasDirect(), JSON.stringify(message)).toBe(isDirect);
      await turn();
    }
    connection.close();
  });

  it('comes after what the library was given before, in one turn', async () => {
    const connection = new Connection();
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} };
    const clientInfo = { name: 'test', version: '1' };
    connection.send(
      { id: 1, method: 'initialize', params: { ...params, clientInfo } },
      call(2, 'terminal__list_sessions', {}),
    );
    expect(JSON.parse(await connection.line())).toMatchObject({ id: 1 });
    expect(JSON.parse(await connection.line())).toMatchObject({ id: 2, result: {} });
    expect(wasDirect()).toBe(false);
    connection.close();
  });

  it('is not one of the newer version', async () => {
    const connection = new Connection();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    };
    connection.send({ id: 1, method: 'server/discover', params: { _meta: meta } });
    await connection.line();
    for (let id = 2; id < 4; id++) {
      connection.send(call(id, 'terminal__list_sessions', {}, meta));
      expect(JSON.parse(await connection.line())).toMatchObject({
        id,
        result: { resultType: 'complete', structuredContent: { count: 2 } },
      });
      expect(wasDirect()).toBe(false);
    }
    connection.close();
  });

  it('ends without an answer when it is cancelled, and the next answer says so', async () => {
    const [direct, library] = await both();
    const send = { session_id: 's', text: 'make\n', read: { wait_for: ['x'] } };
    const message = call(5, 'terminal__send', send);
    const next = call(6, 'terminal__get_info', { session_id: 's' });
    const params = { requestId: 5, reason: 'enough' };
    const answerOf = async (connection: Connection, as: (message: Json) => Json) => {
      connection.send(as(message));
      await vi.waitFor(() => expect(waits).toHaveLength(1));
      connection.send({ method: 'notifications/cancelled', params });
      await vi.waitFor(() => expect(waits[0]?.reason).toBe('enough'));
      waits.length = 0;
      connection.send(as(next));
      return connection.line();
    };
    const answer = await answerOf(direct, (each) => each);
    expect(JSON.parse(answer).id).toBe(6);
    expect(answer).toContain('the cancelled call only stopped waiting');
    expect(answer).toBe(await answerOf(library, forLibrary));
    direct.close();
    library.close();
  });

  it('can be cancelled after an earlier call with its id was answered', async () => {
    const connection = await Connection.opened();
    connection.send(
      call(5, 'terminal__list_sessions', {}),
      call(5, 'terminal__wait', { session_id: 's', wait_for: ['x'] }),
    );
    expect(await connection.line()).toContain('"count":2');
    await vi.waitFor(() => expect(waits).toHaveLength(1));
    connection.send({
      method: 'notifications/cancelled',
      params: { requestId: 5, reason: 'late' },
    });
    await vi.waitFor(() => expect(waits[0]?.reason).toBe('late'));
    connection.close();
  });

  it('is not cancelled by a message that the library refuses', async () => {
    const endedBy = async (as: (message: Json) => Json) => {
      const connection = await Connection.opened();
      connection.send(as(call(5, 'terminal__wait', { session_id: 's', wait_for: ['x'] })));
      await vi.waitFor(() => expect(waits).toHaveLength(1));
      const method = 'notifications/cancelled';
      const params = { requestId: 5, reason: 'refused' };
      connection.send(
        { id: 6, method, params },
        { jsonrpc: '1.0', method, params },
        { method, params: { ...params, reason: 5 } },
        { method, params: { ...params, requestId: '5' } },
        { method, params: [params] },
        { method, params: { requestId: 5, reason: 'cancelled' } },
      );
      const [signal] = waits.splice(0);
      await vi.waitFor(() => expect(signal?.aborted).toBe(true));
      connection.close();
      return signal?.reason;
    };
    expect(await endedBy((each) => each)).toBe('cancelled');
    expect(await endedBy(forLibrary)).toBe('cancelled');
  });

  it('has an answer also when what makes it fails', async () => {
    const log = () => {
      throw new Error('the log "fails"');
    };
    const message = call(5, 'terminal__list_sessions', {});
    const answerOf = async (as: (message: Json) => Json) => {
      const connection = await Connection.opened({}, log);
      connection.send(as(message));
      const line = await connection.line();
      connection.close();
      return line;
    };
    const answer = await answerOf((each) => each);
    expect(JSON.parse(answer)).toMatchObject({ id: 5, result: { isError: true } });
    expect(answer).toBe(await answerOf(forLibrary));
  });

  it('is forgotten when it was answered', async () => {
    const connection = await Connection.opened();
    connection.send(call(5, 'terminal__list_sessions', {}));
    await connection.line();
    expect(wasDirect()).toBe(true);
    const takesBefore = takes.mock.calls.length;
    const abort = vi.spyOn(AbortController.prototype, 'abort');
    try {
      connection.send({ method: 'notifications/cancelled', params: { requestId: 5 } });
      await vi.waitFor(() => expect(takes).toHaveBeenCalledTimes(1 + takesBefore));
      expect(abort).not.toHaveBeenCalled();
    } finally {
      abort.mockRestore();
    }
    connection.close();
  });

  it('is aborted when the client has gone', async () => {
    const connection = await Connection.opened();
    connection.send(call(5, 'terminal__wait', { session_id: 's', wait_for: ['x'] }));
    await vi.waitFor(() => expect(waits).toHaveLength(1));
    connection.close();
    await vi.waitFor(() => expect(waits[0]?.aborted).toBe(true));
  });
});

describe('the progress of a call', () => {
  it('is told as the library does', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const [direct, library] = await both();
      const args = { session_id: 's', wait_for: ['x'] };
      const message = call(5, 'terminal__wait', args, { progressToken: 'p"' });
      const progressOf = async (connection: Connection, as: (message: Json) => Json) => {
        connection.send(as(message));
        await vi.waitFor(() => expect(waits.pop()).toBeDefined());
        vi.advanceTimersByTime(60_000);
        return [await connection.line(), await connection.line()];
      };
      const progress = await progressOf(direct, (each) => each);
      expect(wasDirect()).toBe(true);
      expect(progress[1]).toContain('"progress":2');
      expect(progress).toEqual(await progressOf(library, forLibrary));
      direct.close();
      library.close();
    } finally {
      vi.useRealTimers();
    }
  });
});
