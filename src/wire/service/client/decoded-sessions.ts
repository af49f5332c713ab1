import { fromBinary } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { ListResponseSchema, SessionSchema } from '#messages';
import type { SessionInfo } from '#model';
import { fromSession } from '../convert/sessions/session.ts';

const { number: sessionsField } = ListResponseSchema.field.sessions;

/**
 * The sessions of a coordinator as last listed, by their bytes. Few of a thousand sessions change between two
 * lists, and decoding them takes most of a client's time.
 */
export class DecodedSessions {
  #known = new Map<string, SessionInfo>();

  /**
   * Decodes the answer to a list. A session whose bytes were in the list before is the same object, which
   * nobody can change.
   *
   * @throws Error if the answer cannot be decoded
   */
  decode(answer: Uint8Array): SessionInfo[] {
    const reader = new BinaryReader(answer);
    const known = new Map<string, SessionInfo>();
    const infos: SessionInfo[] = [];
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field === sessionsField && type === WireType.LengthDelimited) {
        infos.push(this.#infoOf(reader.bytes(), known));
      } else reader.skip(type, field);
    }
    this.#known = known;
    return infos;
  }

  /** @param known where it is added */
  #infoOf(bytes: Uint8Array, known: Map<string, SessionInfo>): SessionInfo {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const info = this.#known.get(key) ?? frozen(fromSession(fromBinary(SessionSchema, bytes)));
    known.set(key, info);
    return info;
  }
}

/** Freezes a value made of objects, arrays and primitive values. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}
