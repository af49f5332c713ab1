import { durationText, quoted } from '#base';
import {
  checkSize,
  type Size,
  type SizedBy,
  sizings,
  takesOver,
  type Viewer,
  type ViewerKind,
  type ViewRequest,
  VtrError,
} from '#model';
import type { Session } from '#session';
import type { LocalViewing } from './local-viewing.ts';

type Viewings = ReadonlyMap<string, LocalViewing>;

/** A session gets no smaller than this by the window of a viewer. */
const leastSize: Size = { cols: 20, rows: 5 };

/** The size that a session gets by the window of a viewer. */
const windowSize = ({ viewer: { size } }: LocalViewing): Size => ({
  cols: Math.max(size.cols, leastSize.cols),
  rows: Math.max(size.rows, leastSize.rows),
});

/**
 * Returns the size that fits into all windows of some viewings, and whose window is the narrowest; null if none of them is
 * there.
 */
export function sizeOfWindows(viewings: Viewings, ids: readonly string[]): SizedBy | null {
  const windows = ids.flatMap((id) => {
    const viewing = viewings.get(id);
    return viewing === undefined ? [] : [{ name: viewing.viewer.name, ...windowSize(viewing) }];
  });
  const [narrowest] = windows.toSorted((a, b) => a.cols - b.cols || a.rows - b.rows);
  if (narrowest === undefined) return null;
  return { ...narrowest, rows: Math.min(...windows.map(({ rows }) => rows)) };
}

/** Returns the size of the window. @throws VtrError INVALID_ARGUMENT, INVALID_SIZE */
export function checkView({ kind, as = 'auto', sizing = 'latest', size }: ViewRequest): Size {
  checkWord('kind', kind, ['attach', 'web', 'ui']);
  checkWord('as', as, ['auto', 'take', 'force', 'watch']);
  checkWord('sizing', sizing, sizings);
  return checkSize(size);
}

/** @throws VtrError INVALID_ARGUMENT */
function checkWord(field: string, word: string, words: readonly string[]): void {
  if (words.includes(word)) return;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${field} ${quoted(word)} is not one of ${words.join(', ')}`,
  );
}

export function isDrivable(session: Session): boolean {
  try {
    checkDrivable(session);
    return true;
  } catch {
    return false;
  }
}

/** @throws VtrError SESSION_READ_ONLY, SESSION_NOT_RUNNING */
export function checkDrivable(session: Session): void {
  session.checkTakesInput();
  if (session.exitStatus === null) return;
  const message = 'the program has ended; revive the session, or spawn another session';
  throw new VtrError('SESSION_NOT_RUNNING', message);
}

/** @throws VtrError NOT_DRIVER */
export function checkMayTake({ viewer }: LocalViewing, name: string): void {
  if (!viewer.readOnly) return;
  throw new VtrError('NOT_DRIVER', 'this viewer can only watch', { details: { name } });
}

/** Several viewers of one name, such as an account's, are numbered: `ann`, `ann (2)`. */
export function freeName(viewings: Viewings, name: string, id: string): string {
  const others = [...viewings.values()].filter((viewing) => viewing.id !== id);
  const used = new Set(others.map(({ viewer }) => viewer.name));
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name} (${number})`;
    if (!used.has(free)) return free;
  }
}

/** Returns a name without the number of {@link freeName}: viewers with the same one count as one person. */
export const unnumbered = (name: string): string => name.replace(/ \(\d+\)$/, '');

const isSameText = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase();

/** A person hands a session to another one. */
export interface HandOver {
  /** The name of the other one, as the person gave it. */
  readonly to: string;
  /** The name of who hands it over. */
  readonly by: string;
  /** The id of the viewing in which that one does it; null for none. */
  readonly from: string | null;
  readonly note: string | null;
}

/**
 * Returns the viewer to whom a session is handed: the one with this name, else the only one who has it with a number or
 * after `visitor`, in capital or small letters.
 *
 * @throws VtrError INVALID_ARGUMENT, with those who are there
 */
export function receiverOf(
  viewings: Viewings,
  { to: name, from }: HandOver,
  wallMs: number,
): LocalViewing {
  const others = [...viewings.values()].filter(({ id }) => id !== from);
  const possible = others.filter(({ viewer }) => takesOver(viewer));
  const exact = possible.find(({ viewer }) => viewer.name === name);
  if (exact !== undefined) return exact;
  const near = possible.filter(({ viewer }) => {
    const plain = unnumbered(viewer.name);
    return [viewer.name, plain, plain.replace(/^visitor /, '')].some((each) =>
      isSameText(each, name.trim()),
    );
  });
  const [only, ...more] = near;
  if (only !== undefined && more.length === 0) return only;
  const shown = (some: readonly LocalViewing[]): string =>
    some.map(({ viewer }) => viewerText(viewer, wallMs)).join(', ');
  const whom = quoted(name);
  const watcher = others.find(({ viewer }) => isSameText(viewer.name, name.trim()));
  const why =
    only !== undefined
      ? `several viewers can be meant by ${whom}: ${shown(near)}; give one of these names`
      : `${
          watcher === undefined
            ? `nobody who views it is called ${whom}`
            : `${watcher.viewer.name} can only watch`
        }; ${others.length === 0 ? 'nobody else is here' : `here are: ${shown(others)}`}`;
  throw new VtrError('INVALID_ARGUMENT', why, {
    details: { to: name, viewers: others.map(({ viewer }) => viewer.name) },
  });
}

const places: Readonly<Record<ViewerKind, string>> = {
  attach: 'in a terminal',
  web: 'on the page',
  ui: 'in the overview',
};

function viewerText({ name, kind, sinceMs, readOnly = false }: Viewer, wallMs: number): string {
  const since = durationText(Math.max(0, wallMs - sinceMs));
  return `${name} (${places[kind]} for ${since}${readOnly ? ', can only watch' : ''})`;
}
