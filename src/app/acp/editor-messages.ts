import type { Message } from './frames/message.ts';
import { append, arrayIn, type Edit, edited, objectIn, setMember } from './json/edits.ts';
import { elements, isObject, member, parse, raw, type Span } from './json/spans.ts';

/** What an agent is given to start for `session/new`, as the protocol has it. */
export interface StdioServer {
  readonly name: string;
  /** Absolute. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** Whether the editor says in its `initialize` that it has terminals. @throws NotJson */
export function hasTerminals(frame: Uint8Array, { params }: Message): boolean {
  if (params === null) return false;
  const capabilities = objectIn(frame, params, 'clientCapabilities');
  if (capabilities === null) return false;
  const terminal = member(frame, capabilities.start, 'terminal');
  return terminal !== null && raw(frame, terminal) === 'true';
}

/** `initialize` as it is, but that its sender has terminals. @throws NotJson */
export function withTerminals(frame: Uint8Array, { params }: Message): Uint8Array {
  if (params === null || !isObject(frame, params)) return frame;
  const capabilities = objectIn(frame, params, 'clientCapabilities');
  const edit =
    capabilities === null
      ? setMember(frame, params, 'clientCapabilities', '{"terminal":true}')
      : setMember(frame, capabilities, 'terminal', 'true');
  return edited(frame, [edit]);
}

/**
 * A request that begins a conversation, with one more MCP server for it; as it was where one of that
 * name is among them.
 *
 * @throws NotJson
 */
export function withServer(
  frame: Uint8Array,
  { params }: Message,
  server: StdioServer,
): Uint8Array {
  if (params === null || !isObject(frame, params)) return frame;
  const edit = serverEdit(frame, params, server);
  return edit === null ? frame : edited(frame, [edit]);
}

function serverEdit(frame: Uint8Array, params: Span, server: StdioServer): Edit | null {
  const added = JSON.stringify(server);
  const servers = arrayIn(frame, params, 'mcpServers');
  if (servers === null) return setMember(frame, params, 'mcpServers', `[${added}]`);
  for (const each of elements(frame, servers.start)) {
    if (textMember(frame, each, 'name') === server.name) return null;
  }
  return append(frame, servers, added);
}

/** A member that is a string; null where there is none. @throws NotJson */
export function textMember(frame: Uint8Array, object: Span, key: string): string | null {
  const found = isObject(frame, object) ? member(frame, object.start, key) : null;
  const value = found === null ? null : parse(frame, found);
  return typeof value === 'string' ? value : null;
}
