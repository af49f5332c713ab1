import { defined } from '#base';
import { type Direction, Layout } from '#layout';
import { optionTable } from '../../state/option-table.ts';
import { checkedOption } from '../../state/options.ts';
import { nameFor } from '../../state/tmux-server.ts';
import type { TmuxPane } from '../../state/tmux-window.ts';
import { type Target, targetOf } from '../../target/target.ts';
import { TmuxError } from '../../tmux-error.ts';
import { type Arguments, wholeNumber } from '../../words/arguments.ts';
import { type Call, type Commands, many } from '../call.ts';
import { nameWindow, newPaneFormat, printNew, programOf } from './new-panes.ts';
import { placeFor, putWindow } from './windows.ts';

const paneFormat =
  '[#{pane_width}x#{pane_height}] [history #{history_size}/#{history_limit}, #{history_bytes} bytes] ' +
  '#{pane_id}#{?pane_active, (active),}#{?pane_dead, (dead),}';

export const paneCommands = {
  'split-window': {
    usage:
      '[-bdefhIPvZ] [-c start-directory] [-e environment] [-F format] [-l size] [-t target-pane][shell-command]',
    words: [0, many],
    run: splitWindow,
  },
  'kill-pane': {
    usage: '[-a] [-t target-pane]',
    run: (call, args) => {
      const { pane } = call.target(args, 'pane');
      const others = pane.window.panes.filter((each) => each !== pane);
      for (const each of args.has('a') ? others : [pane]) call.server.removePane(each);
    },
  },
  'list-panes': {
    usage: '[-as] [-F format] [-f filter] [-t target-window]',
    run: listPanes,
  },
  'select-pane': {
    usage: '[-DdeLlMmRUZ] [-T title] [-t target-pane]',
    run: selectPane,
  },
  'last-pane': {
    usage: '[-deZ] [-t target-window]',
    run: (call, args) => lastPane(call, args),
  },
  'resize-pane': {
    usage: '[-DLMRTUZ] [-x width] [-y height] [-t target-pane] [adjustment]',
    words: [0, 1],
    run: resizePane,
  },
  'swap-pane': {
    usage: '[-dDUZ] [-s src-pane] [-t dst-pane]',
    run: swapPanes,
  },
  'break-pane': {
    usage: '[-abdP] [-F format] [-n window-name] [-s src-pane] [-t dst-window]',
    run: breakPane,
  },
  'join-pane': {
    usage: '[-bdfhv] [-l size] [-s src-pane] [-t dst-pane]',
    run: joinPane,
  },
  'move-pane': {
    usage: '[-bdfhv] [-l size] [-s src-pane] [-t dst-pane]',
    run: joinPane,
  },
  'respawn-pane': {
    usage: '[-k] [-c start-directory] [-e environment] [-t target-pane] [shell-command]',
    words: [0, many],
    run: (call, args) => respawn(call, args, call.target(args, 'pane'), 'pane'),
  },
  'respawn-window': {
    usage: '[-k] [-c start-directory] [-e environment] [-t target-window] [shell-command]',
    words: [0, many],
    run: (call, args) => respawn(call, args, call.target(args, 'window'), 'window'),
  },
} satisfies Commands;

async function splitWindow(call: Call, args: Arguments): Promise<void> {
  const { server } = call;
  const target = call.target(args, 'pane');
  const { session, link, pane } = target;
  const { window } = link;
  const request = splitOf(args, pane);
  window.unzoom();
  const shows = shownInstead(call, args);
  const program = { ...(await programOf(call, args, target)), ...defined({ shows }) };
  // The program is started with the size it will have: it may draw before it is told another one.
  const size = sizeAfter(pane, request);
  if (size === null) throw new TmuxError('no space for new pane');
  const added = await server.programs.start(server, session, window, program, size);
  if (!window.panes.includes(pane) || !window.layout.split(pane, added, request)) {
    server.programs.end(added);
    throw new TmuxError('no space for new pane');
  }
  window.list(added, pane, request.before, request.full);
  if (!args.has('d')) activate(call, added);
  if (args.has('Z')) window.zoom(added);
  await server.programs.fit(window);
  server.notices.emit({ name: 'layout-changed', window });
  const newTarget = targetOf(link, added);
  if (args.has('d')) call.onCreate(newTarget);
  else call.makeCurrent(newTarget);
  await printNew(call, args, newTarget, newPaneFormat);
}

