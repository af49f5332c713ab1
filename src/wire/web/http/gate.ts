import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { quoted } from '#base';
import type { Visitor, WebAccess } from '../access/web-access.ts';
import type { Refusal, RefusedFor } from './answers.ts';
import type { Origins } from './origins.ts';

type Headed = Pick<IncomingMessage, 'headers' | 'headersDistinct'>;

interface Asked {
  readonly request: Headed;
  /** Whether the request could have an effect: an upgrade, or any method but GET and HEAD. */
  readonly acts: boolean;
  /** Whether it may be the first of a visit: the address was typed, or a bookmark opened. */
  readonly isEntry: boolean;
}

/**
 * Refuses what a page of another site sends: under a name that it has pointed at this machine (DNS
 * rebinding), or with the cookie that the browser adds. The origin must be one of our own list; that it
 * equals the host would prove nothing.
 */
export function refusalOf({ request, acts, isEntry }: Asked, origins: Origins): Refusal | null {
  const { headers } = request;
  const { origin } = headers;
  const unknown = hostRefusal(request, origins);
  if (unknown !== null) return unknown;
  if (origin === undefined ? acts : !origins.has(origin)) {
    return forbidden(
      'origin',
      origin === undefined ? 'a request without an origin' : `a request from ${quoted(origin)}`,
    );
  }
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || (site === 'none' && isEntry)) return null;
  if (isEntry && isVisit(headers)) return null;
  return forbidden('site', 'a request from another site; open the address in a tab of its own');
}

/**
 * Whether a tab opens the page, by a link of another site or by the file of `vtr web --open`. The browser sends no
 * cookie (`SameSite=Strict`), the answer is the same for everybody, and the opener has no access to the tab.
 */
const isVisit = (headers: IncomingMessage['headers']): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

/** Refuses a request under a name that is not ours. */
export function hostRefusal(
  { headers, headersDistinct }: Headed,
  origins: Origins,
): Refusal | null {
  const { host } = headers;
  if ((headersDistinct['host']?.length ?? 0) > 1) return severalHosts;
  if (origins.hasHost(host)) return null;
  return forbidden('host', `this server does not answer as ${quoted(host ?? '')}`);
}

/** What is between may see another one than we do (RFC 9112, 3.2). */
const severalHosts: Refusal = {
  status: 400,
  lacks: 'host',
  message: 'refused: a request with several Host headers',
};

const forbidden = (lacks: RefusedFor, what: string): Refusal => ({
  status: 403,
  lacks,
  message: `refused: ${what}`,
});

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

/** Returns the header that makes the browser keep a cookie. @param ms for as long as the login lasts without use */
export function cookieHeader({ value, isSecure }: Cookie, port: number, ms: number): string {
  const name = `${isSecure ? securePrefix : ''}${cookieName(port)}`;
  const attributes = ['HttpOnly', 'SameSite=Strict', 'Path=/', `Max-Age=${ms / 1000}`];
  return [`${name}=${value}`, ...attributes, ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** The first that a browser names itself by is the right one: Edge also says Chrome, and Chrome also says Safari. */
const browsers = [
  ...[
    ['Edg', 'Edge'],
    ['OPR', 'Opera'],
    ['SamsungBrowser', 'Samsung Internet'],
  ],
  ...[
    ['Firefox', 'Firefox'],
    ['FxiOS', 'Firefox'],
    ['CriOS', 'Chrome'],
    ['Chrom', 'Chrome'],
  ],
  ['Safari', 'Safari'],
] as const;
const systems = [
  ...[
    ['iPhone', 'iPhone'],
    ['iPad', 'iPad'],
    ['Android', 'Android'],
    ['CrOS', 'ChromeOS'],
  ],
  ...[
    ['Windows', 'Windows'],
    ['Mac OS X', 'Mac'],
    ['Linux', 'Linux'],
  ],
] as const;

/** Returns what a browser says that it is, as `Firefox on Linux`; empty if it is none that is known. */
export function browserText({ 'user-agent': agent = '' }: IncomingHttpHeaders): string {
  const ofAgent = (all: readonly (readonly string[])[]): string | undefined =>
    all.find(([sign = '']) => agent.includes(sign))?.[1];
  const browser = ofAgent(browsers);
  const system = ofAgent(systems);
  return [browser, system].filter((each) => each !== undefined).join(' on ');
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
