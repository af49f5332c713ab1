import { shellQuoted } from '#base';
import {
  type AddressParts,
  checkPart,
  decodedPart,
  encodedPart,
  kubeParts,
  partsOf,
  printKube,
  printSocket,
  refusedAddress,
  socketOf,
  wordPattern,
} from './address-parts.ts';
import { isSelector, parseSelector, printSelector } from './selector.ts';
import { splitWords } from './split-words.ts';

/** A coordinator on another machine, in a container, or behind any command. */
export type Address =
  | {
      readonly kind: 'ssh';
      readonly user?: string;
      /** A host, an alias of ssh's configuration, or an IP address without brackets. */
      readonly host: string;
      readonly port?: number;
      readonly socket?: string;
    }
  | {
      readonly kind: 'docker' | 'podman';
      readonly container: string;
      readonly socket?: string;
    }
  | {
      readonly kind: 'kube';
      /** A context of kubectl's configuration. Default: the current one */
      readonly context?: string;
      readonly namespace: string;
      readonly pod: string;
      /** Default: the pod's own default */
      readonly container?: string;
    }
  | {
      readonly kind: 'exec';
      /** A program and its arguments; `vtr connect` follows. */
      readonly command: readonly [string, ...string[]];
    };

/** The forms of addresses, for messages. */
const forms = 'ssh://HOST, docker://CONTAINER, podman://CONTAINER, kube://NAMESPACE/POD';

/** Returns whether a text is an address, such as `ssh://host` or `exec:COMMAND`, rather than a path. */
export const isAddress = (given: string): boolean => /:\/\/|^exec:/.test(given);

/**
 * Parses an address: `ssh://[USER@]HOST[:PORT][/SOCKET]`, `docker://CONTAINER[/SOCKET]`,
 * `podman://CONTAINER[/SOCKET]`, `kube://[CONTEXT@]NAMESPACE/POD[/CONTAINER]` or `exec:COMMAND`. Parts
 * other than COMMAND may be percent-encoded (RFC 3986, 2.1); COMMAND is split as a shell would.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function parseAddress(given: string): Address {
  if (given.startsWith('exec:')) return parseExec(given);
  if (isSelector(given)) {
    throw refusedAddress(given, 'it selects several, where one is needed; give a name');
  }
  const parts = partsOf(given);
  const { scheme, path } = parts;
  if (scheme === 'ssh') return parseSsh(parts);
  if (scheme === 'docker' || scheme === 'podman') return parseContainer(scheme, parts);
  if (scheme === 'kube') return parseKube(parts);
  const instead =
    scheme === 'unix'
      ? `give the path alone: ${path}`
      : `use the path of a Unix socket, or ${forms}`;
  throw refusedAddress(given, `its scheme is unknown; ${instead}`);
}

/** Returns the one text of an address, which {@link parseAddress} parses to an equal one. */
export function printAddress(address: Address): string {
  if (address.kind === 'exec') return `exec:${address.command.map(shellQuoted).join(' ')}`;
  if (address.kind === 'kube') return printKube({ ...address, pod: encodedPart(address.pod) });
  const socket = printSocket(address.socket);
  if (address.kind !== 'ssh') return `${address.kind}://${encodedPart(address.container)}${socket}`;
  const { user, host, port } = address;
  const before = user === undefined ? '' : `${encodedPart(user)}@`;
  const after = port === undefined ? '' : `:${port}`;
  return `ssh://${before}${host.includes(':') ? `[${host.replace('%', '%25')}]` : encodedPart(host)}${after}${socket}`;
}

/**
 * Returns the one text of an address or a selector.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export const canonicalAddress = (given: string): string =>
  isSelector(given) ? printSelector(parseSelector(given)) : printAddress(parseAddress(given));

/** Returns the name of a coordinator that its user has not named: of its host, container, pod or program. */
export function nameOfAddress(address: Address): string {
  const { kind } = address;
  const given =
    kind === 'ssh'
      ? address.host
      : kind === 'kube'
        ? address.pod
        : kind === 'exec'
          ? address.command[0].replace(/^.*\//, '')
          : address.container;
  return given.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '') || kind;
}

function parseSsh(parts: AddressParts): Address {
  const { given, authority } = parts;
  const at = authority.lastIndexOf('@');
  const [, v6, name = '', port] =
    /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(authority.slice(at + 1)) ?? [];
  // The zone of an IP address (RFC 6874) is also accepted as ssh writes it: %eth0.
  const host = v6?.replace(/%25(?=.)/, '%') ?? decodedPart(given, name);
  if (host === '')
    throw refusedAddress(given, 'it has no host; use ssh://[USER@]HOST[:PORT][/SOCKET]');
  checkPart(given, 'host', host, v6 === undefined ? hostPattern : v6Pattern);
  const user = at === -1 ? undefined : decodedPart(given, authority.slice(0, at));
  if (user !== undefined) checkPart(given, 'user', user, userPattern);
  return {
    kind: 'ssh',
    ...(user === undefined ? {} : { user }),
    host,
    ...(port === undefined ? {} : { port: portOf(given, port) }),
    ...socketOf(parts),
  };
}

function portOf(given: string, port: string): number {
  const number = Number(port);
  if (/^\d{1,5}$/.test(port) && number >= 1 && number <= 65_535) return number;
  throw refusedAddress(given, `its port ${JSON.stringify(port)} is not a number from 1 to 65535`);
}

function parseContainer(kind: 'docker' | 'podman', parts: AddressParts): Address {
  const { given, authority } = parts;
  const container = decodedPart(given, authority);
  if (container === '')
    throw refusedAddress(given, `it has no container; use ${kind}://CONTAINER[/SOCKET]`);
  checkPart(given, 'container', container, wordPattern);
  return { kind, container, ...socketOf(parts) };
}

function parseKube(parts: AddressParts): Address {
  const { pod: written, ...place } = kubeParts(parts);
  const pod = decodedPart(parts.given, written);
  checkPart(parts.given, 'pod', pod, wordPattern);
  return { kind: 'kube', ...place, pod };
}

function parseExec(given: string): Address {
  const words = splitWords(given.slice('exec:'.length));
  if (typeof words === 'string') throw refusedAddress(given, words);
  const [program, ...args] = words;
  if (program === undefined || program === '') {
    throw refusedAddress(given, 'it has no command; an example is exec:ssh gpu1');
  }
  return { kind: 'exec', command: [program, ...args] };
}

const hostPattern = /^[\w.+-]+$/;
const v6Pattern = /^[\da-fA-F:.]*:[\da-fA-F:.]*(?:%[\w.-]+)?$/;
const userPattern = /^[\w.+@\\-]+$/;
