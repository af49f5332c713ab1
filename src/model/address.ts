import { defined, quoted, shellQuoted } from '#base';
import {
  type AddressParts,
  checkPart,
  decodedPart,
  encodedPart,
  isSelector,
  kubeParts,
  parseSelector,
  partsOf,
  printKube,
  printSelector,
  printSocket,
  refusedAddress,
  socketOf,
  wordPattern,
} from './selector.ts';

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
export const isAddress = (text: string): boolean => /:\/\/|^exec:/.test(text);

/**
 * Parses an address: `ssh://[USER@]HOST[:PORT][/SOCKET]`, `docker://CONTAINER[/SOCKET]`,
 * `podman://CONTAINER[/SOCKET]`, `kube://[CONTEXT@]NAMESPACE/POD[/CONTAINER]` or `exec:COMMAND`. Parts
 * other than COMMAND may be percent-encoded (RFC 3986, 2.1); COMMAND is split as a shell would.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function parseAddress(text: string): Address {
  if (text.startsWith('exec:')) return parseExec(text);
  if (isSelector(text)) {
    throw refusedAddress(text, 'it selects several, where one is needed; give a name');
  }
  const parts = partsOf(text);
  const { scheme, path } = parts;
  if (scheme === 'ssh') return parseSsh(parts);
  if (scheme === 'docker' || scheme === 'podman') return parseContainer(scheme, parts);
  if (scheme === 'kube') return parseKube(parts);
  const instead =
    scheme === 'unix'
      ? `give the path alone: ${path}`
      : `use the path of a Unix socket, or ${forms}`;
  throw refusedAddress(text, `its scheme is unknown; ${instead}`);
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
export const canonicalAddress = (text: string): string =>
  isSelector(text) ? printSelector(parseSelector(text)) : printAddress(parseAddress(text));

/** Returns the name of a coordinator that its user has not named: of its host, container, pod or program. */
export function nameOfAddress(address: Address): string {
  const { kind } = address;
  const name =
    kind === 'ssh'
      ? address.host
      : kind === 'kube'
        ? address.pod
        : kind === 'exec'
          ? address.command[0].replace(/^.*\//, '')
          : address.container;
  return name.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '') || kind;
}

function parseSsh(parts: AddressParts): Address {
  const { address, authority } = parts;
  const at = authority.lastIndexOf('@');
  const [, v6, name = '', port] =
    /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(authority.slice(at + 1)) ?? [];
  // The zone of an IP address (RFC 6874) is also accepted as ssh writes it: %eth0.
  const host = v6?.replace(/%25(?=.)/, '%') ?? decodedPart(address, name);
  if (host === '')
    throw refusedAddress(address, 'it has no host; use ssh://[USER@]HOST[:PORT][/SOCKET]');
  checkPart(address, 'host', host, v6 === undefined ? hostPattern : v6Pattern);
  const user = at === -1 ? undefined : decodedPart(address, authority.slice(0, at));
  if (user !== undefined) checkPart(address, 'user', user, userPattern);
  return {
    kind: 'ssh',
    ...defined({ user }),
    host,
    ...(port === undefined ? {} : { port: portOf(address, port) }),
    ...socketOf(parts),
  };
}

function portOf(text: string, port: string): number {
  const number = Number(port);
  if (/^\d{1,5}$/.test(port) && number >= 1 && number <= 65_535) return number;
  throw refusedAddress(text, `its port ${quoted(port)} is not a number from 1 to 65535`);
}

function parseContainer(kind: 'docker' | 'podman', parts: AddressParts): Address {
  const { address, authority } = parts;
  const container = decodedPart(address, authority);
  if (container === '')
    throw refusedAddress(address, `it has no container; use ${kind}://CONTAINER[/SOCKET]`);
  checkPart(address, 'container', container, wordPattern);
  return { kind, container, ...socketOf(parts) };
}

function parseKube(parts: AddressParts): Address {
  const { pod: written, ...place } = kubeParts(parts);
  const pod = decodedPart(parts.address, written);
  checkPart(parts.address, 'pod', pod, wordPattern);
  return { kind: 'kube', ...place, pod };
}

function parseExec(text: string): Address {
  const words = splitWords(text.slice('exec:'.length));
  if (typeof words === 'string') throw refusedAddress(text, words);
  const [program, ...args] = words;
  if (program === undefined || program === '') {
    throw refusedAddress(text, 'it has no command; an example is exec:ssh gpu1');
  }
  return { kind: 'exec', command: [program, ...args] };
}

const hostPattern = /^[\w.+-]+$/;
const v6Pattern = /^[\da-fA-F:.]*:[\da-fA-F:.]*(?:%[\w.-]+)?$/;
const userPattern = /^[\w.+@\\-]+$/;

/** What a shell would do with them is not done, so that they need quotes. */
const operators = '|&;<>()$`';

/**
 * Splits a line into words as a POSIX shell does (Shell Command Language, 2.2): at blanks, with quotes and
 * backslashes. Nothing is expanded.
 *
 * @returns the words, or why the line cannot be split
 */
export function splitWords(line: string): readonly string[] | string {
  const words: string[] = [];
  /** Null between words. */
  let word: string | null = null;
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    const isStart = word === null;
    word ??= '';
    if (char === "'") {
      const end = line.indexOf("'", at + 1);
      if (end === -1) return "a quote ' is not closed";
      word += line.slice(at + 1, end);
      at = end;
    } else if (char === '"') {
      for (at++; line.charAt(at) !== '"'; at++) {
        if (at >= line.length) return 'a quote " is not closed';
        if (line.charAt(at) === '\\' && '$`"\\'.includes(line.charAt(at + 1) || ' ')) at++;
        else if ('$`'.includes(line.charAt(at))) return notExpanded(line.charAt(at));
        word += line.charAt(at);
      }
    } else if (char === '\\') {
      at++;
      if (at === line.length) return 'it ends with a backslash';
      word += line.charAt(at);
    } else if (operators.includes(char) || (isStart && '~#'.includes(char))) {
      return notExpanded(char);
    } else word += char;
  }
  if (word !== null) words.push(word);
  return words;
}

const notExpanded = (char: string): string =>
  `no shell runs that would interpret ${char}; quote it with '', or use sh -c`;
