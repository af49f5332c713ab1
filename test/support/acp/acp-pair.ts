import * as acp from '@agentclientprotocol/sdk';
import {
  type MountedTerminals,
  type MountOptions,
  mountTerminals,
  terminalCapabilities,
} from '#wire/acp';
import { FrameChecker } from './acp-schema.ts';

/** `terminal/create` without the conversation. */
export type Command = Omit<acp.CreateTerminalRequest, 'sessionId'>;

/** The error of a failed request. */
export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A client with terminals and an agent, both of the SDK. Each frame is checked by its schema. */
export class AcpPair {
  readonly mounted: MountedTerminals;
  readonly checker = new FrameChecker();
  readonly connection: acp.ClientConnection;
  /** The agent's side of the connection. */
  readonly client: acp.AgentContext;
  /** The messages that the agent received. */
  initialized: acp.InitializeRequest | null = null;
  /** The id of the conversation of requests. */
  sessionId = 'conversation';
  #checksParams = true;

  private constructor(options: MountOptions) {
    const app = acp.client({ name: 'editor' });
    this.mounted = mountTerminals(app, options);
    const agent = acp.agent({ name: 'agent' }).onRequest('initialize', ({ params }) => {
      this.initialized = params;
      return { protocolVersion: acp.PROTOCOL_VERSION };
    });
    const [toEditor, toAgent] = [
      tapped((frame) => this.#onFrame(frame)),
      tapped((frame) => this.#onFrame(frame)),
    ];
    this.client = agent.connect({ readable: toAgent.readable, writable: toEditor.writable }).client;
    this.connection = app.connect({ readable: toEditor.readable, writable: toAgent.writable });
  }

  static async connect(options: MountOptions): Promise<AcpPair> {
    const pair = new AcpPair(options);
    await pair.connection.agent.request('initialize', {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: terminalCapabilities,
    });
    return pair;
  }

  async create(command: Command, options?: acp.SendRequestOptions): Promise<string> {
    const params = { sessionId: this.sessionId, ...command };
    const { terminalId } = await this.client.request('terminal/create', params, options);
    return terminalId;
  }

  /** A line for a shell. */
  run(line: string, more: Partial<Command> = {}): Promise<string> {
    return this.create({ command: 'sh', args: ['-c', line], ...more });
  }

  output(terminalId: string): Promise<acp.TerminalOutputResponse> {
    return this.client.request('terminal/output', { sessionId: this.sessionId, terminalId });
  }

  waitForExit(
    terminalId: string,
    options?: acp.SendRequestOptions,
  ): Promise<acp.WaitForTerminalExitResponse> {
    const params = { sessionId: this.sessionId, terminalId };
    return this.client.request('terminal/wait_for_exit', params, options);
  }

  kill(terminalId: string, options?: acp.SendRequestOptions): Promise<acp.KillTerminalResponse> {
    const params = { sessionId: this.sessionId, terminalId };
    return this.client.request('terminal/kill', params, options);
  }

  release(
    terminalId: string,
    options?: acp.SendRequestOptions,
  ): Promise<acp.ReleaseTerminalResponse> {
    const params = { sessionId: this.sessionId, terminalId };
    return this.client.request('terminal/release', params, options);
  }

  /** The whole output of a line, after its end. */
  async outputOf(line: string, more: Partial<Command> = {}): Promise<acp.TerminalOutputResponse> {
    const terminal = await this.run(line, more);
    await this.waitForExit(terminal);
    return this.output(terminal);
  }

  /** The error of a request, which may violate the schema. */
  async failure(method: string, params: object): Promise<Failure> {
    this.#checksParams = false;
    try {
      const answer = await this.client.request(method, params);
      throw new Error(`it has succeeded: ${JSON.stringify(answer)}`);
    } catch (error) {
      if (!(error instanceof acp.RequestError)) throw error;
      const { code, message, data } = error;
      return { code, message, data: data as Failure['data'] };
    } finally {
      this.#checksParams = true;
    }
  }

  /** Resolves when the client has ended the terminals that the agent left. */
  async close(): Promise<void> {
    this.connection.close();
    await this.mounted.ended();
  }

  #onFrame(frame: acp.AnyMessage): void {
    this.checker.check(frame, { params: this.#checksParams });
  }
}

function tapped(onFrame: (frame: acp.AnyMessage) => void) {
  return new TransformStream<acp.AnyMessage, acp.AnyMessage>({
    transform(frame, controller) {
      onFrame(frame);
      controller.enqueue(frame);
    },
  });
}
