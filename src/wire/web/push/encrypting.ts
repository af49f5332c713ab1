import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** What a browser gives to those who may send it messages (RFC 8291, 2). */
export interface PushKeys {
  /** The browser's public key: a point of P-256, not compressed, in base64url. */
  readonly p256dh: string;
  /** 16 bytes that only the browser and the sender know, in base64url. */
  readonly auth: string;
}

/** A point of P-256 that is not compressed, in bytes. */
const pointBytes = 65;
const saltBytes = 16;
const authBytes = 16;
const tagBytes = 16;
/** Every push service takes a message of this size, in bytes (RFC 8030, 7.2). */
const maxMessageBytes = 4096;
/** Salt, size of records, and key of the sender with its length (RFC 8188, 2.1). */
const headerBytes = saltBytes + 4 + 1 + pointBytes;
/** The most bytes of a text: the message has one record, with a delimiter and a tag. */
export const maxPushBytes = maxMessageBytes - headerBytes - 1 - tagBytes;

/** What is random in a message. */
interface Random {
  readonly salt: Buffer;
  /** The private key of the sender, for this message alone. */
  readonly privateKey: Buffer | null;
}

/**
 * Encrypts a text for one browser: RFC 8291, in one record of `aes128gcm` (RFC 8188).
 *
 * @param paddedTo the least bytes of the text with its padding, so that its length tells nothing; at most {@link maxPushBytes}
 * @throws RangeError if the text is too long; Error if the browser's key is not a point of the curve
 */
export function encrypted(
  text: string,
  keys: PushKeys,
  paddedTo = 0,
  random: Random = { salt: randomBytes(saltBytes), privateKey: null },
): Buffer {
  const plain = Buffer.from(text);
  if (plain.length > maxPushBytes) throw new RangeError(`a push message has ${plain.length} bytes`);
  const padding = Buffer.alloc(Math.max(0, paddedTo - plain.length));
  const { salt, privateKey } = random;
  const sender = createECDH('prime256v1');
  if (privateKey === null) sender.generateKeys();
  else sender.setPrivateKey(privateKey);
  const senderKey = sender.getPublicKey();
  const browserKey = Buffer.from(keys.p256dh, 'base64url');
  const shared = sender.computeSecret(browserKey);
  // RFC 8291, 3.4
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), browserKey, senderKey]);
  const secret = derived(shared, Buffer.from(keys.auth, 'base64url'), about, 32);
  // RFC 8188, 2.2 and 2.3
  const key = derived(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derived(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // 2: the last record, and the only one.
  const record = Buffer.concat([plain, Buffer.of(2), padding]);
  const sealed = [cipher.update(record), cipher.final(), cipher.getAuthTag()];
  const recordSize = Buffer.alloc(4);
  recordSize.writeUInt32BE(maxMessageBytes);
  return Buffer.concat([salt, recordSize, Buffer.of(senderKey.length), senderKey, ...sealed]);
}

const derived = (secret: Buffer, salt: Buffer, about: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, about, bytes));

/** Whether a browser's keys can be used. */
export function arePushKeys({ p256dh, auth }: PushKeys): boolean {
  if (Buffer.from(auth, 'base64url').length !== authBytes) return false;
  const point = Buffer.from(p256dh, 'base64url');
  try {
    const any = createECDH('prime256v1');
    any.generateKeys();
    return point.length === pointBytes && any.computeSecret(point).length > 0;
  } catch {
    return false;
  }
}
