import { hostname, userInfo } from 'node:os';
import { presetNames } from '#layout';
import type { ViewModes } from '#model';
import { thisUser } from '#trust';
import { type CopyMode, wordAtCursor } from '../modes/copy-mode.ts';
import { alertText } from '../state/alerts.ts';
import type { AttachedClient } from '../state/attached-client.ts';
import type { MousePlace } from '../state/client-terminal.ts';
import { optionTable } from '../state/option-table.ts';
import { textOf } from '../state/options.ts';
import type { TmuxSession, WindowLink } from '../state/tmux-session.ts';
import type { TmuxPane } from '../state/tmux-window.ts';
import type { FormatContext } from './context.ts';
import { signalNumber, terminalOf, windowName } from './foreground.ts';

type Value = string | number | boolean | null | undefined;

/** The version of tmux whose behaviour is implemented. */
const tmuxVersion = '3.3a';

const seconds = (ms: number | null): number | null => (ms === null ? null : Math.floor(ms / 1000));

/** The flags of a window after its name. */
export function windowFlags(link: WindowLink, marked: TmuxPane | null): string {
  const { session, window } = link;
  return [
    alertText(link),
    session.current.window === window ? '*' : session.last?.window === window ? '-' : '',
    marked !== null && window.panes.includes(marked) ? 'M' : '',
    window.isZoomed ? 'Z' : '',
  ].join('');
}

/** The clients of the sessions in a group. */
const attachedTo = (session: TmuxSession, { server }: FormatContext): readonly AttachedClient[] =>
  [...server.clients].filter((client) => server.groupOf(session)?.has(client.session) === true);

/** The clients that see a window. */
const clientsAt = ({ window }: WindowLink, { server }: FormatContext): readonly AttachedClient[] =>
  [...server.clients].filter(({ session }) => session.current.window === window);

/** The sessions whose current window it is. */
const sessionsAt = ({ window }: WindowLink, { server }: FormatContext): readonly TmuxSession[] =>
  server.sorted.filter(({ current }) => current.window === window);

const namesOf = (all: readonly { readonly name: string }[]): string =>
  all.map(({ name }) => name).join(',');

/** Empty for a user whom the database of the system does not have, as tmux says it. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}

/** Variables without a subject. */
const ofServer: Readonly<Record<string, (about: FormatContext) => Value>> = {
  host: () => hostname(),
  host_short: () => hostname().split('.')[0],
  pid: ({ server }) => server.programs.pid,
  socket_path: ({ server }) => server.socketPath,
  start_time: ({ server }) => seconds(server.startedAtMs),
  version: () => tmuxVersion,
  user: () => userName(),
  uid: () => thisUser().uid,
  config_files: () => '',
  current_file: () => '',
  server_sessions: ({ server }) => server.sessions.size,
  next_session_id: ({ server }) => `$${server.nextIds.session}`,
};

const ofSession: Readonly<
  Record<string, (session: NonNullable<FormatContext['session']>, about: FormatContext) => Value>
> = {
  session_name: ({ name }) => name,
  session_id: ({ id }) => `$${id}`,
  session_windows: ({ links }) => links.length,
  session_created: ({ createdAtMs }) => seconds(createdAtMs),
  session_activity: ({ activityAtMs }) => seconds(activityAtMs),
  session_last_attached: ({ lastAttachedAtMs }) => seconds(lastAttachedAtMs),
  session_path: ({ cwd }) => cwd,
  session_attached: (session, { server }) =>
    [...server.clients].filter((each) => each.session === session).length,
  session_attached_list: (session, { server }) =>
    [...server.clients].flatMap((each) => (each.session === session ? [each.name] : [])).join(','),
  session_many_attached: (session, { server }) =>
    [...server.clients].filter((each) => each.session === session).length > 1,
  session_alerts: ({ links }) =>
    links
      .filter(({ alerts }) => alerts.size > 0)
      .map((link) => `${link.index}${alertText(link)}`)
      .join(','),
  session_format: (_session, { window, pane }) => window === null && pane === null,
  session_group: (session, { server }) => server.groupOf(session)?.name,
  session_grouped: (session, { server }) => server.groupOf(session) !== null,
  session_group_list: (session, { server }) =>
    server
      .groupOf(session)
      ?.members.map(({ name }) => name)
      .join(','),
  session_group_size: (session, { server }) => server.groupOf(session)?.members.length,
  session_group_attached: (session, about) =>
    about.server.groupOf(session) === null ? null : attachedTo(session, about).length,
  session_group_many_attached: (session, about) =>
    about.server.groupOf(session) === null ? null : attachedTo(session, about).length > 1,
  session_group_attached_list: (session, about) =>
    about.server.groupOf(session) === null
      ? null
      : attachedTo(session, about)
          .map(({ name }) => name)
          .join(','),
  session_marked: ({ links }, { server }) =>
    server.marked !== null && links.some(({ window }) => window === server.marked?.window),
  session_stack: ({ current, links }) =>
    [current, ...links.filter((each) => each !== current)].map(({ index }) => index).join(','),
};