/** The text of a pane without a program: with -I, what the caller's standard input has. */
function shownInstead({ caller }: Call, args: Arguments): string | undefined {
  const [word, ...more] = args.words;
  if (word === undefined && args.has('I')) return caller.input ?? '';
  return word === '' && more.length === 0 ? '' : undefined;
}

interface Split {
  readonly direction: Direction;
  readonly size?: number;
  readonly before: boolean;
  readonly full: boolean;
}

/** Reads the flags that say where a pane goes. @throws TmuxError */
function splitOf(args: Arguments, pane: TmuxPane): Split {
  const direction = args.has('h') ? 'row' : 'column';
  const cell = args.has('f') ? pane.window.layout.root : pane.window.layout.cellOf(pane);
  const length = args.has('p') ? `${args.value('p')}%` : args.value('l');
  const size = length === undefined ? {} : { size: sizeOf(length, cell?.size(direction) ?? 0) };
  return { direction, before: args.has('b'), full: args.has('f'), ...size };
}

/** A number of cells, or a percentage. @throws TmuxError */
function sizeOf(text: string, total: number): number {
  if (!text.endsWith('%')) return wholeNumber(text, 0, 2_147_483_647, 'size');
  return Math.floor((total * wholeNumber(text.slice(0, -1), 0, 100, 'size')) / 100);
}

/** The size of a pane that is not there yet; null without space. */
function sizeAfter(pane: TmuxPane, request: Split): { cols: number; rows: number } | null {
  const { direction, size, full } = request;
  const cell = full ? pane.window.layout.root : pane.window.layout.cellOf(pane);
  if (cell === null) return null;
  const total = cell.size(direction);
  if (total < 3) return null;
  const length = size ?? Math.floor((total + 1) / 2) - 1;
  const along = Math.min(Math.max(1, length), total - 2);
  return direction === 'row' ? { cols: along, rows: cell.rows } : { cols: cell.cols, rows: along };
}

function listPanes(call: Call, args: Arguments): Promise<void> {
  const target = args.has('a') ? null : call.target(args, args.has('s') ? 'session' : 'window');
  const links = args.has('a')
    ? call.server.sorted.flatMap((session) => session.links)
    : args.has('s')
      ? (target?.session.links ?? [])
      : [target?.link].filter((each) => each !== undefined);
  const prefix = args.has('a')
    ? '#{session_name}:#{window_index}.#{pane_index}: '
    : args.has('s')
      ? '#{window_index}.#{pane_index}: '
      : '#{pane_index}: ';
  const all = links.flatMap((link) =>
    link.window.panes.map((pane) => call.about(targetOf(link, pane))),
  );
  return call.printAll(all, args.value('F') ?? prefix + paneFormat, args.value('f'));
}

const sides = {
  L: ['row', -1],
  R: ['row', 1],
  U: ['column', -1],
  D: ['column', 1],
} as const satisfies Readonly<Record<string, readonly [Direction, 1 | -1]>>;

async function selectPane(call: Call, args: Arguments): Promise<void> {
  if (args.has('l')) return lastPane(call, args);
  const { server } = call;
  const target = call.target(args, 'pane');
  const { window } = target.link;
  if (args.has('m') || args.has('M')) {
    const same = server.marked === target.pane;
    server.marked = args.has('M') || same ? null : target.pane;
    return;
  }
  if (args.has('P') || args.has('g')) {
    setStyle(target.pane, args.value('P'));
    if (args.has('g')) return call.print(target.pane.options.text('window-style'));
  }
  let { pane } = target;
  for (const [flag, [direction, step]] of Object.entries(sides)) {
    if (args.has(flag)) pane = window.neighbour(pane, direction, step) ?? pane;
  }
  if (args.has('e') || args.has('d')) {
    pane.inputOff = args.has('d');
    return;
  }
  const title = args.value('T');
  if (title !== undefined) {
    const { title: shown } = await server.programs.coordinator.info(pane.session);
    pane.title = { text: await call.expand(title, target), over: shown };
    return server.notices.emit({ name: 'pane-title-changed', pane });
  }
  if (window.isZoomed && !args.has('Z') && !pane.isActive) await unzoomed(call, pane);
  if (pane.isActive) return;
  activate(call, pane);
  call.makeCurrent(targetOf(target.link, pane));
}

