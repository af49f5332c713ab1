import { parseLayout } from '#layout';
import { type SessionInfo, type SessionLabels, type TmuxPlace, tmuxPlaceOf } from '#model';
import { Options } from './options.ts';
import type { TmuxServer } from './tmux-server.ts';
import { TmuxSession } from './tmux-session.ts';
import { TmuxPane, TmuxWindow } from './tmux-window.ts';

const serverLabel = 'tmux/server';
const maxLength = 256;

/**
 * Returns the labels of a pane's session, from which a later server finds its place: the socket path,
 * the ids and names of session, window and pane, the next free ids, and the layout.
 */
export function savedLabels(server: TmuxServer, pane: TmuxPane): Record<string, string | null> {
  const { window } = pane;
  const session = server.sessionOf(window);
  const index = session?.linkOf(window)?.index ?? 0;
  const isCurrent = session?.current.window === window;
  return {
    [serverLabel]: valid(server.socketPath),
    'tmux/session': valid(session?.name ?? ''),
    'tmux/window': valid(window.isNamedByProgram ? '' : (window.name ?? '')),
    'tmux/place': [
      ...[`$${session?.id}`, `@${window.id}`, `%${pane.id}`, index, window.panes.indexOf(pane)],
      `${pane.isActive ? 'active' : ''}${isCurrent ? '+current' : ''}-`,
    ].join(' '),
    'tmux/next': nextText(server),
    'tmux/layout': valid(window.layoutText),
  };
}

/** The labels with which a pane's session begins, so that a daemon that ends now leaves it its place. */
export function firstLabels(
  server: TmuxServer,
  session: TmuxSession,
  window: TmuxWindow,
  pane: number,
): Record<string, string> {
  const index = session.linkOf(window)?.index ?? session.freeIndex();
  return {
    ...ownLabels(server, session),
    'tmux/place': `$${session.id} @${window.id} %${pane} ${index} ${window.panes.length} -`,
    'tmux/next': nextText(server),
  };
}

/** The labels of a popup's session, by which it is found below that of tmux. */
export const popupLabels = (server: TmuxServer, session: TmuxSession): Record<string, string> => ({
  ...ownLabels(server, session),
  'tmux/popup': `$${session.id}`,
});

function ownLabels(server: TmuxServer, session: TmuxSession): Record<string, string> {
  const labels = {
    [serverLabel]: valid(server.socketPath),
    'tmux/session': valid(session.name),
  };
  return Object.fromEntries(
    Object.entries(labels).filter((each): each is [string, string] => each[1] !== null),
  );
}

const nextText = ({ nextIds: { session, window, pane } }: TmuxServer): string =>
  `$${session} @${window} %${pane}`;

const valid = (text: string): string | null =>
  text === '' || text.length > maxLength || /\p{Cc}/u.test(text) ? null : text;

/** The socket paths of servers that sessions were left by. */
export const savedServers = (sessions: readonly SessionInfo[]): Set<string> =>
  new Set(sessions.flatMap(({ labels }) => labels?.[serverLabel] ?? []));

interface Place extends TmuxPlace {
  readonly info: SessionInfo;
  readonly labels: SessionLabels;
}

/** Makes the sessions, windows and panes again that an earlier server had. */
export function restore(server: TmuxServer, sessions: readonly SessionInfo[]): void {
  const places = sessions
    .filter(
      ({ labels, state }) => labels?.[serverLabel] === server.socketPath && state === 'running',
    )
    .flatMap(placeOf)
    .sort((one, two) => one.index - two.index || one.at - two.at);
  for (const place of places) addPane(server, place);
  for (const window of server.windows) {
    const first = places.find((each) => each.window === window.id);
    const text = first?.labels['tmux/layout'];
    if (text === undefined || parseLayout(window.layout, window.panes, text) !== null) continue;
    window.cols = window.layout.root.cols;
    window.rows = window.layout.root.rows;
  }
  for (const session of server.sorted) {
    const { cols, rows } = session.current.window;
    session.terminalSize = { cols, rows };
  }
}

function placeOf(info: SessionInfo): Place[] {
  const place = tmuxPlaceOf(info);
  return place === null ? [] : [{ ...place, info, labels: info.labels ?? {} }];
}

function addPane(server: TmuxServer, place: Place): void {
  const { info, labels } = place;
  const { nextIds } = server;
  const [session = 0, window = 0, pane = 0] = (labels['tmux/next'] ?? '')
    .split(' ')
    .map((each) => Number(each.slice(1)) || 0);
  nextIds.session = Math.max(nextIds.session, session, place.session + 1);
  nextIds.window = Math.max(nextIds.window, window, place.window + 1);
  nextIds.pane = Math.max(nextIds.pane, pane, place.pane + 1);
  const owner = server.sessions.get(place.session) ?? restoredSession(server, place);
  let link = owner.links.find((each) => each.window.id === place.window);
  const isFirst = link === undefined;
  link ??= server.link(owner, restoredWindow(server, place), place.index);
  const program = { words: [info.program, ...info.args], cwd: info.cwd, env: {} };
  const options = new Options(link.window.options);
  const added = new TmuxPane(place.pane, link.window, program, options, info);
  Object.assign(added, info.size);
  if (isFirst) link.window.begin(added);
  else {
    const { active } = link.window;
    // Its place follows from the saved layout, when all panes are there.
    if (!link.window.layout.split(active, added, { direction: 'column' })) {
      link.window.layout.split(active, added, { direction: 'row' });
    }
    link.window.panes.push(added);
  }
  if (place.isActive) link.window.select(added);
  if (place.isCurrent) owner.select(link);
  server.programs.adopt(server, added);
}

function restoredSession(server: TmuxServer, place: Place): TmuxSession {
  const { session, sessionName: name, info } = place;
  const options = new Options(server.sessionOptions);
  const owner = new TmuxSession(session, name, info.cwd, options, info.createdAtMs);
  server.sessions.set(session, owner);
  server.use(owner);
  return owner;
}

function restoredWindow(server: TmuxServer, { window, windowName, info }: Place): TmuxWindow {
  const options = new Options(server.windowOptions);
  const restored = new TmuxWindow(window, options, info.size, info.createdAtMs);
  restored.name = windowName;
  // Options do not outlive the daemon, but the name does.
  if (restored.name !== null) restored.options.set('automatic-rename', 'off');
  return restored;
}
