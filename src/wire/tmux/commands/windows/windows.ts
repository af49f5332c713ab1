import { windowName } from '../../format/foreground.ts';
import { defaultSize } from '../../state/default-size.ts';
import type { TmuxServer } from '../../state/tmux-server.ts';
import type { TmuxSession, WindowLink } from '../../state/tmux-session.ts';
import { type Target, targetOf } from '../../target/target.ts';
import { TmuxError } from '../../tmux-error.ts';
import type { Arguments } from '../../words/arguments.ts';
import { type Call, type Commands, many } from '../call.ts';
import { nameNewWindow, nameWindow, newPaneFormat, printNew, programOf } from './new-panes.ts';

const windowsFormat =
  '#{window_index}: #{window_name}#{window_raw_flags} (#{window_panes} panes) ' +
  '[#{window_width}x#{window_height}] [layout #{window_layout}] #{window_id}' +
  '#{?window_active, (active),}';
const allWindowsFormat =
  '#{session_name}:#{window_index}: #{window_name}#{window_raw_flags} (#{window_panes} panes) ' +
  '[#{window_width}x#{window_height}] ';

export const windowCommands = {
  'new-window': {
    usage:
      '[-abdkPS] [-c start-directory] [-e environment] [-F format] [-n window-name] [-t target-window] [shell-command]',
    words: [0, many],
    run: newWindow,
  },
  'kill-window': {
    usage: '[-a] [-t target-window]',
    run: (call, args) => {
      const { session, link } = call.target(args, 'window');
      const { server } = call;
      if (!args.has('a')) return server.removeWindow(link.window);
      for (const each of [...session.links]) {
        if (each.window !== link.window) server.removeWindow(each.window, false);
      }
      for (const each of server.sorted) server.renumber(each);
    },
  },
  'rename-window': {
    usage: '[-t target-window] new-name',
    words: [1, 1],
    run: async (call, args) => {
      const target = call.target(args, 'window');
      const name = await call.expand(args.words[0] ?? '', target);
      nameWindow(call.server, target.link.window, name);
    },
  },
  'list-windows': {
    usage: '[-a] [-F format] [-f filter] [-t target-session]',
    run: (call, args) => {
      const sessions = args.has('a') ? call.server.sorted : [call.target(args, 'session').session];
      const links = sessions.flatMap((session) => session.links);
      const format = args.has('a') ? allWindowsFormat : windowsFormat;
      const all = links.map((link) => call.about(targetOf(link)));
      return call.printAll(all, args.value('F') ?? format, args.value('f'));
    },
  },
  'select-window': {
    usage: '[-lnpT] [-t target-window]',
    run: (call, args) => {
      if (args.has('l') || args.has('n') || args.has('p')) {
        const { session } = call.target(args, 'window');
        const step = args.has('n') ? 1 : -1;
        selectLink(call, args.has('l') ? lastOf(session) : besideOf(session.current, step));
        return;
      }
      const { session, link } = call.target(args, 'window');
      const isLeft = args.has('T') && session.current === link;
      selectLink(call, isLeft ? lastOf(session) : link);
    },
  },
  'next-window': {
    usage: '[-a] [-t target-session]',
    run: (call, args) => stepped(call, args, 1),
  },
  'previous-window': {
    usage: '[-a] [-t target-session]',
    run: (call, args) => stepped(call, args, -1),
  },
  'last-window': {
    usage: '[-t target-session]',
    run: (call, args) => selectLink(call, lastOf(call.target(args, 'session').session)),
  },
  'move-window': {
    usage: '[-abdkr] [-s src-window] [-t dst-window]',
    run: (call, args) => moveWindow(call, args, { isMoved: true }),
  },
  'link-window': {
    usage: '[-abdk] [-s src-window] [-t dst-window]',
    run: (call, args) => moveWindow(call, args, { isMoved: false }),
  },
  'unlink-window': {
    usage: '[-k] [-t target-window]',
    run: (call, args) => {
      const { link } = call.target(args, 'window');
      const { server } = call;
      // The sessions of a group count as one.
      const elsewhere = server.linksOf(link.window).length > groupSize(server, link.session);
      if (elsewhere) return server.unlink(link);
      if (!args.has('k')) throw new TmuxError('window only linked to one session');
      server.removeWindow(link.window, false);
    },
  },
  'swap-window': {
    usage: '[-d] [-s src-window] [-t dst-window]',
    run: swapWindows,
  },
} satisfies Commands;

async function newWindow(call: Call, args: Arguments): Promise<void> {
  const { server } = call;
  const { session, index: wish } = call.targets.findIndex(args.value('t'));
  const target = targetOf(session.current);
  const name = args.has('n') ? await call.expand(args.value('n') ?? '', target) : null;
  if (args.has('S') && name !== null) {
    const links = session.links.filter(({ window }) => windowName(window) === name);
    if (links.length > 1) throw new TmuxError(`multiple windows named ${name}`);
    if (links[0] !== undefined) {
      if (!args.has('d')) server.selectLink(links[0]);
      return;
    }
  }
  const index = placeFor(session.current, wish, args);
  const program = await programOf(call, args, target);
  const size = defaultSize(server, session, server.windowOptions.text('window-size'), null);
  const window = await server.newWindow(session, program, size);
  if (name !== null) nameNewWindow(window, name);
  // The session or the index may have changed while the program was started.
  if (!server.sessions.has(session.id)) return server.programs.end(window.active);
  // The window that is replaced goes last, so that the session stays.
  const there = session.linkAt(index);
  if (there !== null && args.has('k')) there.index = -1;
  const link = session.add(window, session.freeIndex(index));
  if (!args.has('d') || there === session.current) server.selectLink(link);
  // In the order of tmux.
  server.notices.emit({ name: 'window-linked', session, window });
  if (there?.index === -1) server.removeWindow(there.window, false);
  const newTarget = targetOf(link);
  if (args.has('d')) call.onCreate(newTarget);
  else call.makeCurrent(newTarget);
  await printNew(call, args, newTarget, newPaneFormat);
}