const ofLink: Readonly<Record<string, (link: WindowLink, about: FormatContext) => Value>> = {
  window_index: ({ index }) => index,
  window_active: ({ session, window }) => session.current.window === window,
  window_last_flag: ({ session, window }) => session.last?.window === window,
  window_start_flag: (link) => link.session.links[0] === link,
  window_end_flag: (link) => link.session.links.at(-1) === link,
  // In a status line, `#` begins a style.
  window_flags: (link, { server }) => windowFlags(link, server.marked).replace('#', '##'),
  window_raw_flags: (link, { server }) => windowFlags(link, server.marked),
  window_marked_flag: ({ window }, { server }) => server.marked?.window === window,
  window_stack_index: ({ session, window }) => (session.current.window === window ? 0 : 1),
  window_active_clients: (link, about) => clientsAt(link, about).length,
  window_active_clients_list: (link, about) => namesOf(clientsAt(link, about)),
  window_active_sessions: (link, about) => sessionsAt(link, about).length,
  window_active_sessions_list: (link, about) => namesOf(sessionsAt(link, about)),
  window_bell_flag: ({ alerts }) => alerts.has('bell'),
  window_activity_flag: ({ alerts }) => alerts.has('activity'),
  window_silence_flag: ({ alerts }) => alerts.has('silence'),
  window_bigger: () => false,
  active_window_index: ({ session }) => session.current.index,
  last_window_index: ({ session }) => session.links.at(-1)?.index,
};

const ofWindow: Readonly<
  Record<string, (window: NonNullable<FormatContext['window']>, about: FormatContext) => Value>
> = {
  window_id: ({ id }) => `@${id}`,
  // In a status line, which is looked at later, it is that of the mode.
  window_name: (window, { commands }) =>
    commands !== null && window.isNamedByProgram && window.active.modes.current !== null
      ? '[tmux]'
      : windowName(window),
  window_width: ({ cols }) => cols,
  window_height: ({ rows }) => rows,
  window_panes: ({ panes }) => panes.length,
  window_layout: ({ layoutText }) => layoutText,
  window_visible_layout: ({ shownLayoutText }) => shownLayoutText,
  window_zoomed_flag: ({ isZoomed }) => isZoomed,
  window_activity: ({ activityAtMs }) => seconds(activityAtMs),
  window_cell_width: () => 16,
  window_cell_height: () => 32,
  window_format: (_window, { pane }) => pane === null,
  // Sessions of a group have the same windows, which are not linked for that.
  window_linked: (window, { server, session }) => {
    const group = session === null ? null : server.groupOf(session);
    return server.linksOf(window).length > (group?.members.length ?? 1);
  },
  window_linked_sessions: (window, { server }) => server.linksOf(window).length,
  window_linked_sessions_list: (window, { server }) =>
    server
      .linksOf(window)
      .map(({ session }) => session.name)
      .join(','),
  last_layout: ({ lastPreset }) => presetNames[lastPreset] ?? '',
};

/** A mode that the program in a pane has set. */
const mode =
  (isSet: (modes: ViewModes) => boolean) => async (pane: TmuxPane, about: FormatContext) => {
    const modes = await about.factsOf(pane).modes();
    return modes === null ? null : isSet(modes);
  };

const ofPane: Readonly<
  Record<string, (pane: TmuxPane, about: FormatContext) => Value | Promise<Value>>
