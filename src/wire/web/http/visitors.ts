import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { loginIdleMs, type Visitor, type WebAccess } from '../access/web-access.ts';

/** Cookies ignore ports, so the name has ours. */
const cookieName = (port: number): string => `vtr_${port}`;
/** Browsers take this prefix from secure origins only, and never for another path or host. */
const securePrefix = '__Host-';

/** A login in a browser. */
interface Cookie {
  readonly value: string;
  /** Whether it was given over https. */
  readonly isSecure: boolean;
}

/** Returns our cookies in a request, at most two. */
function cookiesOf({ cookie = '' }: IncomingHttpHeaders, port: number): Cookie[] {
  const pairs = cookie.split(';').map((each) => each.trim().split('='));
  return [true, false].flatMap((isSecure) => {
    const name = `${isSecure ? securePrefix : ''}${cookieName(port)}`;
    const value = pairs.find(([key]) => key === name)?.[1];
    return value === undefined ? [] : { value, isSecure };
  });
}

/** Returns the header that makes the browser keep a cookie for as long as the login lasts. */
export function cookieHeader({ value, isSecure }: Cookie, port: number): string {
  const name = `${isSecure ? securePrefix : ''}${cookieName(port)}`;
  const attributes = ['HttpOnly', 'SameSite=Strict', 'Path=/', `Max-Age=${loginIdleMs / 1000}`];
  return [`${name}=${value}`, ...attributes, ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** Returns the visitor whose cookie a request has, and the cookie; null if it has none that is good. */
export function visitorOf(
  { headers }: IncomingMessage,
  { access, port }: { readonly access: WebAccess; readonly port: number },
): (Visitor & { readonly cookie: Cookie }) | null {
  for (const cookie of cookiesOf(headers, port)) {
    const visitor = access.visitor(cookie.value);
    if (visitor !== null) return { ...visitor, cookie };
  }
  return null;
}
