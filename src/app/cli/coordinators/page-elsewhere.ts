import { shellQuoted } from '#base';
import { isAddress, parseAddress } from '#model';

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Says how to reach a page that the coordinator of an address serves on its own loopback interface.
 *
 * @param socket path or address of the coordinator
 * @param link to the page, as the coordinator knows it
 * @returns null if a browser of this machine can open the link
 */
export function elsewhereHint(socket: string, link: string): string | null {
  if (!isAddress(socket)) return null;
  const { hostname, port } = new URL(link);
  if (!loopback.has(hostname)) return null;
  const address = parseAddress(socket);
  const here =
    address.kind === 'exec'
      ? ''
      : `, or add its sessions to the page of this machine: vtr config add ${shellQuoted(socket)} && vtr web`;
  if (address.kind !== 'ssh') {
    return `the page is served at ${socket}, which the browsers of this machine do not reach; forward port ${port}${here}`;
  }
  const { user, host, port: sshPort } = address;
  const login = user === undefined ? host : `${user}@${host}`;
  const option = sshPort === undefined ? '' : `-p ${sshPort} `;
  const forward = `ssh -N -L ${port}:127.0.0.1:${port} ${option}${login}`;
  return `the page is served on ${host}; to open the link here, run ${forward}${here}`;
}