> = {
  pane_id: ({ id }) => `%${id}`,
  pane_index: ({ index }) => index,
  pane_active: ({ isActive }) => isActive,
  pane_last: (pane) => pane.window.last === pane,
  pane_pid: ({ pid }) => pid,
  pane_width: ({ cols }) => cols,
  pane_height: ({ rows }) => rows,
  pane_left: (pane) => placeOf(pane)?.x,
  pane_top: (pane) => placeOf(pane)?.y,
  pane_right: (pane) => sum(placeOf(pane)?.x, pane.cols - 1),
  pane_bottom: (pane) => sum(placeOf(pane)?.y, pane.rows - 1),
  pane_at_left: (pane) => placeOf(pane)?.x === 0,
  pane_at_top: (pane) => cellOf(pane)?.isAtEdge('top'),
  pane_at_right: (pane) => sum(placeOf(pane)?.x, pane.cols) === pane.window.cols,
  pane_at_bottom: (pane) => cellOf(pane)?.isAtEdge('bottom'),
  pane_dead: ({ dead }) => dead !== null,
  pane_dead_status: ({ dead }) => dead?.status,
  pane_dead_signal: ({ dead }) => (dead?.signal ? signalNumber(dead.signal) : null),
  pane_dead_time: ({ dead }) => seconds(dead?.atMs ?? null),
  pane_in_mode: ({ modes }) => modes.count,
  pane_mode: ({ modes }) => modes.current?.name,
  pane_input_off: ({ inputOff }) => inputOff,
  pane_marked: (pane, { server }) => server.marked === pane,
  pane_marked_set: (_pane, { server }) => server.marked !== null,
  pane_format: () => true,
  pane_pipe: ({ pipe }) => pipe !== null,
  pane_synchronized: ({ options }) => options.isOn('synchronize-panes'),
  pane_start_command: ({ program }) => startCommand(program.words),
  pane_start_path: ({ program }) => program.cwd,
  pane_current_command: (pane, about) => about.factsOf(pane).command(),
  pane_current_path: (pane, about) => about.factsOf(pane).directory(),
  pane_path: () => '',
  pane_tabs: ({ cols }) =>
    Array.from({ length: Math.ceil(cols / 8) - 1 }, (_none, at) => (at + 1) * 8).join(','),
  pane_title: (pane, about) => about.factsOf(pane).title(),
  pane_unseen_changes: () => false,
  pane_tty: (pane) => terminalOf(pane),
  pane_fg: () => 'default',
  pane_bg: () => 'default',
  pane_search_string: ({ modes }) => modes.lastSearch?.pattern,
  cursor_x: async (pane, about) => (await about.factsOf(pane).screen())?.cursor.col,
  cursor_y: async (pane, about) => (await about.factsOf(pane).screen())?.cursor.row,
  cursor_character: (pane, about) => about.factsOf(pane).characterAtCursor(),
  cursor_flag: async (pane, about) => (await about.factsOf(pane).screen())?.cursor.visible,
  alternate_on: async (pane, about) => (await about.factsOf(pane).screen())?.alternate,
  alternate_saved_x: () => 4_294_967_295,
  alternate_saved_y: () => 4_294_967_295,
  mouse_any_flag: mode(({ mouseTracking }) => mouseTracking !== 'none'),
  mouse_standard_flag: mode(({ mouseTracking }) => mouseTracking === 'normal'),
  mouse_button_flag: mode(({ mouseTracking }) => mouseTracking === 'button'),
  mouse_all_flag: mode(({ mouseTracking }) => mouseTracking === 'any'),
  mouse_sgr_flag: mode(({ mouseEncoding }) => mouseEncoding === 'sgr'),
  mouse_utf8_flag: mode(({ mouseEncoding }) => mouseEncoding === 'utf8'),
  keypad_cursor_flag: mode(({ applicationCursorKeys }) => applicationCursorKeys),
  keypad_flag: mode(({ applicationKeypad }) => applicationKeypad),
  insert_flag: mode(({ insert }) => insert),
  origin_flag: mode(({ origin }) => origin),
  wrap_flag: mode(({ autowrap }) => autowrap),
  history_size: (pane, about) => about.factsOf(pane).history(),
  history_limit: ({ window }, { server }) =>
    server.sessionOf(window)?.options.text('history-limit'),
  history_bytes: async (pane, about) => (await about.factsOf(pane).history()) * pane.cols,
  scroll_region_upper: () => 0,
  scroll_region_lower: ({ rows }) => rows - 1,
  // The session of the pane in vtr, which tmux does not have.
  vtr_session: ({ session }) => session.name,
};

