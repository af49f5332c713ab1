import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { certificates } from '../service/tls-proxy.ts';

/** A browser that has subscribed: it reads its messages by RFC 8291 and RFC 8188. */
export class PushBrowser {
  readonly #key = createECDH('prime256v1');
  readonly #auth = randomBytes(16);
  readonly keys: { readonly p256dh: string; readonly auth: string };

  constructor() {
    const p256dh = this.#key.generateKeys().toString('base64url');
    this.keys = { p256dh, auth: this.#auth.toString('base64url') };
  }

  /** Returns the text of a message, without its padding. */
  decrypted(message: Buffer): string {
    const salt = message.subarray(0, 16);
    const keyLength = message.readUInt8(20);
    const sender = message.subarray(21, 21 + keyLength);
    const sealed = message.subarray(21 + keyLength);
    const derived = (secret: Buffer, by: Buffer, about: Buffer, bytes: number) =>
      Buffer.from(hkdfSync('sha256', secret, by, about, bytes));
    const about = [Buffer.from('WebPush: info\0'), this.#key.getPublicKey(), sender];
    const shared = this.#key.computeSecret(sender);
    const secret = derived(shared, this.#auth, Buffer.concat(about), 32);
    const key = derived(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
    const nonce = derived(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
    const cipher = createDecipheriv('aes-128-gcm', key, nonce);
    cipher.setAuthTag(sealed.subarray(-16));
    const record = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
    const end = record.findLastIndex((byte) => byte !== 0);
    if (record[end] !== 2) throw new Error('not the last record');
    return record.subarray(0, end).toString();
  }
}

/** A message as the service got it. */
export interface PushReceived {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A push service on loopback, which keeps what it gets. */
export interface PushService {
  readonly origin: string;
  /** The authority that certifies it: a file, and its content in PEM. */
  readonly caFile: string;
  readonly ca: string;
  readonly received: PushReceived[];
  /** The status of its answers; 201 at first. */
  status: number;
}

/** Serves until the test ends. */
export async function servePush(): Promise<PushService> {
  const directory = certificates();
  const read = (file: string) => readFileSync(join(directory, file), 'utf8');
  const pem = read('server.pem');
  const received: PushReceived[] = [];
  const server: Server = createServer({ cert: pem, key: pem }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      received.push({ path, headers, body: Buffer.concat(chunks) });
      response.writeHead(service.status).end();
    });
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const files = { caFile: join(directory, 'ca.crt'), ca: read('ca.crt') };
  const service: PushService = {
    origin: `https://localhost:${port}`,
    ...files,
    received,
    status: 201,
  };
  return service;
}

/** Returns the claims of a message's signature (RFC 8292). @throws Error if it is not by the key of the header */
export function vapidClaims({ headers }: PushReceived, publicKey: string) {
  const [, token = '', key] =
    /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  if (key !== publicKey) throw new Error(`signed by ${key}`);
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) =>
    each.toString('base64url'),
  ) as [string, string];
  const jwk = { kty: 'EC', crv: 'P-256', x, y };
  const signer = createPublicKey({ key: jwk, format: 'jwk' });
  const [head = '', claims = '', signature = ''] = token.split('.');
  const isGood = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: signer, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isGood) throw new Error('the signature is wrong');
  return JSON.parse(Buffer.from(claims, 'base64url').toString());
}
