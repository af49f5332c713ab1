import type { RpcError } from '#wire/acp';
import { members, NotJson, raw, type Span, skipSpace } from '../json/spans.ts';

/** What a frame says of itself, as far as it can be seen without reading what it carries. */
export interface Message {
  /** Null for an answer, and for what is no message. */
  readonly method: string | null;
  /** As it is written, so that no number loses a digit; null where there is none. */
  readonly id: string | null;
  /** Of a request or notification. */
  readonly params: Span | null;
  /** Of an answer that is no error. */
  readonly result: Span | null;
  /** Of a frame that was cut: in whose value, where it was in one. */
  readonly cutMember: string | null;
}

/**
 * The message that a frame holds; null where it is no JSON object.
 *
 * @param isCut the frame is the beginning of one: as much is told as can be seen
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

/** Whether the frame is one object, and nothing else. @throws NotJson */
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

/** The same id in the same words: a string may be written in several ways. */
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

/** An answer to a request, as a frame. @param id as it is written in the request */
export const resultFrame = (id: string, result: object): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}\n`;

/** A failure; to nobody in particular where it cannot be told whose it is. */
export const errorFrame = (id: string | null, error: Omit<RpcError, 'data'>): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}\n`;

export const notificationFrame = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}\n`;
