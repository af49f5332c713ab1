import { type Message, messageIn } from './frames/message.ts';
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

/** What an editor says of itself in its `initialize`. */
export interface EditorCapabilities {
  /** It answers `terminal/*`. */
  readonly terminals: boolean;
  /** It shows what agents run in a shell of their own (`_meta.terminal_output`). */
  readonly displays: boolean;
}

/** @throws NotJson */
export function capabilitiesIn(frame: Uint8Array, { params }: Message): EditorCapabilities {
  const capabilities = params && objectIn(frame, params, 'clientCapabilities');
  const meta = capabilities && objectIn(frame, capabilities, '_meta');
  return {
    terminals: isTrue(frame, capabilities, 'terminal'),
    displays: isTrue(frame, meta, 'terminal_output'),
  };
}

function isTrue(frame: Uint8Array, object: Span | null, key: string): boolean {
  const found = object && member(frame, object.start, key);
  return found !== null && raw(frame, found) === 'true';
}

/** `initialize` as it is, but that its sender has terminals, and shows those of agents. @throws NotJson */
export function withTerminals(frame: Uint8Array, message: Message): Uint8Array {
  if (message.params === null || !isObject(frame, message.params)) return frame;
  const capable = setTrue(frame, ['clientCapabilities', 'terminal']);
  return setTrue(capable, ['clientCapabilities', '_meta', 'terminal_output']);
}

/** @param path of a member of the parameters @throws NotJson */
function setTrue(frame: Uint8Array, path: readonly string[]): Uint8Array {
  let object = messageIn(frame)?.params ?? null;
  for (const [depth, key] of path.entries()) {
    if (object === null) return frame;
    const inner = objectIn(frame, object, key);
    if (inner === null) {
      return edited(frame, [setMember(frame, object, key, nested(path.slice(depth + 1)))]);
    }
    object = inner;
  }
  return frame;
}

/** `{"a":{"b":true}}` */
const nested = (path: readonly string[]): string =>
  path.reduceRight((inner, key) => `{${JSON.stringify(key)}:${inner}}`, 'true');

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
