import { FormatContext } from '../../format/context.ts';
import { expand } from '../../format/expand.ts';
import { windowName } from '../../format/foreground.ts';
import { ListMode, type ListNode, type ListOrder } from '../../modes/list-mode.ts';
import type { AttachedClient } from '../../state/attached-client.ts';
import type { Buffer as PasteBuffer } from '../../state/buffers.ts';
import type { TmuxServer } from '../../state/tmux-server.ts';
import type { TmuxSession, WindowLink } from '../../state/tmux-session.ts';
import type { TmuxPane } from '../../state/tmux-window.ts';
import { type Target, targetOf } from '../../target/target.ts';
import type { Arguments } from '../../words/arguments.ts';
import type { Call } from '../call.ts';

/** The format of a line of `choose-tree`. */
const treeFormat =
  '#{?pane_format,' +
  '#{?pane_marked,#[reverse],}#{pane_current_command}#{?pane_active,*,}#{?pane_marked,M,}' +
  '#{?#{&&:#{pane_title},#{!=:#{pane_title},#{host_short}}},: "#{pane_title}",},' +
  '#{?window_format,' +
  '#{?window_marked_flag,#[reverse],}#{window_name}#{window_flags}' +
  '#{?#{&&:#{==:#{window_panes},1},#{&&:#{pane_title},#{!=:#{pane_title},#{host_short}}}},: "#{pane_title}",},' +
  '#{session_windows} windows' +
  '#{?session_grouped, (group #{session_group}: #{session_group_list}),}' +
  '#{?session_attached, (attached),}}}';

const bufferFormat = '#{t/p:buffer_created}: #{buffer_sample}';
const clientFormat = '#{t/p:client_activity}: session #{session_name}';

/** What `choose-tree` and its like show. */
interface Chooser extends ListOrder {
  readonly server: TmuxServer;
  readonly format: string;
}

/** @param sorts the orders of the list, the usual one first */
const orderOf = (args: Arguments, sorts: readonly string[]): ListOrder => ({
  sort: sorts.find((each) => each === args.value('O')) ?? sorts[0] ?? '',
  isReversed: args.has('r') && args.command !== 'find-window',
  filter: args.command === 'find-window' ? windowFilter(args) : (args.value('f') ?? null),
});

/** Compares by what differs first. */
const byFirst =
  <T>(...compare: readonly ((one: T, other: T) => number)[]) =>
  (one: T, other: T): number =>
    compare.reduce((result, each) => (result === 0 ? each(one, other) : result), 0);

/** As strcmp(3). */
const textOrder = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function sorted<T>(
  all: Iterable<T>,
  { isReversed }: ListOrder,
  compare: (one: T, other: T) => number,
): readonly T[] {
  return [...all].sort((one, other) => (isReversed ? compare(other, one) : compare(one, other)));
}

/** What `find-window` looks for: in names, titles and the text on the screen; all of them without a flag. */
function windowFilter(args: Arguments): string {
  const [pattern = ''] = args.words;
  const isRegex = args.has('r');
  const flags = `${isRegex ? 'r' : ''}${args.has('i') ? 'i' : ''}`;
  const modifier = flags === '' ? '' : `/${flags}`;
  const like = isRegex ? pattern : `*${pattern}*`;
  const places = {
    C: `#{C${modifier}:${pattern}}`,
    N: `#{m${modifier}:${like},#{window_name}}`,
    T: `#{m${modifier}:${like},#{pane_title}}`,
  };
  const chosen = (['C', 'N', 'T'] as const).filter((flag) => args.has(flag));
  const formats = (chosen.length === 0 ? (['C', 'N', 'T'] as const) : chosen).map(
    (flag) => places[flag],
  );
  return formats.reduce((one, other) => `#{||:${one},${other}}`);
}

const template =
  ({ words, command }: Arguments, usual: string) =>
  (target: string): string =>
    ((command === 'find-window' ? undefined : words[0]) ?? usual)
      .replaceAll('%%', target)
      .replaceAll('%1', target);

/** Whether a filter accepts what a format is about. */
async function accepts({ filter }: Chooser, about: FormatContext): Promise<boolean> {
  if (filter === null) return true;
  const value = await expand(filter, about);
  return value !== '' && value !== '0';
}

