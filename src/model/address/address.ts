import { encodeUtf8, shellQuoted } from '#base';
import { VtrError } from '../errors.ts';
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
  const [, scheme = '', authority = '', path = ''] =
    /^([^:/]*):\/\/([^/]*)(\/.*)?$/s.exec(given) ?? [];
  const parts = { given, authority, path };
  if (scheme === 'ssh') return parseSsh(parts);
  if (scheme === 'docker' || scheme === 'podman') return parseContainer(scheme, parts);
  if (scheme === 'kube') return parseKube(parts);
  const instead =
    scheme === 'unix'
      ? `give the path alone: ${path}`
      : `use the path of a Unix socket, or ${forms}`;
  throw refused(given, `its scheme is unknown; ${instead}`);
}

/** Returns the one text of an address, which {@link parseAddress} parses to an equal one. */
export function printAddress(address: Address): string {
  if (address.kind === 'exec') return `exec:${address.command.map(shellQuoted).join(' ')}`;
  if (address.kind === 'kube') {
    const { context, namespace, pod, container } = address;
    const before = context === undefined ? '' : `${encoded(context)}@`;
    const after = container === undefined ? '' : `/${encoded(container)}`;
    return `kube://${before}${encoded(namespace)}/${encoded(pod)}${after}`;
  }
  const socket = (address.socket ?? '').split('/').map(encoded).join('/');
  if (address.kind !== 'ssh') return `${address.kind}://${encoded(address.container)}${socket}`;
  const { user, host, port } = address;
  const before = user === undefined ? '' : `${encoded(user)}@`;
  const after = port === undefined ? '' : `:${port}`;
  return `ssh://${before}${host.includes(':') ? `[${host}]` : encoded(host)}${after}${socket}`;
}

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

interface Parts {
  /** The whole address, for messages. */
  readonly given: string;
  readonly authority: string;
  /** Empty, or begins with `/`. */
  readonly path: string;
}

function parseSsh({ given, authority, path }: Parts): Address {
  const at = authority.lastIndexOf('@');
  const [, v6, name = '', port] =
    /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(authority.slice(at + 1)) ?? [];
  const host = v6 ?? decoded(given, name);
  if (host === '') throw refused(given, 'it has no host; use ssh://[USER@]HOST[:PORT][/SOCKET]');
  check(given, 'host', host, v6 === undefined ? hostPattern : v6Pattern);
  const user = at === -1 ? undefined : decoded(given, authority.slice(0, at));
  if (user !== undefined) check(given, 'user', user, userPattern);
  return {
    kind: 'ssh',
    ...(user === undefined ? {} : { user }),
    host,
    ...(port === undefined ? {} : { port: portOf(given, port) }),
    ...socketOf(given, path),
  };
}

function portOf(given: string, port: string): number {
  const number = Number(port);
  if (/^\d{1,5}$/.test(port) && number >= 1 && number <= 65_535) return number;
  throw refused(given, `its port ${JSON.stringify(port)} is not a number from 1 to 65535`);
}

function parseContainer(kind: 'docker' | 'podman', { given, authority, path }: Parts): Address {
  const container = decoded(given, authority);
  if (container === '')
    throw refused(given, `it has no container; use ${kind}://CONTAINER[/SOCKET]`);
  check(given, 'container', container, wordPattern);
  return { kind, container, ...socketOf(given, path) };
}

function parseKube({ given, authority, path }: Parts): Address {
  const at = authority.lastIndexOf('@');
  const context = at === -1 ? undefined : decoded(given, authority.slice(0, at));
  const [pod = '', container, ...more] = path.slice(1).split('/');
  const isIncomplete = at + 1 === authority.length || pod === '' || container === '';
  if (isIncomplete || more.length > 0 || path.includes('@')) {
    const form = 'use kube://[CONTEXT@]NAMESPACE/POD[/CONTAINER]';
    throw refused(
      given,
      `it is incomplete or has too many parts; ${form}, with / in CONTEXT as %2F`,
    );
  }
  if (context !== undefined) check(given, 'context', context, contextPattern);
  const namespace = decoded(given, authority.slice(at + 1));
  check(given, 'namespace', namespace, wordPattern);
  check(given, 'pod', decoded(given, pod), wordPattern);
  if (container !== undefined) check(given, 'container', decoded(given, container), wordPattern);
  return {
    kind: 'kube',
    ...(context === undefined ? {} : { context }),
    ...{ namespace, pod: decoded(given, pod) },
    ...(container === undefined ? {} : { container: decoded(given, container) }),
  };
}

function parseExec(given: string): Address {
  const words = splitWords(given.slice('exec:'.length));
  if (typeof words === 'string') throw refused(given, words);
  const [program, ...args] = words;
  if (program === undefined || program === '') {
    throw refused(given, 'it has no command; an example is exec:ssh gpu1');
  }
  return { kind: 'exec', command: [program, ...args] };
}

/** Programs get these as arguments and may pass them to a shell: so nothing that either could interpret. */
const hostPattern = /^[\w.+-]+$/;
const v6Pattern = /^[\da-fA-F:.]*:[\da-fA-F:.]*(?:%[\w.-]+)?$/;
const userPattern = /^[\w.+@\\-]+$/;
const wordPattern = /^[\w.-]+$/;
const contextPattern = /^[^\0-\x1f\x7f]+$/;

/** A part that begins with `-` would be an option of the program that gets it. */
function check(given: string, part: string, value: string, allowed: RegExp): void {
  const quoted = JSON.stringify(value);
  if (value.startsWith('-')) throw refused(given, `its ${part} ${quoted} begins with -`);
  if (!allowed.test(value)) {
    throw refused(given, `its ${part} ${quoted} is empty or has characters that are not allowed`);
  }
}

const maxSocketBytes = 103;

function socketOf(given: string, path: string): { readonly socket?: string } {
  if (path === '' || path === '/') return {};
  const socket = path
    .split('/')
    .map((part) => decoded(given, part))
    .join('/');
  if (!contextPattern.test(socket)) throw refused(given, 'its socket has control characters');
  if (encodeUtf8(socket).length > maxSocketBytes) {
    throw refused(given, `its socket has more than ${maxSocketBytes} bytes`);
  }
  return { socket };
}

function decoded(given: string, text: string): string {
  if (/[?#\s]/.test(text)) {
    throw refused(given, 'it contains ?, # or a space; write them as %3F, %23 and %20');
  }
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused(given, `${JSON.stringify(text)} is not valid percent-encoding; write % as %25`);
  }
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/%(?:2B|5B|5D)/g, decodeURIComponent);

const refused = (given: string, why: string): VtrError =>
  new VtrError('INVALID_ARGUMENT', `the address ${given} cannot be used: ${why}`);
