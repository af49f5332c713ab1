import { onTestFinished } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { type SessionInfo, VtrError } from '#model';
import { type McpOptions, Service } from '#wire/mcp';
import { Caller } from '../../../src/wire/mcp/caller.ts';
import { errorText } from '../../../src/wire/mcp/mcp-server.ts';
import { termcpTools } from '../../../src/wire/mcp/termcp/tools.ts';
import { JumpingClock } from '../jumping-clock.ts';

type Termcp = NonNullable<McpOptions['termcp']>;

/** The tools of termcp on a coordinator of this process, without a protocol. */
export class TermcpTools {
  /** For lifetimes. */
  readonly clock = new JumpingClock();
  readonly coordinator = new LocalCoordinator({ clock: this.clock });
  readonly #caller: Caller;

  constructor(program: string, args: readonly string[], options: Partial<Termcp> = {}) {
    const host = { reach: async () => this.coordinator, start: async () => this.coordinator };
    const service = new Service(
      host,
      {
        size: { cols: 80, rows: 24 },
        cwd: '/',
        shell: null,
        term: 'xterm',
        promptPattern: null,
        scrollbackLines: null,
        idleMs: 0,
        maxSessions: 10,
        answers: 'full',
        maxWaitMs: 50_000,
        redact: null,
        isElsewhere: false,
        environment: null,
        termcp: {
          program,
          args,
          cwd: '/',
          environment: 'inherit',
          stripAnsi: false,
          maxBufferBytes: 1024 * 1024,
          lifetime: {},
          limits: {},
          ...options,
        },
      },
      () => {},
    );
    this.#caller = new Caller(service);
    onTestFinished(() => this.coordinator.close());
  }

  /** The answer of a tool, which must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the answers
  ok(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<any> {
    const tool = termcpTools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    const input = tool.input.parse({ session_id: 'default', ...args });
    const call = { signal: new AbortController().signal, report: () => {} };
    return tool.run(input, this.#caller, call);
  }

  /** The text of an error, and its details for programs. */
  async failure(name: string, args: Readonly<Record<string, unknown>> = {}) {
    const thrown = await this.ok(name, args).then(
      () => new VtrError('INTERNAL_ERROR', 'it has succeeded'),
      (error) => error,
    );
    const [text = '', details = '{}'] = (await errorText(thrown, null, this.#caller)).split('\n');
    return { text, details: JSON.parse(details) };
  }

  /** Reads until the output contains the text. */
  async until(text: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
    let read = '';
    while (!read.includes(text)) read += (await this.ok('read_output', args)).output;
    return read;
  }

  /** Null when there is none. */
  async session(name = 'default'): Promise<SessionInfo | null> {
    const sessions = await this.coordinator.list();
    return sessions.find((each) => each.name === name) ?? null;
  }
}
