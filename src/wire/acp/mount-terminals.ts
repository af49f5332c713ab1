import {
  asVtrError,
  type CancelSignal,
  type Coordinator,
  errorTable,
  shortened,
  VtrError,
} from '#model';
import type { TerminalOptions } from './options.ts';
import { type TerminalMethod, TerminalProvider, terminalMethods } from './terminal-provider.ts';

export interface MountOptions extends TerminalOptions {
  /** Owns the terminals' sessions: a coordinator in this process, or a daemon's (`connect`). */
  readonly coordinator: Coordinator;
}

/** The parts of the SDK's `ClientApp` that are used, in any of its versions. */
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
  /** Releases the terminals of a conversation that has ended. */
  releaseConversation(conversationId: string): Promise<void>;
  /** Resolves when no program of a closed connection runs. */
  ended(): Promise<void>;
}

/**
 * Gives the terminals of a coordinator to an ACP client written with the SDK. The client must announce
 * them in its `initialize`, with `clientCapabilities: { terminal: true }`.
 *
 * An app can then have one connection at a time: terminals belong to a connection and end with it.
 *
 * @example
 * const app = acp.client({ name: 'my-editor' });
 * mountTerminals(app, { coordinator });
 * await app.connectWith(stream, (agent) => ...);
 *
 * @throws VtrError INVALID_ARGUMENT for invalid options, or an audit file that is not private; IO_ERROR if it
 * cannot be written
 */
export function mountTerminals(app: TerminalApp, options: MountOptions): MountedTerminals {
  const mounted = new Mount(options);
  app.onConnect(({ signal }) => mounted.begin(signal));
  for (const method of terminalMethods) {
    app.onRequest(method, unchecked, ({ params, signal }) =>
      mounted.answer(method, params, signal),
    );
  }
  return mounted;
}

/** The provider checks parameters: the SDK's error message does not say what is wrong. */
const unchecked = (params: unknown): unknown => params;

/** Terminals of one connection after another. */
class Mount implements MountedTerminals {
  readonly #options: MountOptions;
  /** Created before the connection, so that options are checked early. */
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

  /** @throws Error if another connection is open, which closes this one */
  begin(signal: CancelSignal): void {
    if (this.#current !== null) {
      throw new Error(
        'this app already has a connection, and its terminals belong to it; create another app with mountTerminals for another agent',
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
      // The caller's copy of the SDK, so that `instanceof` works; the app has loaded it already.
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

/** An error of JSON-RPC 2.0, section 5.1. */
export interface RpcError {
  readonly code: number;
  /** What failed, on which terminal, and what to try. */
  readonly message: string;
  /** vtr's error code, and the facts of the failure. */
  readonly data: Readonly<Record<string, string | number | readonly string[]>>;
}

/** Limit of characters of a text. Models read it, and agents may have sent long ones. */
const maxChars = 1000;

/** Converts an error by the table of errors. */
export function toRpcError(thrown: unknown): RpcError {
  const { code, message, details } = asVtrError(thrown);
  const facts = Object.entries(details).map(([name, value]) => [
    name,
    typeof value === 'string' ? shortened(value, maxChars) : value,
  ]);
  const data = { ...Object.fromEntries(facts), code };
  return { code: errorTable[code].acp, message: shortened(message, maxChars), data };
}
