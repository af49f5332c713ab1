import type { McpServer } from '@modelcontextprotocol/server';
import { ignored } from '#base';
import type { Caller } from '../caller.ts';
import { answerText, type ToolRequest, toolOf } from '../mcp-server.ts';

/** What is needed of the connection. */
export interface DirectCallsOptions {
  readonly caller: Caller;
  /** Writes a line, without its line feed. May fail. */
  readonly write: (line: string) => Promise<void>;
}

type Id = string | number;

/** A call as clients make most of them. */
interface PlainCall {
  readonly id: Id;
  readonly name: string;
  readonly args: unknown;
  readonly progressToken: Id | undefined;
}

/**
 * Answers calls of tools in place of the library, which checks each message several times, with the same bytes: plain
 * calls of clients that opened with `initialize`, while the library has nothing to do that came before. All other
 * messages are the library's. Its results need no check, because they are our own.
 */
export class DirectCalls {
  readonly #options: DirectCallsOptions;
  readonly #running = new Map<Id, AbortController>();
  /** Null until the client has opened the connection in the older version, which it cannot leave. */
  #server: McpServer | null = null;
  /** Whether the library may not have begun what it was given. */
  #isLibraryBusy = false;

  constructor(options: DirectCallsOptions) {
    this.#options = options;
  }

  /** Must be called with the server of the client; null if that is of the newer version. */
  serves(server: McpServer | null): void {
    this.#server = server;
  }

  /** Returns whether the message is answered here. Must be called with each one. */
  takes(message: unknown): boolean {
    const server = this.#server;
    const call = server === null || this.#isLibraryBusy ? null : plainCall(message);
    const tool = call && toolOf(this.#options.caller, call.name);
    if (server !== null && call !== null && tool) {
      void this.#answer(server, call);
      return true;
    }
    this.#isLibraryBusy = true;
    setImmediate(this.#libraryHasBegun);
    const cancelled = cancelledIn(message);
    if (cancelled !== null) this.#running.get(cancelled.id)?.abort(cancelled.reason);
    return false;
  }

  /** Must be called when the connection is closed. */
  close(): void {
    this.#server = null;
    for (const each of this.#running.values()) each.abort(new Error('Connection closed'));
    this.#running.clear();
  }

  readonly #libraryHasBegun = () => {
    this.#isLibraryBusy = false;
  };

  async #answer(server: McpServer, { id, name, args, progressToken }: PlainCall): Promise<void> {
    const { caller, write } = this.#options;
    const controller = new AbortController();
    const { signal } = controller;
    this.#running.set(id, controller);
    const notify: ToolRequest['notify'] = (params) =>
      server.server.notification({ method: 'notifications/progress', params: { ...params } });
    const request = { signal, progressToken, notify, envelope: undefined };
    const tool = toolOf(caller, name);
    const result = tool && (await answerText(server, tool, args, caller, request));
    if (this.#running.get(id) === controller) this.#running.delete(id);
    if (signal.aborted || result === undefined) return;
    const line = `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
    await ignored(write(line), 'the client may be gone');
  }
}

/** Returns the call if the message is one that the library would accept and pass on without a change; else null. */
function plainCall(message: unknown): PlainCall | null {
  if (!isObject(message) || message['method'] !== 'tools/call') return null;
  const { jsonrpc, id, params } = message;
  if (jsonrpc !== '2.0' || !isId(id) || !hasOnly(message, messageFields)) return null;
  if (!isObject(params) || !hasOnly(params, paramsFields)) return null;
  const { name, arguments: args, _meta: meta } = params;
  if (typeof name !== 'string') return null;
  if (args !== undefined && (!isObject(args) || Object.hasOwn(args, '__proto__'))) return null;
  if (meta === undefined) return { id, name, args, progressToken: undefined };
  if (!isObject(meta) || !hasOnly(meta, metaFields)) return null;
  const { progressToken } = meta;
  return progressToken === undefined || isId(progressToken)
    ? { id, name, args, progressToken }
    : null;
}

const messageFields = new Set(['jsonrpc', 'id', 'method', 'params']);
const paramsFields = new Set(['name', 'arguments', '_meta']);
const metaFields = new Set(['progressToken']);

function hasOnly(value: object, names: ReadonlySet<string>): boolean {
  for (const name in value) if (!names.has(name)) return false;
  return true;
}

/** Returns which call a message cancels; null if it cancels none. */
function cancelledIn(message: unknown): { readonly id: Id; readonly reason?: string } | null {
  if (!isObject(message) || message['method'] !== 'notifications/cancelled') return null;
  const { jsonrpc, id: ownId, params } = message;
  if (jsonrpc !== '2.0' || ownId !== undefined || !isObject(params)) return null;
  const { requestId: id, reason } = params;
  if (!isId(id)) return null;
  if (reason === undefined) return { id };
  return typeof reason === 'string' ? { id, reason } : null;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is Id =>
  typeof value === 'string' || Number.isSafeInteger(value);
