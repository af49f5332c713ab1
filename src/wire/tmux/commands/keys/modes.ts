import { spawn } from 'node:child_process';
import { type KeyPress, plainStyle } from '#model';
import { textCells } from '#vt/widths';
import { paneRows, type Row } from '../../capture/pane-rows.ts';
import { type BoundKey, boundKey, boundPress } from '../../keys/bound-key.ts';
import { runCopyCommand } from '../../modes/copy-commands.ts';
import { CopyGrid } from '../../modes/copy-grid.ts';
import { CopyMode } from '../../modes/copy-mode.ts';
import type { ListMode } from '../../modes/list-mode.ts';
import type { ModeName, PaneModes } from '../../modes/pane-modes.ts';
import type { MousePlace } from '../../state/client-terminal.ts';
import { isDirectory } from '../../state/pane-programs.ts';
import type { TmuxServer } from '../../state/tmux-server.ts';
import type { TmuxPane, TmuxWindow } from '../../state/tmux-window.ts';
import type { Target } from '../../target/target.ts';
import { TmuxError } from '../../tmux-error.ts';
import type { Arguments } from '../../words/arguments.ts';
import { Call, type Command, type Commands } from '../call.ts';
import { shellEnvironment } from '../shell.ts';
import { optionsMode } from './customize.ts';
import { bufferMode, clientMode, treeMode } from './lists.ts';

/** A command that shows a list or a clock in a pane. @param list what it lists; null if nobody can choose */
const showing = (
  name: ModeName,
  usage: string,
  words: readonly [number, number],
  list: ((call: Call, args: Arguments, target: Target) => ListMode) | null = null,
): Command => ({
  usage,
  words,
  run: async (call, args) => {
    const target = call.target(args, 'pane');
    const { server } = call;
    const isEmpty =
      (name === 'buffer-mode' && server.buffers.all.length === 0) ||
      (name === 'client-mode' && server.clients.size === 0);
    if (isEmpty) return;
    const { pane } = target;
    const { window } = pane;
    const zooms = args.has('Z') && window.zoom(pane);
    enter(server, pane, name, { list: list?.(call, args, target) ?? null, zooms });
    if (zooms) await fitted(server, window);
  },
});

const listUsage =
  '[-NrZ] [-F format] [-f filter] [-K key-format] [-O sort-order] [-t target-pane] [template]';

export const modeCommands = {
  'choose-buffer': showing('buffer-mode', listUsage, [0, 1], bufferMode),
  'choose-client': showing('client-mode', listUsage, [0, 1], clientMode),
  'choose-tree': showing(
    'tree-mode',
    '[-GNrswZ] [-F format] [-f filter] [-K key-format] [-O sort-order] [-t target-pane] [template]',
    [0, 1],
    treeMode,
  ),
  'clock-mode': showing('clock-mode', '[-t target-pane]', [0, 0]),
  'customize-mode': showing(
    'options-mode',
    '[-NZ] [-F format] [-f filter] [-t target-pane]',
    [0, 0],
    optionsMode,
  ),
  'find-window': showing('tree-mode', '[-CiNrTZ] [-t target-pane] match-string', [1, 1], treeMode),
  'copy-mode': {
    usage: '[-eHMuq] [-s src-pane] [-t target-pane]',
    run: copyMode,
  },
} satisfies Commands;

async function copyMode(call: Call, args: Arguments): Promise<void> {
  const { pane } = call.target(args, 'pane');
  if (args.has('q')) {
    changed(call.server, pane, () => pane.modes.leaveAll());
    return;
  }
  const source = args.has('s') ? call.target(args, 'pane', 's').pane : pane;
  const mouse = args.has('M') ? mouseIn(call, pane) : null;
  if (args.has('M') && mouse === null) throw new TmuxError('no mouse target');
  if (!pane.modes.has('copy-mode')) {
    const read = () => gridOf(call.server, source);
    const { grid, cursor } = await read();
    const copy = new CopyMode(grid, cursor, pane.modes, args.has('e'));
    copy.read = async () => (await read()).grid;
    enter(call.server, pane, 'copy-mode', { copy });
  } else enter(call.server, pane, 'copy-mode');
  const { copy = null } = pane.modes.current ?? {};
  if (args.has('H') && copy !== null) copy.isPositionHidden = true;
  if (args.has('u')) copy?.page(1, false);
  if (mouse !== null && copy !== null) beginDrag(call, pane, copy, mouse);
}

/** Where the mouse is in a pane, for a key of the mouse; null if it is elsewhere. */
function mouseIn({ caller }: Call, pane: TmuxPane): MousePlace | null {
  const mouse = caller.client?.terminal?.mouse ?? null;
  return mouse?.pane === pane ? mouse : null;
}

