import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { defined } from '#base';
import { Refused } from '#notify';
import type { PushSubscription } from '../access/web-access.ts';
import { encrypted, maxPushBytes } from './encrypting.ts';
import { publicLookup } from './public-address.ts';
import { type VapidKey, vapidHeader } from './vapid.ts';

/** A message for a browser, before it is encrypted. */
export interface Pushed {
  /** JSON, of at most 3993 bytes. */
  readonly text: string;
  /** Messages of one topic replace each other while the browser is offline: 1 to 32 characters of base64url. */
  readonly topic: string;
  /** For how long the service keeps it for a browser that is offline, in s. */
  readonly ttlS: number;
  /** `high`: also to a device that saves its battery (RFC 8030, 5.3). */
  readonly urgency: 'normal' | 'high';
}

export interface PushSender {
  readonly key: VapidKey;
  /** Origin of the page. */
  readonly page: string;
  /** Origins of push services that may have other addresses than public ones. */
  readonly services: readonly string[];
  /** The authorities that certify push services, in PEM. Default: those that Node.js knows. */
  readonly ca?: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly nowMs: number;
}

/** The browser, or its push service, has ended the subscription. */
export class SubscriptionEnded extends Error {}

/** The time in which a push service answers, in ms. */
const answerMs = 10_000;
/** Messages have this many bytes at least, so that their length does not tell what is asked. */
const paddedBytes = 1024;

/**
 * Sends a message to a browser by its push service (RFC 8030).
 *
 * @throws SubscriptionEnded; Refused if another attempt would fail, too; Error otherwise
 */
export async function sendPush(
  subscription: PushSubscription,
  { text, topic, ttlS, urgency }: Pushed,
  { key, page, services, ca, nowMs }: PushSender,
): Promise<void> {
  const url = new URL(subscription.endpoint);
  const body = encrypted(text, subscription, Math.min(paddedBytes, maxPushBytes));
  const headers = {
    Authorization: vapidHeader(key, url.origin, page, nowMs),
    'Content-Encoding': 'aes128gcm',
    'Content-Type': 'application/octet-stream',
    'Content-Length': body.length,
    TTL: ttlS,
    Topic: topic,
    Urgency: urgency,
  };
  const isOwn = services.includes(url.origin);
  const lookup = isOwn ? undefined : publicLookup;
  const options = { method: 'POST', headers, agent: false, ...defined({ lookup, ca }) };
  const status = await posted(url, options, body);
  if (status >= 200 && status < 300) return;
  const message = `${url.host}: status ${status}`;
  // RFC 8030, 7.3: the resource is gone; services answer 404, too.
  if (status === 404 || status === 410) throw new SubscriptionEnded(message);
  const isTemporary = status >= 500 || status === 408 || status === 429;
  throw new (isTemporary ? Error : Refused)(message);
}

/** Returns the status of the answer. A redirection is not followed. */
function posted(url: URL, options: RequestOptions, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${url.host}: ${why}`));
    const late = setTimeout(() => outgoing.destroy(new Error('no answer in 10 s')), answerMs);
    const outgoing = request(url, options, ({ statusCode = 0 }: IncomingMessage) => {
      clearTimeout(late);
      resolve(statusCode);
      // What else it says is of no use.
      outgoing.destroy();
    });
    outgoing.on('error', ({ message }) => {
      clearTimeout(late);
      fail(message);
    });
    outgoing.end(body);
  });
}
