import { hostname, networkInterfaces } from 'node:os';
import { quoted } from '#base';
import { VtrError, type WebRequest } from '#model';

/** How the page is reached. */
export interface OriginOptions {
  /** The address at which the server listens. */
  readonly host: string;
  readonly port: number;
  readonly hasTls: boolean;
  /** The origin at which a proxy serves the page. */
  readonly behindProxy: string | null;
}

const loopback = ['127.0.0.1', 'localhost', '[::1]'];
const everywhere = new Set(['0.0.0.0', '::']);

/** The page's own origins: the only ones that may call, and the only names under which it answers. */
export class Origins {
  /** The origin of links. */
  readonly main: string;
  readonly #origins: ReadonlySet<string>;
  readonly #hosts: ReadonlySet<string>;

  constructor({ host, port, hasTls, behindProxy }: OriginOptions) {
    const scheme = hasTls ? 'https' : 'http';
    const named = namesOf(host);
    // Parsed, because a browser leaves out a port that is the scheme's own.
    const own = [...named, ...loopback].map((name) => new URL(`${scheme}://${name}:${port}`));
    const all = behindProxy === null ? own : [new URL(behindProxy), ...own];
    this.#origins = new Set(all.map(({ origin }) => origin));
    this.#hosts = new Set(all.map((url) => url.host));
    this.main = (all[0] as URL).origin;
  }

  /** Whether a Host header has one of the page's names. */
  hasHost(host: string | undefined): boolean {
    return host !== undefined && this.#hosts.has(host.toLowerCase());
  }

  has(origin: string): boolean {
    return this.#origins.has(origin);
  }

  /**
   * For the policy of the page's content: Safari does not take `'self'` for WebSockets. A policy cannot
   * name IPv6 addresses.
   */
  get sockets(): readonly string[] {
    const named = [...this.#origins].filter((origin) => !origin.includes('['));
    return named.map((origin) => origin.replace(/^http/, 'ws'));
  }
}

/** An address as in a URL. */
const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/** The names of an address to listen at, those that other devices reach first. */
function namesOf(host: string): string[] {
  if (!everywhere.has(host)) return [inUrl(host.toLowerCase())];
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  // An address with a zone is not part of a URL.
  const outer = addresses.filter(({ address, internal }) => !internal && !address.includes('%'));
  return [...outer.map(({ address }) => inUrl(address)), hostname().toLowerCase()].filter(isInUrls);
}

/** Whether a name can be in the address of a page: one with the zone of an IPv6 address cannot. */
const isInUrls = (name: string): boolean => URL.canParse(`http://${name}`);

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** @throws VtrError INVALID_ARGUMENT */
function checkOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (isOrigin && [url.origin, `${url.origin}/`].includes(text)) return url.origin;
  const message = `${quoted(text)} is not an origin; write it as https://vtr.example`;
  throw new VtrError('INVALID_ARGUMENT', message);
}

/**
 * Returns a request that does not open the page to a network without encryption.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkWebRequest(request: WebRequest): WebRequest {
  const { port, host, tls, behindProxy } = request;
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw new VtrError('INVALID_ARGUMENT', `${port} is not a port; use 0 to 65535`);
  }
  if (tls !== undefined && (tls.certFile === '' || tls.keyFile === '')) {
    throw new VtrError('INVALID_ARGUMENT', '--tls-cert and --tls-key are given together');
  }
  if (tls !== undefined && behindProxy !== undefined) {
    const message = '--behind-proxy means that the proxy encrypts; leave out --tls-cert or it';
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  if (host !== undefined && !isInUrls(inUrl(host))) {
    const message = `${quoted(host)} cannot be in the address of a page; give a name, or an IP address without a zone`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  const isOpen = host !== undefined && !isLoopback(host);
  if (isOpen && tls === undefined && behindProxy === undefined) {
    const message = `${host} is reached over a network: give --tls-cert and --tls-key, or --behind-proxy with the origin of a proxy that encrypts`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  return behindProxy === undefined
    ? request
    : { ...request, behindProxy: checkOrigin(behindProxy) };
}
