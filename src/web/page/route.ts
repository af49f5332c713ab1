import { computed, signal } from '@preact/signals';

/** A view of the page: `#/`, `#/s/NAME`, `#/r/NAME`, `#/f`, `#/f/ID`. */
export type Route =
  | { readonly view: 'grid' }
  | { readonly view: 'files' }
  | { readonly view: 'session' | 'replay'; readonly name: string }
  | { readonly view: 'file'; readonly id: string };

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
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

export const sessionPath = (name: string): string => `#/s/${encodeURIComponent(name)}`;
export const replayPath = (name: string): string => `#/r/${encodeURIComponent(name)}`;

export function go(path: string): void {
  location.hash = path;
}
