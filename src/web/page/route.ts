import { computed, signal } from '@preact/signals';

/** A view of the page: `#/`, `#/s/NAME`, `#/r/NAME`, `#/f`, `#/f/ID`. */
export type Route =
  | { readonly view: 'grid' }
  | { readonly view: 'files' }
  | { readonly view: 'session' | 'replay'; readonly name: string }
  | { readonly view: 'file'; readonly id: string };

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  // A link for a login was opened in this tab: the browser changes only the fragment.
  if (location.hash.startsWith('#t=')) location.reload();
  else hash.value = location.hash;
});

export const route = computed<Route>(() => parseRoute(hash.value));

/** The part after `#`, as `location.hash` has it. Anything else shows the grid. */
function parseRoute(text: string): Route {
  if (text === '#/f') return { view: 'files' };
  const [, kind, value] = /^#\/([srf])\/(.+)$/.exec(text) ?? [];
  const name = decoded(value);
  if (name === null) return { view: 'grid' };
  if (kind === 'f') return { view: 'file', id: name };
  return { view: kind === 's' ? 'session' : 'replay', name };
}

function decoded(text: string | undefined): string | null {
  try {
    return text === undefined ? null : decodeURIComponent(text);
  } catch {
    return null;
  }
}

export const sessionPath = (address: string): string => `#/s/${encoded(address)}`;
export const replayPath = (address: string): string => `#/r/${encoded(address)}`;

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