/** Makes a window current, also for the commands that follow. */
function selectLink(call: Call, link: WindowLink): void {
  if (link.session.current === link) return;
  call.server.selectLink(link);
  call.makeCurrent(targetOf(link));
}

function stepped(call: Call, args: Arguments, step: 1 | -1): void {
  const { current } = call.target(args, 'session').session;
  selectLink(call, args.has('a') ? alertBesideOf(current, step) : besideOf(current, step));
}

/** @throws TmuxError */
function besideOf(link: WindowLink, step: 1 | -1): WindowLink {
  const next = link.session.beside(link, step);
  if (next !== link) return next;
  throw new TmuxError(step === 1 ? 'no next window' : 'no previous window');
}

/** The next or previous window that has an alert. @throws TmuxError */
function alertBesideOf(link: WindowLink, step: 1 | -1): WindowLink {
  const next = link.session.alertBeside(link, step);
  if (next !== null) return next;
  throw new TmuxError(step === 1 ? 'no next window' : 'no previous window');
}

/** @throws TmuxError */
function lastOf({ last }: Target['session']): WindowLink {
  if (last !== null) return last;
  throw new TmuxError('no last window');
}

/** Moves a window to another index or session, or links it there, too. @throws TmuxError */
function moveWindow(call: Call, args: Arguments, { isMoved }: { readonly isMoved: boolean }): void {
  const { server } = call;
  if (args.has('r')) {
    const { session } = call.target(args, 'session');
    session.renumber();
    return;
  }
  const { link } = call.target(args, 'window', 's');
  const { session, index: wish } = call.targets.findIndex(args.value('t'));
  if (session !== link.session && server.groupOf(session)?.has(link.session)) {
    throw new TmuxError('sessions are grouped');
  }
  const beside = wish === null ? session.current : (session.linkAt(wish) ?? session.current);
  if (args.has('a') || args.has('b')) {
    const index = placeFor(beside, wish, args);
    putWindow(call, link, session, index, args, { isMoved });
    renumberSource(link, args);
    return;
  }
  const index = wish ?? session.freeIndex();
  const there = session.linkAt(index);
  if (there?.window === link.window) throw new TmuxError(`same index: ${index}`);
  if (there !== null && !args.has('k')) throw new TmuxError(`index in use: ${index}`);
  if (there !== null) there.index = -1;
  putWindow(call, link, session, index, args, { isMoved });
  if (there !== null && server.linksOf(there.window).length > 1) server.unlink(there);
  else if (there !== null) server.removeWindow(there.window, false);
  renumberSource(link, args);
}

const groupSize = (server: TmuxServer, session: TmuxSession): number =>
  server.groupOf(session)?.members.length ?? 1;

/** The session of a window that has moved gets other numbers, but not one that was named. */
function renumberSource({ session }: WindowLink, args: Arguments): void {
  if (!args.has('s') && session.options.isOn('renumber-windows')) session.renumber();
}

function swapWindows(call: Call, args: Arguments): void {
  const { server } = call;
  const one = call.target(args, 'window', 's').link;
  const two = call.target(args, 'window').link;
  if (one.window === two.window) return;
  [one.window, two.window] = [two.window, one.window];
  // As in tmux 3.3a: with the flag, the windows at the places are selected.
  if (args.has('d')) {
    server.selectLink(two);
    if (one.session !== two.session) server.selectLink(one);
  }
}

/** Returns the index for a window, after moving others as the flags say. @throws TmuxError */
export function placeFor(beside: WindowLink, wish: number | null, args: Arguments): number {
  const { session } = beside;
  if (args.has('a') || args.has('b')) {
    const base = wish === null ? beside.index : (session.linkAt(wish)?.index ?? wish);
    const index = args.has('b') ? base : base + 1;
    let last = index;
    while (session.linkAt(last) !== null) last++;
    for (; last > index; last--) {
      const link = session.linkAt(last - 1);
      if (link !== null) link.index = last;
    }
    session.sort();
    return index;
  }
  if (wish === null) return session.freeIndex();
  const there = session.linkAt(wish);
  if (there === null) return wish;
  if (!args.has('k')) throw new TmuxError(`create window failed: index ${wish} in use`);
  return wish;
}

/** Puts a window at an index, in place of where it was or also there. */
export function putWindow(
  { server }: Call,
  link: WindowLink,
  session: TmuxSession,
  index: number,
  args: Arguments,
  { isMoved }: { readonly isMoved: boolean },
): WindowLink {
  const { window } = link;
  const wasCurrent = link.session.current === link;
  const added = server.link(session, window, index);
  if (!args.has('d')) server.selectLink(added);
  if (isMoved) server.unlink(link);
  if (!args.has('d')) return added;
  if (isMoved && wasCurrent && session === link.session) session.select(added);
  return added;
}
