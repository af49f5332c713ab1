import { globPattern, isGlob } from '#base';
import {
  checkPart,
  decodedPart,
  encodedPart,
  kubeParts,
  partsOf,
  printKube,
  printSocket,
  refusedAddress,
  socketOf,
  visiblePattern,
} from './address-parts.ts';

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
export const isSelector = (given: string): boolean => selecting.test(given);

/**
 * Parses `docker://GLOB[/SOCKET]`, `docker://label=KEY[=VALUE][,label=…][/SOCKET]`, the same of `podman://`,
 * `kube://[CONTEXT@]NAMESPACE/GLOB[/CONTAINER]` or `kube://[CONTEXT@]NAMESPACE/LABELS[/CONTAINER]`. Parts may
 * be percent-encoded; a comma in a label of a container and a slash in any label must be.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function parseSelector(given: string): Selector {
  const parts = partsOf(given);
  if (parts.scheme === 'kube') {
    const { pod, ...place } = kubeParts(parts);
    const text = decodedName(given, pod);
    if (isGlob(text)) return { kind: 'kube', ...place, names: globOf(given, text), labels: '' };
    checkPart(given, 'label selector', text, visiblePattern);
    return { kind: 'kube', ...place, names: all, labels: text };
  }
  const kind = parts.scheme === 'podman' ? 'podman' : 'docker';
  const { authority } = parts;
  const isOfLabels = /[=,]|%(?:3D|2C)/i.test(authority);
  return {
    kind,
    names: isOfLabels ? all : globOf(given, decodedName(given, authority)),
    labels: isOfLabels ? authority.split(',').map((filter) => labelOf(given, filter)) : [],
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
const decodedName = (given: string, text: string): string =>
  decodedPart(given, text.replaceAll('?', '%3F'));

const encodedName = (text: string): string =>
  encodedPart(text).replace(/%(?:2C|3D|3F|5E)/g, decodeURIComponent);

const encodedLabel = (label: string): string => encodedPart(label).replaceAll('%3D', '=');

/** @throws VtrError INVALID_ARGUMENT */
function globOf(given: string, text: string): string {
  checkPart(given, 'glob', text, /^[\w.*?[\]!^-]+$/);
  if (globPattern(text) !== null) return text;
  throw refusedAddress(given, `its glob ${JSON.stringify(text)} is not valid`);
}

/** @throws VtrError INVALID_ARGUMENT */
function labelOf(given: string, filter: string): string {
  const text = decodedPart(given, filter);
  const [, label] = /^label=([^=].*)$/s.exec(text) ?? [];
  if (label !== undefined && visiblePattern.test(label)) return label;
  const quoted = JSON.stringify(text);
  throw refusedAddress(
    given,
    `its filter ${quoted} is not label=KEY or label=KEY=VALUE; write a comma in VALUE as %2C`,
  );
}