/** The tree of sessions, windows and panes. `-s` shows sessions, `-w` also windows. */
export function treeMode(call: Call, args: Arguments, { session, link, pane }: Target): ListMode {
  const { server } = call;
  const format = args.value('F') ?? treeFormat;
  const sorts = ['index', 'name', 'time'];
  const isWhole = !args.has('s');
  const opened = server.sorted.flatMap((each) => [
    ...(isWhole ? [`$${each.id}`] : []),
    ...(isWhole && !args.has('w') ? each.links.map(linkId) : []),
  ]);
  const selected = args.has('s')
    ? `$${session.id}`
    : args.has('w') || link.window.panes.length === 1
      ? linkId(link)
      : `${linkId(link)}%${pane.id}`;
  return new ListMode({
    read: async (order) => {
      const chooser = { ...order, server, format };
      const sessions = sorted(server.sessions.values(), order, sessionOrders[order.sort] ?? byId);
      const nodes = await Promise.all(sessions.map((each) => sessionNode(chooser, each)));
      return nodes.flatMap((node) => node ?? []);
    },
    opened,
    selected,
    commandsFor: template(args, `switch-client -Zt '%%'`),
    hasPreview: args.command === 'find-window' || !args.has('N'),
    sorts,
    order: orderOf(args, sorts),
    taggedActs: { X: { key: 'x', question: (count) => `Kill ${count} tagged? ` } },
    keyCommands: { M: 'select-pane -M' },
  });
}

const byId = (one: TmuxSession, other: TmuxSession): number => one.id - other.id;
const byName = (one: TmuxSession, other: TmuxSession): number => textOrder(one.name, other.name);

/** As in tmux, sessions are sorted by their ids instead of an index. */
const sessionOrders: Readonly<Record<string, typeof byId>> = {
  name: byName,
  time: byFirst((one, other) => other.activityAtMs - one.activityAtMs, byName),
};

const byIndex = (one: WindowLink, other: WindowLink): number => one.index - other.index;
const byWindowName = (one: WindowLink, other: WindowLink): number =>
  textOrder(windowName(one.window), windowName(other.window));

const windowOrders: Readonly<Record<string, typeof byIndex>> = {
  name: byWindowName,
  time: byFirst((one, other) => other.window.activityAtMs - one.window.activityAtMs, byWindowName),
};

const usualOrder = (one: TmuxPane, other: TmuxPane): number => one.index - other.index;

const linkId = ({ session, window, index }: WindowLink): string =>
  `$${session.id}:${index}@${window.id}`;

async function sessionNode(chooser: Chooser, session: TmuxSession): Promise<ListNode | null> {
  const { server } = chooser;
  const about = new FormatContext({ server, session, window: null, link: null, pane: null });
  const links = sorted(session.links, chooser, windowOrders[chooser.sort] ?? byIndex);
  const windows = await Promise.all(links.map((each) => windowNode(chooser, each)));
  const children = windows.flatMap((node) => node ?? []);
  if (children.length === 0) return null;
  return {
    id: `$${session.id}`,
    name: session.name,
    text: await expand(chooser.format, about),
    target: `=${session.name}:`,
    children,
    panes: session.links.map((each) => ({
      id: each.window.active.id,
      label: ` ${each.index}:${windowName(each.window)} `,
      isCurrent: each === session.current,
    })),
    lines: [],
    acts: {
      x: {
        question: `Kill session ${session.name}? `,
        commands: `kill-session -t '=${session.name}:'`,
      },
      m: { question: null, commands: `select-pane -m -t '=${session.name}:'` },
    },
  };
}

/** Returns null if the filter accepts no pane of the window. */
async function windowNode(chooser: Chooser, link: WindowLink): Promise<ListNode | null> {
  const { server } = chooser;
  const { session, window, index } = link;
  const about = new FormatContext({ server, session, link, window, pane: null });
  const accepted = await Promise.all(
    window.panes.map((pane) =>
      accepts(chooser, new FormatContext({ server, ...targetOf(link), pane })),
    ),
  );
  const shown = window.panes.filter((_pane, at) => accepted[at]);
  if (shown.length === 0) return null;
  const order = chooser.sort === 'time' ? window.activeOrder : usualOrder;
  const panes = window.panes.length === 1 ? [] : sorted(shown, chooser, order);
  const target = `=${session.name}:${index}`;
  const children = panes.map(async (pane): Promise<ListNode> => {
    const of = about.of({ pane });
    return {
      id: `${linkId(link)}%${pane.id}`,
      name: String(pane.index),
      text: await expand(chooser.format, of),
      target: `=${session.name}:${index}.%${pane.id}`,
      children: [],
      panes: [{ id: pane.id, label: '', isCurrent: true }],
      lines: [],
      acts: {
        x: { question: `Kill pane ${pane.index}? `, commands: `kill-pane -t %${pane.id}` },
        m: { question: null, commands: `select-pane -m -t %${pane.id}` },
      },
    };
  });
  return {
    id: linkId(link),
    name: String(index),
    text: await expand(chooser.format, about),
    target,
    children: await Promise.all(children),
    panes: window.panes.map((pane) => ({
      id: pane.id,
      label: ` ${pane.index} `,
      isCurrent: pane.isActive,
    })),
    lines: [],
    acts: {
      x: { question: `Kill window ${index}? `, commands: `kill-window -t '${target}'` },
      m: { question: null, commands: `select-pane -m -t '${target}'` },
    },
  };
}

