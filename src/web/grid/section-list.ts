import { directoryOf, type Need, needOf, type SessionInfo } from '#model';

/** A session and the coordinator that has it; its name is empty for the one that serves the page. */
export interface PlacedSession {
  readonly app: { readonly coordinator: string };
  readonly info: SessionInfo;
}

/** A part of the grid. */
export interface Section<Placed extends PlacedSession> {
  /** What this browser keeps about it, such as whether it is folded. */
  readonly key: string;
  readonly name: string;
  /** Whether its heading counts its sessions. */
  readonly isCounted: boolean;
  /** Whether its sessions are rows, whatever the person chose for others. */
  readonly isRows: boolean;
  readonly isFolded: boolean;
  readonly sessions: readonly Placed[];
}

export interface SectionOptions<Placed extends PlacedSession> {
  /** Whether what does not need anybody is in a section for each directory. */
  readonly byDirectory: boolean;
  /** Returns the directory of a session, for people. Default: its whole path. */
  readonly pathOf?: (each: Placed) => string;
  /** Whether a question of a session was answered a moment ago: it stays where it was. */
  readonly isAnswered: (info: SessionInfo) => boolean;
  /** The sections that the person has folded or opened: `-KEY`, `+KEY`. */
  readonly choices: ReadonlySet<string>;
}

/** With up to so many sessions, all have a picture, and those that are idle, too. */
const few = 6;
/** More idle sessions than this are folded, unless the person opens them. */
const manyIdle = 12;

type State = 'asks' | 'failed' | 'running' | 'idle';

const stateOfNeed: Readonly<Record<Need, State>> = {
  asks: 'asks',
  failed: 'failed',
  unknown: 'running',
  busy: 'running',
  done: 'idle',
  idle: 'idle',
  ended: 'idle',
};

const states: readonly (readonly [State, string])[] = [
  ['failed', 'Failed'],
  ['running', 'Running'],
  ['idle', 'Idle'],
];

/** Whether something was done that nobody has seen: it is shown in a folded section, too. */
export const isNew = (info: SessionInfo): boolean =>
  needOf(info) === 'done' && info.state !== 'exited';

/**
 * Returns the sections of the grid, without empty ones: what needs somebody, of all coordinators; then sessions by state,
 * or by directory; then those of other coordinators.
 *
 * @param sessions in the order in which they are shown
 */
export function sectionsOf<Placed extends PlacedSession>(
  sessions: readonly Placed[],
  {
    byDirectory,
    pathOf = ({ info }) => directoryOf(info),
    isAnswered,
    choices,
  }: SectionOptions<Placed>,
): Section<Placed>[] {
  const stateOf = ({ info }: Placed): State =>
    isAnswered(info) ? 'asks' : stateOfNeed[needOf(info)];
  const areFew = sessions.length <= few;
  const sections: Section<Placed>[] = [];
  const add = (
    key: string,
    name: string,
    all: readonly Placed[],
    how: { readonly isCounted: boolean; readonly isIdle?: boolean },
  ) => {
    const isIdle = how.isIdle === true;
    const folds = isIdle && all.length > manyIdle;
    const isFolded = choices.has(`-${key}`) || (folds && !choices.has(`+${key}`));
    const isRows = isIdle && !areFew;
    if (all.length > 0)
      sections.push({ key, name, isCounted: how.isCounted, isRows, isFolded, sessions: all });
  };
  add(
    'asks',
    'Needs you',
    sessions.filter((each) => stateOf(each) === 'asks'),
    {
      isCounted: true,
    },
  );
  const rest = sessions.filter((each) => stateOf(each) !== 'asks');
  const own = rest.filter(({ app }) => app.coordinator === '');
  if (byDirectory) {
    const groupName = (each: Placed) =>
      [each.app.coordinator, pathOf(each)].filter(Boolean).join(' · ');
    for (const [directory, all] of groups(rest, groupName))
      add(`dir ${directory}`, directory, all, { isCounted: false });
    return sections;
  }
  for (const [state, name] of states) {
    const all = own.filter((each) => stateOf(each) === state);
    // What is new comes first.
    if (state === 'idle') all.sort((a, b) => Number(isNew(b.info)) - Number(isNew(a.info)));
    add(state, name, all, { isCounted: true, isIdle: state === 'idle' });
  }
  const others = rest.filter(({ app }) => app.coordinator !== '');
  for (const [coordinator, all] of groups(others, ({ app }) => app.coordinator))
    add(`at ${coordinator}`, coordinator, all, { isCounted: false });
  return sections;
}

function groups<Placed>(
  sessions: readonly Placed[],
  nameOf: (each: Placed) => string,
): Map<string, Placed[]> {
  const all = new Map<string, Placed[]>();
  for (const each of sessions) {
    const name = nameOf(each);
    const group = all.get(name);
    if (group === undefined) all.set(name, [each]);
    else group.push(each);
  }
  return all;
}

/** Returns the choices after a person has folded or opened a section. */
export function withFolded(
  choices: ReadonlySet<string>,
  key: string,
  isFolded: boolean,
): ReadonlySet<string> {
  const others = [...choices].filter((each) => each.slice(1) !== key);
  return new Set([...others, `${isFolded ? '-' : '+'}${key}`]);
}

/** A place of a tile in the window. */
export interface Place {
  readonly left: number;
  readonly top: number;
}

/**
 * Returns the index of the tile that an arrow key goes to, from the one at `from`; -1 for none. Up and down go to the
 * nearest one in the row above or below.
 */
export function neighbour(places: readonly Place[], from: number, key: string): number {
  const at = places[from];
  if (at === undefined) return places.length > 0 ? 0 : -1;
  if (key === 'left') return from - 1;
  if (key === 'right') return from + 1 < places.length ? from + 1 : -1;
  const isBeyond = ({ top }: Place) => (key === 'down' ? top > at.top + 4 : top < at.top - 4);
  const beyond = places.filter(isBeyond).map(({ top }) => top);
  if (beyond.length === 0) return -1;
  const row = key === 'down' ? Math.min(...beyond) : Math.max(...beyond);
  const distance = ({ left, top }: Place) =>
    Math.abs(top - row) > 4 ? Number.POSITIVE_INFINITY : Math.abs(left - at.left);
  const nearest = Math.min(...places.map(distance));
  return places.findIndex((place) => distance(place) === nearest);
}
