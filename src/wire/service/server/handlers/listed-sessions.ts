import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { ListResponseSchema, type Session, SessionSchema } from '#messages';
import type { SessionInfo } from '#model';
import { toSession } from '../../convert/session.ts';

interface Listed {
  readonly info: SessionInfo;
  readonly message: Session;
}

/**
 * The messages of a coordinator's sessions as last listed. Few of a thousand sessions change between two lists,
 * and making and encoding a message takes most of the time of a list.
 */
export class ListedSessions {
  #listed = new Map<string, Listed>();

  /** Returns the messages of the sessions; that of a session that has not changed is the same as before. */
  messagesOf(infos: readonly SessionInfo[]): Session[] {
    const listed = new Map<string, Listed>();
    for (const info of infos) {
      const before = this.#listed.get(info.id);
      const isSame = before !== undefined && isEqual(before.info, info);
      listed.set(info.id, isSame ? before : { info, message: toSession(info) });
    }
    this.#listed = listed;
    return Array.from(listed.values(), ({ message }) => message);
  }
}

/** Whether two values made of objects, arrays and primitive values are equal. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  if (one === null || other === null) return false;
  let names = 0;
  for (const name in one) {
    if (!isEqual(memberOf(one, name), memberOf(other, name))) return false;
    names++;
  }
  for (const _ in other) names--;
  return names === 0;
}

const memberOf = (object: object, name: string): unknown =>
  (object as Readonly<Record<string, unknown>>)[name];

/** The messages that were encoded, as fields of an answer: tag, length and bytes. */
const encoded = new WeakMap<Session, Uint8Array>();

/** Encodes the answer to a list. A message that was encoded before, and not changed since, is not encoded again. */
export function encodeList(answer: MessageInitShape<typeof ListResponseSchema>): Uint8Array {
  const { sessions = [] } = answer;
  const others = create(ListResponseSchema, { ...answer, sessions: [] });
  const fields = sessions.map((session) => fieldOf(session as Session));
  return Buffer.concat([...fields, toBinary(ListResponseSchema, others)]);
}

function fieldOf(session: Session): Uint8Array {
  const field = encoded.get(session);
  if (field !== undefined) return field;
  const { number } = ListResponseSchema.field.sessions;
  const writer = new BinaryWriter().tag(number, WireType.LengthDelimited);
  const bytes = writer.bytes(toBinary(SessionSchema, session)).finish();
  encoded.set(session, bytes);
  return bytes;
}
