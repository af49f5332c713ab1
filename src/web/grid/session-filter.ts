import { queryMatches } from '#base';
import { commandText, directoryOf, type SessionInfo, withBranch, withTilde } from '#model';
import { type App, addressOf, type Placed } from '../page/app.ts';

/** A filter of sessions, as a person writes it: `machine:gpu1 dir:~/api error`. */
export interface SessionFilter {
  /** The values of `machine:`: sessions on any of them are shown, or on all machines if there is none. */
  readonly machines: readonly string[];
  /** The values of `dir:`, as those of `machine:`. */
  readonly directories: readonly string[];
  /** The other words, which are also searched in output. */
  readonly text: string;
}

type Place = 'machine' | 'dir';

/** A word that names a place; its value is in quotes if it has spaces. */
const placeWord = /(?<=^|\s)(machine|dir):(?:"([^"]*)(?:"|$)|(\S*))(?:\s+|$)/g;

export function parseFilter(query: string): SessionFilter {
  const places: Record<Place, string[]> = { machine: [], dir: [] };
  const text = query.replace(placeWord, (_, kind: Place, quoted?: string, plain?: string) => {
    const value = quoted ?? plain ?? '';
    // Until the value is written, the word changes nothing.
    if (value !== '') places[kind].push(value);
    return '';
  });
  return { machines: places.machine, directories: places.dir, text: text.trim() };
}

/** Returns a word of a filter: `dir:"/a b"`. */
export const placeWordOf = (place: Place, value: string): string =>
  `${place}:${/\s/.test(value) ? `"${value}"` : value}`;

/** Returns a query with one machine in place of those that it has; with none for null. */
export function withMachine(query: string, machine: string | null): string {
  const rest = query
    .replace(placeWord, (word, kind: Place) => (kind === 'machine' ? '' : word))
    .trim();
  return [machine === null ? '' : placeWordOf('machine', machine), rest].filter(Boolean).join(' ');
}

/** Returns the name of the machine of a coordinator, for people: of another one, the name in the configuration. */
export const machineOf = ({ coordinator, me }: App): string =>
  coordinator || (me.machine ?? me.coordinator);

/** Returns the sessions at the places of a filter, whatever its text. @param apps all coordinators of the page */
export function sessionsAt(
  sessions: readonly Placed[],
  { machines, directories }: SessionFilter,
  apps: readonly App[],
): readonly Placed[] {
  const names = apps.map(machineOf);
  const isOnMachine = someOf(machines, (value) => {
    const name = value.toLowerCase();
    const isExact = names.some((each) => each.toLowerCase() === name);
    return ({ app }) => {
      const own = machineOf(app).toLowerCase();
      return isExact ? own === name : own.includes(name);
    };
  });
  const isInDirectory = someOf(directories, (value) => {
    const directory = value.replace(/(?<=.)\/+$/, '');
    const isBelow = (each: Placed) =>
      pathsOf(each).some((path) => path === directory || path.startsWith(`${directory}/`));
    if (sessions.some(isBelow)) return isBelow;
    // Part of a path, or one that is not written to its end.
    return (each) => pathsOf(each).some((path) => path.includes(directory));
  });
  return sessions.filter((each) => isOnMachine(each) && isInDirectory(each));
}

type Test = (each: Placed) => boolean;

function someOf(values: readonly string[], testOf: (value: string) => Test): Test {
  const tests = values.map(testOf);
  return (each) => tests.length === 0 || tests.some((test) => test(each));
}

/** A directory, as it is and as people see it. */
const pathsOf = ({ app, info }: Placed): string[] => {
  const directory = directoryOf(info);
  return [directory, tildePath(app, directory)];
};

/** Returns a directory for people. The home directory of another machine is not known. */
export const tildePath = ({ coordinator, me }: App, directory: string): string =>
  withTilde(directory, coordinator === '' ? me.home : undefined);

/** Returns where a session is, for people: `~/src/api (main)`. */
export const placeText = (app: App, info: SessionInfo): string =>
  withBranch(tildePath(app, directoryOf(info)), info);

/** Returns the sessions in which all words of a text occur: the best first, else in their order. */
export function sessionsWith(sessions: readonly Placed[], text: string): Placed[] {
  const matches = queryMatches(sessions, text, ({ app, info }) => {
    const labels = Object.entries(info.labels ?? {}).map(([key, value]) => `${key}=${value}`);
    const where = [withBranch(directoryOf(info), info), placeText(app, info)];
    return [addressOf(app, info.name), commandText(info), ...where, info.title, ...labels];
  });
  return matches.sort((a, b) => b.score - a.score).map(({ item }) => item);
}