/** The list of paste buffers. */
export function bufferMode(call: Call, args: Arguments): ListMode {
  const { server } = call;
  const format = args.value('F') ?? bufferFormat;
  const sorts = ['time', 'name', 'size'];
  const commandsFor = template(args, `paste-buffer -p -b '%%'`);
  return new ListMode({
    read: async (order) => {
      const chooser = { ...order, server, format };
      const buffers = sorted(
        server.buffers.all.entries(),
        order,
        bufferOrders[order.sort] ?? byAge,
      );
      const nodes = await Promise.all(
        buffers.map(([, buffer]) => bufferNode(chooser, buffer, commandsFor)),
      );
      return nodes.flatMap((node) => node ?? []);
    },
    opened: [],
    selected: '',
    commandsFor,
    hasPreview: !args.has('N'),
    sorts,
    order: orderOf(args, sorts),
    taggedActs: { D: { key: 'd', question: null }, P: { key: 'p', question: null } },
    isOver: () => server.buffers.all.length === 0,
  });
}

/** A buffer with its place: the latest has the first one. */
type PlacedBuffer = readonly [number, PasteBuffer];

const byAge = ([one]: PlacedBuffer, [other]: PlacedBuffer): number => one - other;
const byBufferName = ([, one]: PlacedBuffer, [, other]: PlacedBuffer): number =>
  textOrder(one.name, other.name);
const sizeOf = ({ text }: PasteBuffer): number => Buffer.byteLength(text);

const bufferOrders: Readonly<Record<string, typeof byAge>> = {
  name: byBufferName,
  size: byFirst(([, one], [, other]) => sizeOf(other) - sizeOf(one), byBufferName),
};

async function bufferNode(
  chooser: Chooser,
  buffer: PasteBuffer,
  commandsFor: (target: string) => string,
): Promise<ListNode | null> {
  const { name, text } = buffer;
  const about = new FormatContext({ server: chooser.server, buffer });
  if (!(await accepts(chooser, about))) return null;
  return {
    id: name,
    name,
    text: await expand(chooser.format, about),
    target: name,
    children: [],
    panes: [],
    lines: text.split('\n'),
    acts: {
      d: { question: null, commands: `delete-buffer -b '${name}'` },
      p: { question: null, commands: commandsFor(name), leaves: true },
    },
  };
}

/** The list of clients. */
export function clientMode(call: Call, args: Arguments): ListMode {
  const { server } = call;
  const format = args.value('F') ?? clientFormat;
  const sorts = ['name', 'size', 'creation', 'activity'];
  return new ListMode({
    read: async (order) => {
      const chooser = { ...order, server, format };
      const clients = sorted(server.clients, order, clientOrders[order.sort] ?? byClientName);
      const nodes = await Promise.all(clients.map((each) => clientNode(chooser, each)));
      return nodes.flatMap((node) => node ?? []);
    },
    opened: [],
    selected: '',
    commandsFor: template(args, `detach-client -t '%%'`),
    hasPreview: !args.has('N'),
    sorts,
    order: orderOf(args, sorts),
    taggedActs: {
      D: { key: 'd', question: null },
      X: { key: 'x', question: null },
      Z: { key: 'z', question: null },
    },
  });
}

const byClientName = (one: AttachedClient, other: AttachedClient): number =>
  textOrder(one.name, other.name);

const clientOrders: Readonly<Record<string, typeof byClientName>> = {
  size: byFirst(
    (one, other) => one.cols - other.cols,
    (one, other) => one.rows - other.rows,
    byClientName,
  ),
  creation: byFirst((one, other) => other.createdAtMs - one.createdAtMs, byClientName),
  activity: byFirst((one, other) => other.activityAtMs - one.activityAtMs, byClientName),
};

async function clientNode(chooser: Chooser, client: AttachedClient): Promise<ListNode | null> {
  const { session, link, pane } = targetOf(client.session.current);
  const about = new FormatContext({ server: chooser.server, client, session, link, pane });
  if (!(await accepts(chooser, about))) return null;
  const { name } = client;
  return {
    id: name,
    name,
    text: await expand(chooser.format, about),
    target: name,
    children: [],
    panes: [{ id: pane.id, label: '', isCurrent: true }],
    lines: [],
    acts: {
      d: { question: null, commands: `detach-client -t '${name}'` },
      x: { question: null, commands: `detach-client -P -t '${name}'` },
      z: { question: null, commands: `suspend-client -t '${name}'` },
    },
  };
}
