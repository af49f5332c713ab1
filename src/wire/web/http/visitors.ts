import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { loginIdleMs, type Visitor, type WebAccess } from '../access/web-access.ts';

/** Cookies ignore ports, so the name has ours. */
const cookieName = (port: number): string => `vtr_${port}`;
/** Browsers take this prefix from secure origins only, and never for another path or host. */
const securePrefix = '__Host-';

/** Returns the values that a request has for our cookie, at most two. */
export function cookiesOf({ cookie = '' }: IncomingHttpHeaders, port: number): string[] {
  const names = [`${securePrefix}${cookieName(port)}`, cookieName(port)];
  const pairs = cookie.split(';').map((each) => each.trim().split('='));
  return names.flatMap((name) => pairs.find(([key]) => key === name)?.[1] ?? []);
}

/** @param origin of the page that gets the cookie */
export function cookieHeader(value: string, port: number, origin: string): string {
  const isSecure = origin.startsWith('https:');
  const name = `${isSecure ? securePrefix : ''}${cookieName(port)}`;
  const attributes = ['HttpOnly', 'SameSite=Strict', 'Path=/', `Max-Age=${loginIdleMs / 1000}`];
  return [`${name}=${value}`, ...attributes, ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** Returns the visitor whose cookie a request has; null if it has none that is good. */
export function visitorOf(
  { headers }: IncomingMessage,
  { access, port }: { readonly access: WebAccess; readonly port: number },
): Visitor | null {
  for (const cookie of cookiesOf(headers, port)) {
    const visitor = access.visitor(cookie);
    if (visitor !== null) return visitor;
  }
  return null;
}
