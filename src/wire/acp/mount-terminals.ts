import { type CancelSignal, type Coordinator, VtrError } from '#model';
import type { TerminalOptions } from './options.ts';
import { toRpcError } from './rpc-error.ts';
import { type TerminalMethod, TerminalProvider, terminalMethods } from './terminal-provider.ts';

export interface MountOptions extends TerminalOptions {
  /** Whose sessions the terminals are: one of this process, or one of a daemon (`connect`). */
  readonly coordinator: Coordinator;
}

/** What is used of the SDK's `ClientApp`, of any version that has it, stable or not. */
export interface TerminalApp {
  onConnect(handler: (connection: { readonly signal: CancelSignal }) => void): unknown;
  onRequest(
    method: string,
    params: (params: unknown) => unknown,
    handler: (request: {
      readonly params: unknown;
      readonly signal: CancelSignal;
    }) => Promise<object>,
  ): unknown;
}

/** The terminals of an app. */
export interface MountedTerminals {
  /** Releases the terminals of a conversation that is over. */
  releaseConversation(conversationId: string): Promise<void>;
  /** Resolves when nothing runs any more of the connections that were closed. */
  ended(): Promise<void>;
}

/**
 * Gives the terminals of a coordinator to an ACP client that is written with the SDK. The client says
 * so itself, with `clientCapabilities: { terminal: true }` in its `initialize`.
 *
 * An app speaks to one agent at a time then: terminals belong to a connection, and end with it.
 *
 * @example
 * const app = acp.client({ name: 'my-editor' });
 * mountTerminals(app, { coordinator });
 * await app.connectWith(stream, (agent) => ...);
 *
 * @throws VtrError INVALID_ARGUMENT for options that are none, or an audit file that cannot be written
 */
export function mountTerminals(app: TerminalApp, options: MountOptions): MountedTerminals {
  const mounted = new Mount(options);
  app.onConnect(({ signal }) => mounted.begin(signal));
  for (const method of terminalMethods) {
    app.onRequest(method, asTheyCame, ({ params, signal }) =>
      mounted.answer(method, params, signal),
    );
  }
  return mounted;
}

/** Parameters are checked by the provider: the SDK's refusal does not say in its message what is wrong. */
const asTheyCame = (params: unknown): unknown => params;

/** One connection after the other. */
class Mount implements MountedTerminals {
  readonly #options: MountOptions;
  /** Made before there is a connection, so that options are checked when they are given. */
  #next: TerminalProvider;
  #current: TerminalProvider | null = null;
  #endings: Promise<void> = Promise.resolve();

  constructor(options: MountOptions) {
    this.#options = options;
    this.#next = this.#provider();
  }

  async releaseConversation(conversationId: string): Promise<void> {
    await this.#current?.releaseConversation(conversationId);
  }

  ended(): Promise<void> {
    return this.#endings;
  }

  /** @throws Error where another connection is open, which closes this one */
  begin(signal: CancelSignal): void {
    if (this.#current !== null) {
      throw new Error(
        'this app has a connection already, and terminals belong to one; make another app with terminals of its own for another agent',
      );
    }
    const provider = this.#next;
    this.#next = this.#provider();
    this.#current = provider;
    signal.addEventListener('abort', () => this.#end(provider));
  }

  /** @throws RequestError of the SDK */
  async answer(method: TerminalMethod, params: unknown, signal: CancelSignal): Promise<object> {
    try {
      if (this.#current === null) throw new VtrError('UNAVAILABLE', 'the connection is closed');
      return await this.#current.answer(method, params, signal);
    } catch (thrown) {
      // The caller's own copy, which it knows its errors by; loaded by whoever made the app.
      const { RequestError } = await import('@agentclientprotocol/sdk');
      const { code, message, data } = toRpcError(thrown);
      throw new RequestError(code, message, data);
    }
  }

  #end(provider: TerminalProvider): void {
    this.#current = null;
    this.#endings = Promise.all([this.#endings, provider.close()]).then(() => {});
  }

  #provider(): TerminalProvider {
    const { coordinator, ...options } = this.#options;
    return new TerminalProvider(coordinator, options);
  }
}
