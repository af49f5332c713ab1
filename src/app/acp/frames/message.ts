import type { RpcError } from '#wire/acp';
import { members, NotJson, raw, type Span, skipSpace } from '../json/spans.ts';

/** The envelope of a frame; its contents are not parsed. */
export interface Message {
  /** Null for an answer and for an invalid message. */
  readonly method: string | null;
  /** As JSON text, so that a long number loses no digit; null if there is none. */
  readonly id: string | null;
  /** In a request or a notification. */
  readonly params: Span | null;
  /** In a successful answer. */
  readonly result: Span | null;
  /** In a truncated frame, the member in whose value it ends; null if it ends in none. */
  readonly cutMember: string | null;
}

/**
 * Returns the message in a frame; null if it is not a JSON object.
 *
 * @param isCut whether the frame is truncated; then returns the members found
 */
export function messageIn(frame: Uint8Array, isCut = false): Message | null {
  const found: Found = { method: null, id: null, params: null, result: null, cutMember: null };
  try {
    return readMembers(frame, found) ? found : null;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return isCut ? { ...found, cutMember: error.member } : null;
  }
}

type Found = { -readonly [Name in keyof Message]: Message[Name] };

/** Returns whether the frame is exactly one object. @throws NotJson */
function readMembers(frame: Uint8Array, found: Found): boolean {
  const each = members(frame, 0);
  let count = 0;
  let next = each.next();
  for (; !next.done; next = each.next()) {
    const { key, value } = next.value;
    count++;
    if (key === 'method') found.method = textIn(raw(frame, value));
    else if (key === 'id') found.id = idIn(raw(frame, value));
    else if (key === 'params' || key === 'result') found[key] = value;
  }
  return count > 0 && skipSpace(frame, next.value) === frame.length;
}

/** Returns an id in one spelling: JSON can write a string in several ways. */
function idIn(written: string): string | null {
  if (written === 'null') return null;
  const text = textIn(written);
  return text === null ? written : JSON.stringify(text);
}

function textIn(written: string): string | null {
  if (!written.startsWith('"')) return null;
  try {
    return JSON.parse(written);
  } catch {
    return null;
  }
}

/** Returns the frame of an answer. @param id as JSON text */
export const resultFrame = (id: string, result: object): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}\n`;

/** Returns the frame of an error. @param id null if the request's id is unknown */
export const errorFrame = (id: string | null, error: Omit<RpcError, 'data'>): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}\n`;

export const notificationFrame = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}\n`;
