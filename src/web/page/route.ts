import { computed, signal } from '@preact/signals';
import { defined } from '#base';

/** All sessions: those that a filter finds, perhaps by directory. */
export interface GridRoute {
  readonly view: 'grid';
  readonly query?: string;
  readonly byDirectory?: boolean;
}

/**
 * A view of the page: `#/`, `#/?q=FILTER&by=directory`, `#/s/NAME`, `#/s/NAME/replay?t=MOMENT`, `#/f`, `#/f/ID?t=MOMENT`.
 * Earlier versions wrote `#/r/NAME` for a replay.
 */
export type Route =
  | GridRoute
  | { readonly view: 'files' }
  | { readonly view: 'session'; readonly name: string }
  | ({ readonly view: 'replay'; readonly name: string } & At)
  | ({ readonly view: 'file'; readonly id: string } & At);

interface At {
  /** The time of a recording that is shown (`momentMs`). Default: its end. */
  readonly moment?: string;
}

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  // A link for a login was opened in this tab: the browser changes only the fragment.
  if (location.hash.startsWith('#t=')) location.reload();
  else hash.value = location.hash;
});

export const route = computed<Route>(() => parseRoute(hash.value));

/** The part after `#`, as `location.hash` has it. Anything else shows the grid. */
function parseRoute(text: string): Route {
  if (text.startsWith('#/?')) {
    const parameters = new URLSearchParams(text.slice(3));
    const query = parameters.get('q') || undefined;
    const byDirectory = parameters.get('by') === 'directory' || undefined;
    return { view: 'grid', ...defined({ query, byDirectory }) };
  }
  if (text === '#/f') return { view: 'files' };
  const [, kind, value, replay, query] =
    /^#\/([srf])\/([^?]+?)(\/replay)?(?:\?(.*))?$/.exec(text) ?? [];
  const name = decoded(value);
  if (name === null) return { view: 'grid' };
  const at = defined({ moment: new URLSearchParams(query).get('t') || undefined });
  if (kind === 'f') return { view: 'file', id: name, ...at };
  if (kind === 'r' || replay !== undefined) return { view: 'replay', name, ...at };
  return { view: 'session', name };
}

function decoded(text: string | undefined): string | null {
  try {
    return text === undefined ? null : decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The path of all sessions, with a filter and by directory. */
export function gridPath({ query = '', byDirectory = false }: Omit<GridRoute, 'view'>): string {
  const parameters = new URLSearchParams();
  if (query !== '') parameters.set('q', query);
  if (byDirectory) parameters.set('by', 'directory');
  const text = parameters.toString();
  return text === '' ? '#/' : `#/?${text}`;
}

/** All sessions as the person saw them last. */
export const lastGrid = signal('#/');

export const sessionPath = (address: string): string => `#/s/${encoded(address)}`;
export const replayPath = (address: string, moment?: string): string =>
  `${sessionPath(address)}/replay${momentQuery(moment)}`;
export const filePath = (id: string, moment?: string): string =>
  `#/f/${encodeURIComponent(id)}${momentQuery(moment)}`;

const momentQuery = (moment: string | undefined): string =>
  moment === undefined ? '' : `?t=${encoded(moment)}`;

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
