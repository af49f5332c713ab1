import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { onTestFinished } from 'vitest';
import { root } from '../../../scripts/root.mjs';
import { exitOf } from '../command/running-daemon.ts';
import { type Place, vtrFile } from '../command/vtr-command.ts';

/** A step of the agent: a request or a notification to its client. */
export interface Step {
  readonly request?: string;
  readonly notify?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Exits with this status. */
  readonly leave?: number;
  /** A line for its shell; see `run` of acp-agent.mjs for the rest. */
  readonly run?: string;
  readonly before?: readonly string[];
  readonly input?: string;
  readonly isApart?: boolean;
  readonly endOn?: string;
  readonly times?: number;
  readonly signal?: NodeJS.Signals;
  readonly until?: string;
  readonly stderr?: string;
  /** Written unchanged. */
  readonly stdout?: string;
}

interface Start {
  readonly flags?: readonly string[];
  readonly agentArgs?: readonly string[];
  readonly capabilities?: acp.ClientCapabilities;
  readonly env?: Readonly<Record<string, string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests check the answers
type Any = any;

const agentFile = join(root, 'test/programs/acp-agent.mjs');

/** An editor of the SDK, without terminals, with `vtr acp` and the tests' agent as its agent. */
export class AcpEditor {
  readonly child: ChildProcess;
  /** Each `update` of a `session/update`. */
  readonly updates: Any[] = [];
  /** Requests of the agent to the editor, by method. */
  readonly requests: { method: string; params: Any }[] = [];
  said = '';
  agentMeta: Any;
  conversation: Any;
  readonly #connection: acp.ClientConnection;
  #changed = (): void => {};

  private constructor(place: Place, { flags = [], agentArgs = [], env = {} }: Start) {
    const agent = [process.execPath, agentFile, ...agentArgs];
    this.child = spawn(process.execPath, [vtrFile, 'acp', ...flags, '--', ...agent], {
      cwd: place.directory,
      env: { ...place.env, ...env },
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.said += text;
      this.#changed();
    });
    const app = acp
      .client({ name: 'editor' })
      .onNotification('session/update', ({ params }) => {
        this.updates.push(params.update);
        this.#changed();
      })
      .onRequest('*', ({ method, params }) => {
        this.requests.push({ method, params });
        return method === 'terminal/create' ? { terminalId: 'of-the-editor' } : {};
      });
    const { stdin, stdout } = this.child;
    const stream = acp.ndJsonStream(
      Writable.toWeb(stdin as Writable),
      Readable.toWeb(stdout as Readable) as ReadableStream<Uint8Array>,
    );
    this.#connection = app.connect(stream);
  }

  static async start(place: Place, start: Start = {}): Promise<AcpEditor> {
    const editor = new AcpEditor(place, start);
    const initialized = await editor.ask('initialize', {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: start.capabilities ?? {},
    });
    editor.agentMeta = initialized._meta;
    editor.conversation = await editor.ask('session/new', { cwd: place.directory, mcpServers: [] });
    return editor;
  }

  ask(method: string, params: object): Promise<Any> {
    return this.#connection.agent.request(method, params);
  }

  /** Makes the agent take the steps. @returns the answer to each */
  async prompt(...steps: readonly Step[]): Promise<Any[]> {
    const { sessionId } = this.conversation;
    const prompt = [{ type: 'text', text: JSON.stringify(steps) }];
    const { _meta } = await this.ask('session/prompt', { sessionId, prompt });
    return _meta.answers;
  }

  /** Resolves once an update matches. */
  async seesUpdate(isMeant: (update: Any) => boolean): Promise<Any> {
    for (;;) {
      const update = this.updates.find(isMeant);
      if (update !== undefined) return update;
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  /** The number in a line of stderr. */
  async pidOf(what: 'agent' | 'child'): Promise<number> {
    for (;;) {
      const pid = new RegExp(`^${what} (\\d+)$`, 'm').exec(this.said)?.[1];
      if (pid !== undefined) return Number(pid);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  exit(): Promise<number | null> {
    return exitOf(this.child);
  }
}
