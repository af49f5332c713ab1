import { createPrivateKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';

/** By which push services know the sender: a private key of P-256 (RFC 8292). It has no other use. */
export type VapidKey = Readonly<Record<'x' | 'y' | 'd', string>>;

/** For how long a push service may take a signature again, in s; at most a day. */
const goodForS = 12 * 60 * 60;
/** Whom an operator of a push service would ask, if the page has no address of its own there. */
const nobody = 'mailto:nobody@example.org';

export function newVapidKey(): VapidKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  return { x, y, d };
}

/** Returns the public key as browsers take it: the point, not compressed, in base64url. */
export function vapidPublicKey({ x, y }: VapidKey): string {
  const parts = [Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  return Buffer.concat(parts).toString('base64url');
}

/**
 * Returns the header `Authorization` of a message (RFC 8292, 3).
 *
 * @param service origin of the push service
 * @param page origin of the page, which tells the service's operator whom to ask if it is of https
 * @param nowMs milliseconds since 1970-01-01 UTC
 */
export function vapidHeader(key: VapidKey, service: string, page: string, nowMs: number): string {
  const claims = {
    aud: service,
    exp: Math.floor(nowMs / 1000) + goodForS,
    sub: page.startsWith('https:') ? page : nobody,
  };
  const text = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const jwk: JsonWebKey = { kty: 'EC', crv: 'P-256', ...key };
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(text), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  return `vapid t=${text}.${signature.toString('base64url')}, k=${vapidPublicKey(key)}`;
}
