import { isIP } from 'node:net';
import { VtrError } from '#model';
import type { PushSubscription } from '../access/web-access.ts';
import { arePushKeys, type PushKeys } from './encrypting.ts';
import { isPublic } from './public-address.ts';

const maxEndpointLength = 2048;
const base64url = /^[\w-]{16,128}={0,2}$/;

/**
 * Returns a subscription as a browser sent it.
 *
 * @param services origins of push services that may have other addresses than public ones
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkSubscription(
  json: unknown,
  content: boolean,
  services: readonly string[],
): PushSubscription {
  const { endpoint, keys } = (json ?? {}) as { endpoint?: unknown; keys?: Partial<PushKeys> };
  const { p256dh, auth } = keys ?? {};
  const isText = [p256dh, auth].every((each) => typeof each === 'string' && base64url.test(each));
  if (!isText || !arePushKeys(keys as PushKeys))
    throw noSubscription('it has no keys of a browser');
  if (typeof endpoint !== 'string' || endpoint.length > maxEndpointLength) {
    throw noSubscription('its endpoint is not an address');
  }
  checkEndpoint(endpoint, services);
  return { endpoint, p256dh: p256dh as string, auth: auth as string, content };
}

/** @throws VtrError INVALID_ARGUMENT */
function checkEndpoint(text: string, services: readonly string[]): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 'https:')
    throw noSubscription('its endpoint is not of https');
  if (url.username !== '' || url.password !== '') throw noSubscription('its endpoint has a user');
  if (services.includes(url.origin)) return;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublic(host)) throw noSubscription(`${host} is not a public address`);
}

const noSubscription = (why: string): VtrError =>
  new VtrError('INVALID_ARGUMENT', `not a subscription of a push service: ${why}`);
