import { decodeUtf8 } from '#base';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The longest name of a member, and the longest id, in bytes of JSON. */
const maxTokenBytes = 1024;

/** Returns the value of a JSON text; undefined if it has none. */
function parsedToken(bytes: readonly number[]): unknown {
  if (bytes.length > maxTokenBytes) return undefined;
  try {
    return JSON.parse(decodeUtf8(Uint8Array.from(bytes)));
  } catch {
    return undefined;
  }
}

/**
 * Finds the id of a JSON-RPC message that is too long to be kept, from its bytes in pieces: clients write it first or
 * last. The rest of the message is not checked.
 */
export class LongMessageId {
  #depth = 0;
  #isObject = false;
  #inString = false;
  #isEscaped = false;
  #name: unknown;
  /** A name or a value of the outermost object, as far as it is not in an object or an array of its own. */
  #token: number[] = [];
  /** The first two. */
  readonly #ids: unknown[] = [];

  push(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#inString) this.#string(byte);
      else this.#structure(byte);
    }
  }

  /** The id; null if there is none, several, or one of another type. */
  get id(): string | number | null {
    const [id, second] = this.#ids;
    if (second !== undefined) return null;
    return typeof id === 'string' || typeof id === 'number' ? id : null;
  }

  #string(byte: number): void {
    this.#collect(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#inString = false;
  }

  #structure(byte: number): void {
    switch (byte) {
      case openBrace:
      case openBracket:
        this.#depth++;
        if (this.#depth === 1) this.#isObject = byte === openBrace;
        break;
      case closeBrace:
      case closeBracket:
        this.#endMember();
        this.#depth--;
        break;
      case comma:
        this.#endMember();
        break;
      case colon:
        if (this.#depth !== 1) break;
        this.#name = parsedToken(this.#token);
        this.#token = [];
        break;
      default:
        this.#inString = byte === quote;
        this.#collect(byte);
    }
  }

  #collect(byte: number): void {
    if (this.#depth === 1 && this.#token.length <= maxTokenBytes) this.#token.push(byte);
  }

  #endMember(): void {
    if (this.#depth !== 1) return;
    // An id that cannot be read is not one that is absent: another one beside it is not taken.
    if (this.#isObject && this.#name === 'id' && this.#ids.length < 2)
      this.#ids.push(parsedToken(this.#token) ?? null);
    this.#name = undefined;
    this.#token = [];
  }
}
