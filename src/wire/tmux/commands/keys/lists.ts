import { FormatContext } from '../../format/context.ts';
import { expand } from '../../format/expand.ts';
import { windowName } from '../../format/foreground.ts';
import { ListMode, type ListNode } from '../../modes/list-mode.ts';
import type { AttachedClient, TmuxServer } from '../../state/tmux-server.ts';
import type { TmuxSession, WindowLink } from '../../state/tmux-session.ts';
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

/** What `choose-tree` and its like accept. */
interface Chooser {
  readonly server: TmuxServer;
  readonly format: string;
  readonly filter: string | null;
}

const chooserOf = ({ server }: Call, args: Arguments, format: string): Chooser => ({
  server,
  format: args.value('F') ?? format,
  filter: args.command === 'find-window' ? windowFilter(args) : (args.value('f') ?? null),
});

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
  const chooser = chooserOf(call, args, treeFormat);
  const { server } = call;
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
    read: async () => {
      const nodes = await Promise.all(byId(server).map((each) => sessionNode(chooser, each)));
      return nodes.flatMap((node) => node ?? []);
    },
    opened,
    selected,
    commandsFor: template(args, `switch-client -Zt '%%'`),
    hasPreview: args.command === 'find-window' || !args.has('N'),
    order: sortName(args, 'index'),
  });
}

/** As in tmux, trees are sorted by the ids of sessions. */
const byId = ({ sessions }: TmuxServer): TmuxSession[] =>
  [...sessions.values()].sort((one, two) => one.id - two.id);

const sortName = (args: Arguments, usual: string): string =>
  `${args.value('O') ?? usual}${args.has('r') ? ', reversed' : ''}`;

const linkId = ({ session, window, index }: WindowLink): string =>
  `$${session.id}:${index}@${window.id}`;

async function sessionNode(chooser: Chooser, session: TmuxSession): Promise<ListNode | null> {
  const { server } = chooser;
  const about = new FormatContext({ server, session, window: null, link: null, pane: null });
  const accepted: WindowLink[] = [];
  for (const each of session.links) {
    const of = targetOf(each);
    if (await accepts(chooser, new FormatContext({ server, ...of }))) accepted.push(each);
  }
  if (accepted.length === 0) return null;
  return {
    id: `$${session.id}`,
    name: session.name,
    text: await expand(chooser.format, about),
    target: `=${session.name}:`,
    children: await Promise.all(accepted.map((each) => windowNode(chooser, each))),
    panes: session.links.map((each) => ({
      id: each.window.active.id,
      label: ` ${each.index}:${windowName(each.window)} `,
      isCurrent: each === session.current,
    })),
    lines: [],
    removes: {
      question: `Kill session ${session.name}? `,
      commands: `kill-session -t '=${session.name}:'`,
    },
  };
}

async function windowNode(chooser: Chooser, link: WindowLink): Promise<ListNode> {
  const { server } = chooser;
  const { session, window, index } = link;
  const about = new FormatContext({ server, session, link, window, pane: null });
  const panes = window.panes.length === 1 ? [] : window.panes;
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
      removes: { question: `Kill pane ${pane.index}? `, commands: `kill-pane -t %${pane.id}` },
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
    removes: { question: `Kill window ${index}? `, commands: `kill-window -t '${target}'` },
  };
}

/** The list of paste buffers. */
export function bufferMode(call: Call, args: Arguments): ListMode {
  const chooser = chooserOf(call, args, bufferFormat);
  const { server } = call;
  return new ListMode({
    read: () =>
      Promise.all(
        server.buffers.all.map(async (buffer): Promise<ListNode> => {
          const { name, text } = buffer;
          return {
            id: name,
            name,
            text: await expand(chooser.format, new FormatContext({ server, buffer })),
            target: name,
            children: [],
            panes: [],
            lines: text.split('\n'),
            removes: {
              question: `Delete buffer ${name}? `,
              commands: `delete-buffer -b '${name}'`,
            },
          };
        }),
      ),
    opened: [],
    selected: '',
    commandsFor: template(args, `paste-buffer -p -b '%%'`),
    hasPreview: !args.has('N'),
    order: sortName(args, 'time'),
  });
}

/** The list of clients. */
export function clientMode(call: Call, args: Arguments): ListMode {
  const chooser = chooserOf(call, args, clientFormat);
  const { server } = call;
  const node = async (client: AttachedClient): Promise<ListNode> => {
    const { session, link, pane } = targetOf(client.session.current);
    const about = new FormatContext({ server, client, session, link, pane });
    return {
      id: client.name,
      name: client.name,
      text: await expand(chooser.format, about),
      target: client.name,
      children: [],
      panes: [{ id: pane.id, label: '', isCurrent: true }],
      lines: [],
      removes: {
        question: `Detach client ${client.name}? `,
        commands: `detach-client -t '${client.name}'`,
      },
    };
  };
  return new ListMode({
    read: () => Promise.all([...server.clients].map(node)),
    opened: [],
    selected: '',
    commandsFor: template(args, `detach-client -t '%%'`),
    hasPreview: !args.has('N'),
    order: sortName(args, 'name'),
  });
}
