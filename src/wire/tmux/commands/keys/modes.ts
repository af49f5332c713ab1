import { spawn } from 'node:child_process';
import type { KeyPress } from '#model';
import { paneRows } from '../../capture/pane-rows.ts';
import { type BoundKey, boundKey, boundPress } from '../../keys/bound-key.ts';
import { runCopyCommand } from '../../modes/copy-commands.ts';
import { CopyGrid } from '../../modes/copy-grid.ts';
import { CopyMode } from '../../modes/copy-mode.ts';
import type { ModeName } from '../../modes/pane-modes.ts';
import { isDirectory } from '../../state/pane-programs.ts';
import type { TmuxServer } from '../../state/tmux-server.ts';
import type { TmuxPane } from '../../state/tmux-window.ts';
import type { Target } from '../../target/target.ts';
import { TmuxError } from '../../tmux-error.ts';
import type { Arguments } from '../../words/arguments.ts';
import { Call, type Command, type Commands } from '../call.ts';
import { shellEnvironment } from '../shell.ts';

/** A command that shows a list or a clock in a pane. There is nobody who sees it; formats tell that it is there. */
const showing = (
  name: ModeName,
  usage: string,
  words: readonly [number, number],
  isEmpty: (server: TmuxServer) => boolean = () => false,
): Command => ({
  usage,
  words,
  run: (call, args) => {
    const { pane } = call.target(args, 'pane');
    if (!isEmpty(call.server)) enter(call.server, pane, name);
  },
});

const listUsage =
  '[-NrZ] [-F format] [-f filter] [-K key-format] [-O sort-order] [-t target-pane] [template]';

export const modeCommands = {
  'choose-buffer': showing(
    'buffer-mode',
    listUsage,
    [0, 1],
    ({ buffers }) => buffers.all.length === 0,
  ),
  'choose-client': showing('client-mode', listUsage, [0, 1], ({ clients }) => clients.size === 0),
  'choose-tree': showing(
    'tree-mode',
    '[-GNrswZ] [-F format] [-f filter] [-K key-format] [-O sort-order] [-t target-pane] [template]',
    [0, 1],
  ),
  'clock-mode': showing('clock-mode', '[-t target-pane]', [0, 0]),
  'customize-mode': showing(
    'options-mode',
    '[-NZ] [-F format] [-f filter] [-t target-pane]',
    [0, 0],
  ),
  'find-window': showing('tree-mode', '[-CiNrTZ] [-t target-pane] match-string', [1, 1]),
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
  if (args.has('M')) throw new TmuxError('no mouse target');
  if (!pane.modes.has('copy-mode')) {
    const read = () => gridOf(call.server, source);
    const { grid, cursor } = await read();
    const copy = new CopyMode(grid, cursor, pane.modes, args.has('e'));
    copy.read = async () => (await read()).grid;
    enter(call.server, pane, 'copy-mode', copy);
  } else enter(call.server, pane, 'copy-mode');
  if (args.has('u')) pane.modes.current?.copy?.page(1, false);
}

/** What a pane shows now, and the rows above it. */
async function gridOf(server: TmuxServer, pane: TmuxPane) {
  const { coordinator } = server.programs;
  const rows = await paneRows(coordinator, pane.session, pane.firstLine);
  const { cursor, size } = await coordinator.screen(pane.session);
  return { grid: new CopyGrid(rows.history, rows.screen, size.cols), cursor };
}

function enter(server: TmuxServer, pane: TmuxPane, name: ModeName, copy: CopyMode | null = null) {
  changed(server, pane, () => pane.modes.enter(name, copy));
}

/** Tells about the mode of a pane if it changes. */
function changed(server: TmuxServer, pane: TmuxPane, change: () => void): void {
  const before = pane.modes.current;
  change();
  if (pane.modes.current === before) return;
  server.notices.emit({ name: 'pane-mode-changed', window: pane.window, pane });
}

/** Ends the mode of a pane. */
const leaveMode = (server: TmuxServer, pane: TmuxPane): void =>
  changed(server, pane, () => pane.modes.leave());

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
    leave: () => leaveMode(server, pane),
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
    if (mode.name === 'clock-mode' || ends.has(name)) leaveMode(call.server, pane);
  }
  return left;
}

async function runBound(call: Call, target: Target, key: BoundKey | null): Promise<void> {
  const { server, caller, output, runner, hook } = call;
  const table = target.pane.options.text('mode-keys') === 'vi' ? 'copy-mode-vi' : 'copy-mode';
  const binding = key === null ? null : server.keys.get(table, key);
  if (binding === null) return;
  const bound = new Call(server, caller, output, runner, hook === null ? null : { hook, target });
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