/** Selects from the place of the mouse on, until its button is released. */
function beginDrag({ caller }: Call, pane: TmuxPane, copy: CopyMode, mouse: MousePlace): void {
  copy.goToPlace(mouse.paneCol, mouse.paneRow);
  copy.beginSelection();
  caller.client?.terminal?.drag(pane);
}

/** Shows lines in a pane, in the place of its program. */
export function viewLines(server: TmuxServer, pane: TmuxPane, lines: readonly string[]): void {
  const { cols, rows } = pane;
  const all = lines.flatMap((line) => wrappedLine(line, cols));
  while (all.length < rows) all.push({ cells: [], used: 0, wrapped: false });
  const grid = new CopyGrid(all.slice(0, -rows), all.slice(-rows), cols);
  const copy = new CopyMode(grid, { col: 0, row: 0 }, pane.modes, false);
  copy.show(grid.above);
  changed(server, pane, () => {
    if (pane.modes.current?.name === 'view-mode') pane.modes.leave();
    pane.modes.enter('view-mode', { copy });
  });
}

function wrappedLine(line: string, cols: number): Row[] {
  const cells = textCells(
    line.replaceAll('\t', '        ').replace(/[\x00-\x1f\x7f]/g, ''),
    plainStyle,
  );
  const rows: Row[] = [];
  for (let from = 0; from === 0 || from < cells.length; from += cols) {
    const part = cells.slice(from, from + cols);
    rows.push({ cells: part, used: part.length, wrapped: from + cols < cells.length });
  }
  return rows;
}

/** What a pane shows now, and the rows above it. */
async function gridOf(server: TmuxServer, pane: TmuxPane) {
  const { coordinator } = server.programs;
  const rows = await paneRows(coordinator, pane.session, pane.firstLine);
  const { cursor, size } = await coordinator.screen(pane.session);
  return { grid: new CopyGrid(rows.history, rows.screen, size.cols), cursor };
}

function enter(
  server: TmuxServer,
  pane: TmuxPane,
  name: ModeName,
  of: Parameters<PaneModes['enter']>[1] = {},
): void {
  changed(server, pane, () => pane.modes.enter(name, of));
}

/** Tells about the mode of a pane if it changes. */
function changed(server: TmuxServer, pane: TmuxPane, change: () => void): void {
  const before = pane.modes.current;
  change();
  if (pane.modes.current === before) return;
  server.notices.emit({ name: 'pane-mode-changed', window: pane.window, pane });
}

/** Ends the mode of a pane, and the zoom that it has made. */
export async function leaveMode(server: TmuxServer, pane: TmuxPane): Promise<void> {
  const { current } = pane.modes;
  changed(server, pane, () => pane.modes.leave());
  if (current?.zooms && pane.window.unzoom()) await fitted(server, pane.window);
}

/** Gives the panes of a window their places after a zoom. */
async function fitted(server: TmuxServer, window: TmuxWindow): Promise<void> {
  await server.programs.fit(window);
  server.notices.emit({ name: 'layout-changed', window });
}

/** Runs a command of copy mode: `send-keys -X`. @throws TmuxError if the pane is not in it */
export async function copyCommand(
  call: Call,
  target: Target,
  [name = '', ...words]: readonly string[],
  how: { readonly times: number; readonly isFormat: boolean },
): Promise<void> {
  const { server } = call;
  const { session, pane } = target;
  const mode = pane.modes.current?.copy ?? null;
  if (mode === null) throw new TmuxError('not in a mode');
  mode.options = {
    isVi: pane.options.text('mode-keys') === 'vi',
    wrapsSearch: pane.options.isOn('wrap-search'),
    separators: session.options.text('word-separators'),
  };
  const mouse = name === 'begin-selection' ? mouseIn(call, pane) : null;
  if (mouse !== null) return beginDrag(call, pane, mode, mouse);
  const atMouse = name === 'select-word' || name === 'select-line' ? mouseIn(call, pane) : null;
  if (atMouse !== null) mode.goToPlace(atMouse.paneCol, atMouse.paneRow);
  const limit = server.options.number('buffer-limit');
  const copied = () => {
    if (server.options.text('set-clipboard') === 'off') return;
    server.notices.emit({ name: 'pane-set-clipboard', window: pane.window, pane });
  };
  await runCopyCommand(name, {
    mode,
    words,
    ...how,
    expand: (format) => call.expand(format, target),
    keep: (text, prefix) => {
      if (text === '') return;
      copied();
      server.buffers.add(text, limit, server.nowMs(), prefix);
    },
    append: (text) => {
      if (text === '') return;
      copied();
      const [latest] = server.buffers.all;
      if (latest === undefined) server.buffers.add(text, limit, server.nowMs());
      else latest.text += text;
    },
    pipe: (text, command) => {
      const line = command === '' ? server.options.text('copy-command') : command;
      if (line !== '') pipeText(call, target, text, line);
    },
    refresh: async () => mode.refresh(await mode.read()),
    leave: () => changed(server, pane, () => pane.modes.leave()),
  });
}

