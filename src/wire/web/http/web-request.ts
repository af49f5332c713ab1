import { VtrError, type WebRequest } from '#model';
import { checkOrigin, isLoopback } from './origins.ts';

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
  const isOpen = host !== undefined && !isLoopback(host);
  if (isOpen && tls === undefined && behindProxy === undefined) {
    const message = `${host} is reached over a network: give --tls-cert and --tls-key, or --behind-proxy with the origin of a proxy that encrypts`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  return behindProxy === undefined
    ? request
    : { ...request, behindProxy: checkOrigin(behindProxy) };
}