/** @throws TmuxError */
function setStyle({ options }: TmuxPane, style: string | undefined): void {
  if (style === undefined) return;
  for (const name of ['window-style', 'window-active-style'] as const) {
    options.set(name, checkedOption(name, optionTable[name], style, ''));
  }
}

async function lastPane(call: Call, args: Arguments): Promise<void> {
  const { window } = call.target(args, 'window').link;
  const { last } = window;
  if (last === null) throw new TmuxError('no last pane');
  if (args.has('e') || args.has('d')) last.inputOff = args.has('d');
  else activate(call, last);
}

function activate({ server }: Call, pane: TmuxPane): void {
  const { window } = pane;
  const before = window.active;
  window.select(pane);
  server.tellActive(window, before);
}

async function unzoomed({ server }: Call, { window }: TmuxPane): Promise<void> {
  if (!window.unzoom()) return;
  await server.programs.fit(window);
  server.notices.emit({ name: 'layout-changed', window });
}

async function resizePane(call: Call, args: Arguments): Promise<void> {
  const { server } = call;
  const { link, pane } = call.target(args, 'pane');
  const { window } = link;
  if (args.has('T')) return;
  if (args.has('M')) return call.caller.client?.terminal?.dragBorder();
  if (args.has('Z')) {
    if (!window.unzoom()) window.zoom(pane);
    await server.programs.fit(window);
    return server.notices.emit({ name: 'layout-changed', window });
  }
  const [word = '1'] = args.words;
  const amount = wholeNumber(word, 1, 2_147_483_647, 'adjustment');
  const [cols, rows] = [args.value('x'), args.value('y')];
  window.unzoom();
  const { layout } = window;
  if (cols !== undefined) layout.resizePaneTo(pane, 'row', paneSize(cols, window.cols, 'width'));
  if (rows !== undefined) {
    layout.resizePaneTo(pane, 'column', paneSize(rows, window.rows, 'height'));
  }
  for (const [flag, [direction, step]] of Object.entries(sides)) {
    if (args.has(flag)) layout.resizePane(pane, direction, step * amount, true);
  }
  await server.programs.fit(window);
  server.notices.emit({ name: 'layout-changed', window });
}

function paneSize(text: string, total: number, name: string): number {
  if (!text.endsWith('%')) return Math.max(1, wholeNumber(text, 0, 1000, name));
  return Math.max(1, Math.floor((total * wholeNumber(text.slice(0, -1), 0, 100, name)) / 100));
}

async function swapPanes(call: Call, args: Arguments): Promise<void> {
  const { server } = call;
  const target = call.target(args, 'pane');
  const two = target.pane;
  const { panes } = two.window;
  const step = args.has('D') ? 1 : args.has('U') ? -1 : 0;
  const beside = panes[(panes.indexOf(two) + step + panes.length) % panes.length] ?? two;
  const one = step === 0 ? swapSource(call, args) : beside;
  if (one === two) return;
  const [first, second] = [one.window, two.window];
  for (const window of new Set([first, second])) window.unzoom();
  const [firstCell, secondCell] = [first.layout.cellOf(one), second.layout.cellOf(two)];
  if (firstCell === null || secondCell === null) return;
  const wasActive = [one.isActive, two.isActive] as const;
  const before = [first.active, second.active] as const;
  Layout.swap(firstCell, secondCell);
  const [at, to] = [first.panes.indexOf(one), second.panes.indexOf(two)];
  first.panes[at] = two;
  second.panes[to] = one;
  one.window = second;
  two.window = first;
  one.options.inheritFrom(second.options);
  two.options.inheritFrom(first.options);
  if (!args.has('d')) first.select(two);
  else if (wasActive[0]) first.select(first === second ? one : two);
  const isApart = first !== second;
  if (isApart ? !args.has('d') || wasActive[1] : args.has('d') && wasActive[1]) {
    second.select(one);
  }
  if (isApart) {
    first.forget(one);
    second.forget(two);
  }
  server.tellActive(first, before[0]);
  if (isApart) server.tellActive(second, before[1]);
  for (const window of new Set([first, second])) {
    await server.programs.fit(window);
    server.notices.emit({ name: 'layout-changed', window });
  }
}