/** Starts a shell command that gets a text. Nothing waits for its end. */
function pipeText({ server }: Call, target: Target, text: string, command: string): void {
  const env = shellEnvironment(server, target);
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: [env['HOME'] ?? '/'].find(isDirectory) ?? '/',
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', ({ message }) => server.messages.push(`${command}: ${message}`));
  // A command need not read its input. Without a free file descriptor there is no pipe.
  child.stdin?.on('error', () => {});
  child.stdin?.end(text);
  server.programs.own(child);
}

/** A part of what is typed: bytes, text, or keys. */
export type Part = string | KeyPress | number;

/** These end a list or the clock; there is nobody who would choose from a list. */
const ends: ReadonlySet<string> = new Set(['q', 'Escape', 'C-c', 'C-g']);

/**
 * Types into the mode of a pane. In copy mode keys do what they are bound to, when all of them have been read, as
 * with tmux: also those after one that ends the mode.
 *
 * @returns what is left for the program, after the key that has ended another mode
 */
export async function typeInModes(
  call: Call,
  target: Target,
  parts: readonly Part[],
): Promise<readonly Part[]> {
  const { pane } = target;
  let left = parts.flatMap((part): readonly Part[] =>
    typeof part === 'string' ? [...part] : [part],
  );
  for (let mode = pane.modes.current; mode !== null; mode = pane.modes.current) {
    if (mode.copy !== null) {
      for (const part of left) await runBound(call, target, keyOfPart(part));
      return [];
    }
    const [part, ...rest] = left;
    // As with tmux, these modes take keys only while a client is attached.
    if (part === undefined || call.server.clients.size === 0) return [];
    left = rest;
    const name = keyOfPart(part)?.name ?? '';
    if (mode.list !== null) await pressInList(call, pane, mode.list, name);
    else if (mode.name === 'clock-mode' || ends.has(name)) await leaveMode(call.server, pane);
  }
  return left;
}

/** Types a key in a list. */
export async function pressInList(
  call: Call,
  pane: TmuxPane,
  list: ListMode,
  key: string,
): Promise<void> {
  await list.read();
  const act = list.press(key);
  const { terminal = null } = call.caller.client ?? {};
  if (act.type === 'leave') await leaveMode(call.server, pane);
  else if (act.type === 'run') {
    if (act.leaves) await leaveMode(call.server, pane);
    await call.runner.runText(act.commands, call);
    if (list.options.isOver?.() && pane.modes.current?.list === list) {
      await leaveMode(call.server, pane);
    }
  } else if (act.type === 'ask' && terminal !== null) {
    const about = { text: act.question, input: '', kind: 'command', takes: 'character' } as const;
    const answer = await terminal.ask(about);
    if (answer?.toLowerCase() === 'y') await call.runner.runText(act.commands, call);
  } else if (act.type === 'edit' && terminal !== null) {
    const { question, input } = act;
    const about = { text: question, input, kind: 'command', takes: 'text' } as const;
    const text = await terminal.ask(about);
    if (text !== null && text !== '') await call.runner.runText(act.commandsFor(text), call);
  } else if (act.type === 'search' && terminal !== null) {
    const about = { text: '(search) ', input: '', kind: 'search', takes: 'text' } as const;
    list.search = (await terminal.ask(about)) ?? '';
    list.find(1);
  } else if (act.type === 'filter' && terminal !== null) {
    const input = list.order.filter ?? '';
    const filter = await terminal.ask({ text: '(filter) ', input, kind: 'search', takes: 'text' });
    if (filter !== null) list.order = { ...list.order, filter: filter === '' ? null : filter };
  } else if (act.type === 'command' && terminal !== null) {
    const about = { text: act.question, input: '', kind: 'command', takes: 'text' } as const;
    const command = await terminal.ask(about);
    if (command === null || command === '') return;
    const lines = act.targets.map((target) =>
      command.replace('%%', target).replaceAll('%1', target),
    );
    await call.runner.runText(lines.join('\n'), call);
  }
}

async function runBound(call: Call, target: Target, key: BoundKey | null): Promise<void> {
  const { server, caller, output, runner } = call;
  const table = target.pane.options.text('mode-keys') === 'vi' ? 'copy-mode-vi' : 'copy-mode';
  const binding = key === null ? null : server.keys.get(table, key);
  if (binding === null) return;
  const bound = new Call(server, caller, output, runner, call.hookAbout(target));
  bound.makeCurrent(target);
  await runner.runText(binding.commands, bound);
}

function keyOfPart(part: Part): BoundKey | null {
  if (typeof part === 'object') return boundPress(part);
  if (typeof part === 'string') return boundKey(part);
  if (part === 27) return boundKey('Escape');
  if (part < 32) return boundKey(`C-${String.fromCharCode(part + 96)}`);
  return boundKey(String.fromCharCode(part));
}
