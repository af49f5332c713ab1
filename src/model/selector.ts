import { defined, encodeUtf8, globPattern, isGlob, quoted, wordOrQuoted } from '#base';
import { VtrError } from './errors.ts';

/** Several containers or pods: those that run, of these names and with these labels. */
export type Selector =
  | {
      readonly kind: 'docker' | 'podman';
      readonly names: string;
      /** `KEY` or `KEY=VALUE`, as in `docker ps --filter label=…`. */
      readonly labels: readonly string[];
      readonly socket?: string;
    }
  | {
      readonly kind: 'kube';
      /** A context of kubectl's configuration. Default: the current one */
      readonly context?: string;
      readonly namespace: string;
      readonly names: string;
      /** As in `kubectl get pods --selector=…`; empty: any */
      readonly labels: string;
      /** Default: the pod's own default */
      readonly container?: string;
    };

const all = '*';

/** The place of a name has what no name contains: a glob, or `=`, `!`, `,` or `(` of labels. */
const selecting =
  /^(?:(?:docker|podman):\/\/|kube:\/\/[^/]*\/)[^/]*?(?:[*?[=!,(]|%(?:2[ACac18]|3[DFdf]|5[Bb]))/;

/** Returns whether a text is an address of several containers or pods, rather than of one coordinator. */
export const isSelector = (text: string): boolean => selecting.test(text);

/**
 * Parses `docker://GLOB[/SOCKET]`, `docker://label=KEY[=VALUE][,label=…][/SOCKET]`, the same of `podman://`,
 * `kube://[CONTEXT@]NAMESPACE/GLOB[/CONTAINER]` or `kube://[CONTEXT@]NAMESPACE/LABELS[/CONTAINER]`. Parts may
 * be percent-encoded; a comma in a label of a container and a slash in any label must be.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function parseSelector(address: string): Selector {
  const parts = partsOf(address);
  if (parts.scheme === 'kube') {
    const { pod, ...place } = kubeParts(parts);
    const text = decodedName(address, pod);
    if (isGlob(text)) return { kind: 'kube', ...place, names: globOf(address, text), labels: '' };
    checkPart(address, 'label selector', text, visiblePattern);
    return { kind: 'kube', ...place, names: all, labels: text };
  }
  const kind = parts.scheme === 'podman' ? 'podman' : 'docker';
  const { authority } = parts;
  const isOfLabels = /[=,]|%(?:3D|2C)/i.test(authority);
  return {
    kind,
    names: isOfLabels ? all : globOf(address, decodedName(address, authority)),
    labels: isOfLabels ? authority.split(',').map((filter) => labelOf(address, filter)) : [],
    ...socketOf(parts),
  };
}

/** Returns the one text of a selector, which {@link parseSelector} parses to an equal one. */
export function printSelector(selector: Selector): string {
  const { kind, names, labels } = selector;
  const glob = encodedName(names);
  if (kind === 'kube') {
    return printKube({ ...selector, pod: labels === '' ? glob : encodedName(labels) });
  }
  const filters = labels.map((label) => `label=${encodedLabel(label)}`).join();
  return `${kind}://${filters || glob}${printSocket(selector.socket)}`;
}

/** In a name, `?` is a part of a glob, as in a shell. @throws VtrError INVALID_ARGUMENT */
const decodedName = (address: string, text: string): string =>
  decodedPart(address, text.replaceAll('?', '%3F'));

const encodedName = (text: string): string =>
  encodedPart(text).replace(/%(?:2C|3D|3F|5E)/g, decodeURIComponent);

const encodedLabel = (label: string): string => encodedPart(label).replaceAll('%3D', '=');

/** @throws VtrError INVALID_ARGUMENT */
function globOf(address: string, text: string): string {
  checkPart(address, 'glob', text, /^[\w.*?[\]!^-]+$/);
  if (globPattern(text) !== null) return text;
  throw refusedAddress(address, `its glob ${quoted(text)} is not valid`);
}

/** @throws VtrError INVALID_ARGUMENT */
function labelOf(address: string, filter: string): string {
  const text = decodedPart(address, filter);
  const [, label] = /^label=([^=].*)$/s.exec(text) ?? [];
  if (label !== undefined && visiblePattern.test(label)) return label;
  throw refusedAddress(
    address,
    `its filter ${quoted(text)} is not label=KEY or label=KEY=VALUE; write a comma in VALUE as %2C`,
  );
}

/** `SCHEME://AUTHORITY/PATH`, not decoded. */
export interface AddressParts {
  /** The whole address, for messages. */
  readonly address: string;
  readonly scheme: string;
  readonly authority: string;
  /** Empty, or begins with `/`. */
  readonly path: string;
}

export function partsOf(text: string): AddressParts {
  const [, scheme = '', authority = '', path = ''] =
    /^([^:/]*):\/\/([^/]*)(\/.*)?$/s.exec(text) ?? [];
  return { address: text, scheme, authority, path };
}

/** Programs get these as arguments and may pass them to a shell, so neither may find anything to interpret. */
export const wordPattern = /^[\w.-]+$/;
/** A text that is one argument, and that is never passed to a shell without quotes. */
const visiblePattern = /^[^\0-\x1f\x7f]+$/;

/**
 * Checks a part. One that begins with `-` would be an option of the program that gets it.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkPart(text: string, part: string, value: string, allowed: RegExp): void {
  const shown = quoted(value);
  if (value.startsWith('-')) throw refusedAddress(text, `its ${part} ${shown} begins with -`);
  if (!allowed.test(value)) {
    throw refusedAddress(
      text,
      `its ${part} ${shown} is empty or has characters that are not allowed`,
    );
  }
}

const maxSocketBytes = 103;

/** @throws VtrError INVALID_ARGUMENT */
export function socketOf({ address, path }: AddressParts): { readonly socket?: string } {
  if (path === '' || path === '/') return {};
  const socket = path
    .split('/')
    .map((part) => decodedPart(address, part))
    .join('/');
  if (!visiblePattern.test(socket)) {
    throw refusedAddress(address, 'its socket has control characters');
  }
  if (encodeUtf8(socket).length > maxSocketBytes) {
    throw refusedAddress(address, `its socket has more than ${maxSocketBytes} bytes`);
  }
  return { socket };
}

/** Returns the path of a printed address. */
export const printSocket = (socket = ''): string => socket.split('/').map(encodedPart).join('/');

/** The parts of an address of kubectl, of which `pod` is not decoded. */
interface KubeParts {
  readonly context?: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string;
}

/** @throws VtrError INVALID_ARGUMENT */
export function kubeParts({ address, authority, path }: AddressParts): KubeParts {
  const at = authority.lastIndexOf('@');
  const context = at === -1 ? undefined : decodedPart(address, authority.slice(0, at));
  const [pod = '', container, ...more] = path.slice(1).split('/');
  const isIncomplete = at + 1 === authority.length || pod === '' || container === '';
  if (isIncomplete || more.length > 0 || path.includes('@')) {
    const form = 'use kube://[CONTEXT@]NAMESPACE/POD[/CONTAINER]';
    throw refusedAddress(
      address,
      `it is incomplete or has too many parts; ${form}, with / in CONTEXT as %2F`,
    );
  }
  if (context !== undefined) checkPart(address, 'context', context, visiblePattern);
  const namespace = decodedPart(address, authority.slice(at + 1));
  checkPart(address, 'namespace', namespace, wordPattern);
  const box = container === undefined ? undefined : decodedPart(address, container);
  if (box?.includes('=')) throw refusedAddress(address, 'write / in a label as %2F');
  if (box !== undefined) checkPart(address, 'container', box, wordPattern);
  return {
    ...defined({ context }),
    namespace,
    pod,
    ...defined({ container: box }),
  };
}

/** @param pod in the form in which it is printed */
export function printKube({ context, namespace, pod, container }: KubeParts): string {
  const before = context === undefined ? '' : `${encodedPart(context)}@`;
  const after = container === undefined ? '' : `/${encodedPart(container)}`;
  return `kube://${before}${encodedPart(namespace)}/${pod}${after}`;
}

/** Decodes percent-encoding (RFC 3986, 2.1). @throws VtrError INVALID_ARGUMENT */
export function decodedPart(address: string, text: string): string {
  if (/[?#\s]/.test(text)) {
    throw refusedAddress(address, 'it contains ?, # or a space; write them as %3F, %23 and %20');
  }
  try {
    return decodeURIComponent(text);
  } catch {
    throw refusedAddress(address, `${quoted(text)} is not valid percent-encoding; write % as %25`);
  }
}

export const encodedPart = (text: string): string =>
  encodeURIComponent(text).replace(/%(?:2B|5B|5D)/g, decodeURIComponent);

export const refusedAddress = (text: string, why: string): VtrError =>
  new VtrError('INVALID_ARGUMENT', `the address ${wordOrQuoted(text)} cannot be used: ${why}`);