const ofClient: Readonly<Record<string, (client: NonNullable<FormatContext['client']>) => Value>> =
  {
    client_name: ({ name }) => name,
    client_pid: ({ pid }) => pid,
    client_uid: () => thisUser().uid,
    client_user: () => userName(),
    client_session: ({ session }) => session.name,
    client_last_session: ({ lastSession }) => lastSession?.name ?? '',
    client_width: ({ cols }) => cols,
    client_height: ({ rows }) => rows,
    client_tty: ({ terminal }) => terminal?.path ?? '',
    client_termname: ({ terminal }) => terminal?.kind ?? '',
    client_termtype: () => '',
    client_termfeatures: ({ terminal }) =>
      terminal === null ? '' : '256,bpaste,clipboard,focus,mouse,RGB,title',
    client_created: ({ createdAtMs }) => seconds(createdAtMs),
    client_activity: ({ activityAtMs }) => seconds(activityAtMs),
    client_control_mode: ({ terminal }) => terminal === null,
    client_flags: ({ flags, terminal }) =>
      ['attached', ...(terminal === null ? ['control-mode'] : []), ...flags, 'UTF-8'].join(','),
    client_utf8: () => true,
    client_readonly: ({ flags }) => flags.has('read-only'),
    client_prefix: ({ terminal }) => terminal?.keyTable === 'prefix',
    client_key_table: ({ terminal }) => terminal?.keyTable ?? 'root',
    client_discarded: () => 0,
    client_written: () => 0,
    client_cell_width: () => 0,
    client_cell_height: () => 0,
  };

const ofBuffer: Readonly<Record<string, (buffer: NonNullable<FormatContext['buffer']>) => Value>> =
  {
    buffer_name: ({ name }) => name,
    buffer_size: ({ text }) => Buffer.byteLength(text),
    buffer_created: ({ createdAtMs }) => seconds(createdAtMs),
    buffer_sample: ({ text }) => sampleOf(text),
  };

/** Returns the value of a variable, an option, or a variable of the environment; null if there is none. */
export async function variable(name: string, about: FormatContext): Promise<string | null> {
  const option = optionValue(name, about);
  if (option !== null) return option;
  if (Object.hasOwn(about.extra, name)) return about.extra[name] ?? '';
  const result = tableValue(name, about);
  if (result !== undefined) return textOfValue(await result);
  const environment =
    about.session?.environment.get(name) ?? about.server.environment.get(name) ?? null;
  const value = environment?.value ?? null;
  return value && about.server.shown(value, 'all');
}

/** Where the mouse was for the key whose command runs. */
const ofMouse: Readonly<Record<string, (mouse: MousePlace) => Value>> = {
  mouse_x: ({ paneCol }) => paneCol,
  mouse_y: ({ paneRow }) => paneRow,
  mouse_line: ({ line }) => line.join('').trimEnd(),
  mouse_word: ({ line, paneCol, link }) => {
    const separators = `${link.session.options.text('word-separators')} \t`;
    const isOfWord = (at: number) =>
      line[at] !== undefined && !separators.includes(line[at] || 'x');
    if (!isOfWord(paneCol)) return '';
    let [from, to] = [paneCol, paneCol];
    while (isOfWord(from - 1)) from--;
    while (isOfWord(to + 1)) to++;
    return line.slice(from, to + 1).join('');
  },
};

/** Variables of a pane in copy mode. */
const ofCopyMode: Readonly<
  Record<string, (copy: CopyMode) => string | number | boolean | null | undefined>
> = {
  scroll_position: ({ offset }) => offset,
  rectangle_toggle: ({ isRectangle }) => isRectangle,
  copy_cursor_x: ({ x }) => x,
  copy_cursor_y: ({ y }) => y,
  copy_cursor_line: ({ grid, place }) => grid.text(place.y),
  copy_cursor_word: wordAtCursor,
  selection_present: ({ selection }) => selection !== null,
  selection_active: ({ selection }) => selection !== null && selection.moves !== null,
  selection_start_x: ({ selection }) => selection?.start.x,
  selection_start_y: ({ selection }) => selection?.start.y,
  selection_end_x: ({ selection }) => selection?.end.x,
  selection_end_y: ({ selection }) => selection?.end.y,
  search_present: ({ shown }) => shown !== null,
  search_match: ({ match }) => match,
};

