import { type Message, messageIn } from './frames.ts';
import {
  append,
  arrayIn,
  type Edit,
  edited,
  elements,
  isObject,
  member,
  objectIn,
  parse,
  raw,
  type Span,
  setMember,
} from './json-spans.ts';

/** An MCP server of a `session/new`, as in the protocol. */
export interface StdioServer {
  readonly name: string;
  /** Absolute. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** The capabilities of an editor, from its `initialize`. */
export interface EditorCapabilities {
  /** Whether it answers `terminal/*`. */
  readonly terminals: boolean;
  /** Whether it shows terminals that agents run themselves (`_meta.terminal_output`). */
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
  const span = object && member(frame, object.start, key);
  return span !== null && raw(frame, span) === 'true';
}

/** Returns the `initialize` with both capabilities added. @throws NotJson */
export function withTerminals(frame: Uint8Array, message: Message): Uint8Array {
  if (message.params === null || !isObject(frame, message.params)) return frame;
  const capable = setTrue(frame, ['clientCapabilities', 'terminal']);
  return setTrue(capable, ['clientCapabilities', '_meta', 'terminal_output']);
}

/** @param path of a member of `params` @throws NotJson */
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

/** Returns `{"a":{"b":true}}`. */
const nested = (path: readonly string[]): string =>
  path.reduceRight((inner, key) => `{${JSON.stringify(key)}:${inner}}`, 'true');

/**
 * Returns a request that begins a conversation with one more MCP server; unchanged if it already has a
 * server of that name.
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

/** Returns a string member; null if there is none. @throws NotJson */
export function textMember(frame: Uint8Array, object: Span, key: string): string | null {
  const span = isObject(frame, object) ? member(frame, object.start, key) : null;
  const value = span === null ? null : parse(frame, span);
  return typeof value === 'string' ? value : null;
}