/** The pane of `-s`, or the marked or current one. */
function swapSource(call: Call, args: Arguments): TmuxPane {
  if (args.has('s')) return call.target(args, 'pane', 's').pane;
  return call.server.marked ?? call.targets.find(undefined, 'pane').pane;
}

async function breakPane(call: Call, args: Arguments): Promise<void> {
  const { server } = call;
  const source = args.has('s')
    ? call.target(args, 'pane', 's')
    : call.targets.find(undefined, 'pane');
  const { pane, link } = source;
  const { session, index: wish } = args.has('t')
    ? call.targets.findIndex(args.value('t'))
    : { session: source.session, index: null };
  const old = link.window;
  const isAlone = old.panes.length === 1;
  const there = wish === null ? null : session.linkAt(wish);
  const isBeside = args.has('a') || args.has('b');
  if (there !== null && !isBeside) throw new TmuxError(`index in use: ${wish}`);
  const index = isBeside
    ? placeFor(there ?? session.current, wish, args)
    : (wish ?? session.freeIndex());
  // A window with one pane goes there itself.
  if (isAlone) {
    if (args.has('n')) nameWindow(server, old, args.value('n') ?? '');
    const moved = putWindow(call, link, session, index, args, { isMoved: true });
    call.onCreate(targetOf(moved));
    return;
  }
  const window = server.emptyWindow({ cols: old.cols, rows: old.rows });
  window.name = nameFor(session, pane.program);
  const before = old.active;
  old.remove(pane);
  server.tellActive(old, before);
  server.notices.emit({ name: 'layout-changed', window: old });
  window.begin(pane);
  pane.window = window;
  pane.options.inheritFrom(window.options);
  if (args.has('n')) nameWindow(server, window, args.value('n') ?? '');
  const added = server.link(session, window, index);
  if (!args.has('d')) server.selectLink(added);
  await server.programs.fit(old);
  await server.programs.fit(window);
  await printNew(call, args, targetOf(added), newPaneFormat);
}

async function joinPane(call: Call, args: Arguments): Promise<void> {
  const { server } = call;
  const target = call.target(args, 'pane');
  const { pane } = target;
  const moved = swapSource(call, args);
  const { window } = pane;
  if (moved === pane) throw new TmuxError("can't join a pane to its own window");
  const old = moved.window;
  const request = splitOf(args, pane);
  window.unzoom();
  if (sizeAfter(pane, request) === null) throw new TmuxError('create pane failed: pane too small');
  const before = old.active;
  if (old.panes.length === 1) server.forgetWindow(old);
  else old.remove(moved);
  server.tellActive(old, before);
  window.layout.split(pane, moved, request);
  moved.options.inheritFrom(window.options);
  window.list(moved, pane, request.before, request.full);
  if (!args.has('d')) {
    activate(call, moved);
    server.selectLink(target.link);
    call.makeCurrent(targetOf(target.link, moved));
  }
  if (old.panes.length > 0 && old !== window) {
    await server.programs.fit(old);
    server.notices.emit({ name: 'layout-changed', window: old });
  }
  await server.programs.fit(window);
  server.notices.emit({ name: 'layout-changed', window });
}

async function respawn(
  call: Call,
  args: Arguments,
  target: Target,
  of: 'pane' | 'window',
): Promise<void> {
  const { server } = call;
  const { session, link } = target;
  const { window } = link;
  const running = (of === 'pane' ? [target.pane] : window.panes).find(({ dead }) => dead === null);
  if (running !== undefined && !args.has('k')) {
    const place = `${session.name}:${link.index}`;
    const name = of === 'pane' ? `pane ${place}.${running.index}` : `window ${place}`;
    throw new TmuxError(`respawn ${of} failed: ${name} still active`);
  }
  const pane = of === 'pane' ? target.pane : (window.panes[0] ?? target.pane);
  if (of === 'window') for (const each of window.panes.slice(1)) server.removePane(each);
  const program = await programOf(call, args, target, pane.program.cwd);
  const words = args.words.length > 0 ? args.words : pane.program.words;
  await server.programs.restart(server, session, pane, { ...program, words });
}