const tables = [
  ...[ofServer, ofSession, ofLink, ofWindow, ofPane],
  ...[ofCopyMode, ofMouse, ofClient, ofBuffer],
];

/** All variables that have a value for a subject, by their names. */
export async function allVariables(
  about: FormatContext,
): Promise<readonly (readonly [name: string, text: string])[]> {
  const pairs: [string, string][] = [];
  for (const name of tables.flatMap(Object.keys).sort()) {
    const value = await tableValue(name, about);
    if (value !== null && value !== undefined) pairs.push([name, textOfValue(value)]);
  }
  return pairs;
}

const textOfValue = (value: Value): string =>
  value === true ? '1' : value === false ? '0' : String(value ?? '');

/** Undefined if no variable has the name; null if it has no subject. */
function tableValue(name: string, about: FormatContext): Value | Promise<Value> {
  const { session, link, window, pane, client, buffer } = about;
  const from = <Subject>(
    table: Readonly<Record<string, (subject: Subject, about: FormatContext) => unknown>>,
    subject: Subject | null,
  ) => (subject === null ? null : table[name]?.(subject, about)) as Value | Promise<Value>;
  if (Object.hasOwn(ofServer, name)) return ofServer[name]?.(about);
  if (Object.hasOwn(ofSession, name)) return from(ofSession, session);
  if (Object.hasOwn(ofLink, name)) return from(ofLink, link);
  if (Object.hasOwn(ofWindow, name)) return from(ofWindow, window);
  if (Object.hasOwn(ofPane, name)) return from(ofPane, pane);
  if (Object.hasOwn(ofCopyMode, name)) {
    return from(ofCopyMode, pane?.modes.current?.copy ?? null);
  }
  if (Object.hasOwn(ofMouse, name)) return from(ofMouse, client?.terminal?.mouse ?? null);
  if (Object.hasOwn(ofClient, name)) return from(ofClient, client);
  if (Object.hasOwn(ofBuffer, name)) return from(ofBuffer, buffer);
  return undefined;
}

function optionValue(name: string, about: FormatContext): string | null {
  const { server, pane, window, session } = about;
  const scopes = [
    pane?.options,
    window?.options,
    session?.options,
    server.options,
    server.sessionOptions,
    server.windowOptions,
  ];
  for (const options of scopes) {
    const value = options?.get(name);
    if (value !== undefined) return shownText(name, textOf(value));
  }
  return null;
}

/** A flag is a number in a format. */
function shownText(name: string, text: string): string {
  return optionTable[name]?.kind === 'flag' ? String(Number(text === 'on')) : text;
}

const cellOf = (pane: TmuxPane) => pane.window.shownLayout.cellOf(pane);
const placeOf = (pane: TmuxPane) => pane.window.placeOf(pane);

const sum = (one: number | undefined, two: number): number | undefined =>
  one === undefined ? undefined : one + two;

function startCommand(words: readonly string[]): string {
  if (words.length === 0) return '';
  const text = words.join(' ');
  if (text === '') return "''";
  return words.length === 1 && /["\s$\\]/.test(text)
    ? `"${text.replace(/["$\\]/g, '\\$&')}"`
    : text;
}

/** The first part of a buffer, with its control characters as escapes. */
function sampleOf(text: string): string {
  const most = 200;
  const shown = [...text].slice(0, most).join('');
  const plain = shown.replace(/[\x00-\x1f\x7f\\]/g, (character) => escaped(character));
  const isWhole = Buffer.byteLength(text) <= most && Buffer.byteLength(plain) <= most;
  if (isWhole) return plain;
  return `${Buffer.from(plain)
    .subarray(0, most)
    .toString()
    .replace(/\ufffd+$/, '')}...`;
}

const escapes: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
  '\0': '\\0',
  '\\': '\\\\',
};

const escaped = (character: string): string =>
  escapes[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
