import { computed, effect, signal } from '@preact/signals';
import { defined } from '#base';

/** How output is searched. */
export interface SearchWays {
  /** Whether the query is a regular expression (RE2). Default: it is text. */
  readonly isPattern?: boolean;
  /** Whether capital letters count. Default: only if the query has some. */
  readonly isExact?: boolean;
}

/** All sessions: those that a query finds, with matches in the output, perhaps by directory. */
export interface GridRoute extends SearchWays {
  readonly view: 'grid';
  readonly query?: string;
  readonly byDirectory?: boolean;
}

/** A place in the lines of a session. */
export interface Spot {
  /** The number of a line, from the first line of the session on. */
  readonly line?: number;
  /** The number of a command of its shell. */
  readonly command?: number;
}

export interface SessionRoute extends Spot {
  readonly view: 'session';
  readonly name: string;
}

interface At {
  /** The time of a recording that is shown (`momentMs`). Default: its end. */
  readonly moment?: string;
}

/**
 * A view of the page: `#/`, `#/?q=FILTER&by=directory&re=1&case=1`, `#/s/NAME?line=N`, `#/s/NAME?command=N`,
 * `#/s/NAME/replay?t=MOMENT`, `#/split/NAME,NAME`, `#/f`, `#/f/ID?t=MOMENT`, `#/people`. Earlier versions wrote `#/r/NAME`
 * for a replay.
 */
export type Route =
  | GridRoute
  | SessionRoute
  | { readonly view: 'split'; readonly names: readonly string[] }
  | { readonly view: 'files' }
  | { readonly view: 'people' }
  | ({ readonly view: 'replay'; readonly name: string } & At)
  | ({ readonly view: 'file'; readonly id: string } & At);

/** The most sessions side by side. */
export const maxSplit = 6;

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  // A link for a login was opened in this tab: the browser changes only the fragment.
  if (location.hash.startsWith('#t=')) location.reload();
  else hash.value = location.hash;
});
// A place that replaced another one has no event of its own: Back may lead from it to one with the same fragment.
addEventListener('popstate', () => {
  if (!location.hash.startsWith('#t=')) hash.value = location.hash;
});

export const route = computed<Route>(() => parseRoute(hash.value));

/** The part after `#`, as `location.hash` has it. Anything else shows the grid. */
function parseRoute(text: string): Route {
  const [path = '', query = ''] = splitAt(text, text.indexOf('?'));
  const parameters = new URLSearchParams(query);
  const [, kind, rest = '', replay] = /^#\/(?:(s|r|f|split)\/(.+?)(\/replay)?)?$/.exec(path) ?? [];
  if (path === '#/f') return { view: 'files' };
  if (path === '#/people') return { view: 'people' };
  if (kind === 'split') return splitRoute(rest);
  const name = kind === undefined ? null : decoded(rest);
  if (name === null) return gridRoute(parameters);
  const at = defined({ moment: parameters.get('t') || undefined });
  if (kind === 'f') return { view: 'file', id: name, ...at };
  if (kind === 'r' || replay !== undefined) return { view: 'replay', name, ...at };
  const spot = { line: numberIn(parameters, 'line'), command: numberIn(parameters, 'command') };
  return { view: 'session', name, ...defined(spot) };
}

const splitAt = (text: string, at: number): [string, string] =>
  at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];

function gridRoute(parameters: URLSearchParams): GridRoute {
  const isSet = (name: string, value: string) => parameters.get(name) === value || undefined;
  const query = parameters.get('q') || undefined;
  const byDirectory = isSet('by', 'directory');
  const ways = { isPattern: isSet('re', '1'), isExact: isSet('case', '1') };
  return { view: 'grid', ...defined({ query, byDirectory, ...ways }) };
}

/** One session is shown with a choice of others. */
function splitRoute(rest: string): Route {
  const names = [...new Set(rest.split(',').map((each) => decoded(each) ?? ''))].filter(Boolean);
  if (names.length === 0) return { view: 'grid' };
  return { view: 'split', names: names.slice(0, maxSplit) };
}

function numberIn(parameters: URLSearchParams, name: string): number | undefined {
  const text = parameters.get(name) ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const withQuery = (
  path: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string => {
  const text = new URLSearchParams(defined(parameters) as Record<string, string>).toString();
  return text === '' ? path : `${path}?${text}`;
};

/** The path of all sessions, with a filter and by directory. */
export function gridPath(at: Omit<GridRoute, 'view'>): string {
  return withQuery('#/', {
    q: at.query || undefined,
    by: at.byDirectory ? 'directory' : undefined,
    re: at.isPattern ? '1' : undefined,
    case: at.isExact ? '1' : undefined,
  });
}

/** The line at the top of what is in view, if the person reads back in a session. */
export const lineInView: { read: () => number | null } = { read: () => null };

/** All sessions as the person saw them last. */
export const lastGrid = signal('#/');
effect(() => {
  if (route.value.view === 'grid') lastGrid.value = gridPath(route.value);
});

export const sessionPath = (address: string, { line, command }: Spot = {}): string =>
  withQuery(`#/s/${encoded(address)}`, { line: line?.toString(), command: command?.toString() });

export const replayPath = (address: string, moment?: string): string =>
  `${sessionPath(address)}/replay${momentQuery(moment)}`;
export const filePath = (id: string, moment?: string): string =>
  `#/f/${encodeURIComponent(id)}${momentQuery(moment)}`;

const momentQuery = (moment: string | undefined): string =>
  moment === undefined ? '' : `?t=${encoded(moment)}`;

export const splitPath = (addresses: readonly string[]): string =>
  addresses.length === 0 ? '#/' : `#/split/${addresses.map(encoded).join(',')}`;

/** Returns the address of the session to which a link of the page leads; null if it leads elsewhere. */
export function addressIn(link: string): string | null {
  const at = link.indexOf('#');
  if (at === -1 || !link.startsWith(location.origin)) return null;
  const to = parseRoute(link.slice(at).trim());
  return to.view === 'session' ? to.name : null;
}

/** A colon needs no escape in a fragment. */
const encoded = (address: string): string => encodeURIComponent(address).replaceAll('%3A', ':');

export function go(path: string): void {
  location.hash = path;
}

/** As {@link go}, but the place before is not kept in the history. */
export function goInPlace(path: string): void {
  history.replaceState(null, '', path);
  hash.value = path;
}
