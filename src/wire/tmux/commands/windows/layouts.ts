import { arrange, type PresetName, parseLayout, presetNames } from '#layout';
import { defaultSize, resizeWindow as sized } from '../../state/default-size.ts';
import { maxSize } from '../../state/pane-programs.ts';
import type { TmuxWindow } from '../../state/tmux-window.ts';
import { TmuxError } from '../../tmux-error.ts';
import { type Arguments, wholeNumber } from '../../words/arguments.ts';
import type { Call, Commands } from '../call.ts';

export const layoutCommands = {
  'select-layout': {
    usage: '[-Enop] [-t target-pane] [layout-name]',
    words: [0, 1],
    run: (call, args) => {
      const { window } = call.target(args, 'pane').link;
      if (args.has('n') || args.has('p')) return stepped(call, window, args.has('n') ? 1 : -1);
      return selectLayout(call, args, window);
    },
  },
  'next-layout': {
    usage: '[-t target-window]',
    run: (call, args) => stepped(call, call.target(args, 'window').link.window, 1),
  },
  'previous-layout': {
    usage: '[-t target-window]',
    run: (call, args) => stepped(call, call.target(args, 'window').link.window, -1),
  },
  'rotate-window': {
    usage: '[-DUZ] [-t target-window]',
    run: rotate,
  },
  'resize-window': {
    usage: '[-aADLRU] [-x width] [-y height] [-t target-window] [adjustment]',
    words: [0, 1],
    run: resizeWindow,
  },
} satisfies Commands;

async function selectLayout(call: Call, args: Arguments, window: TmuxWindow): Promise<void> {
  const before = window.layoutText;
  window.unzoom();
  if (args.has('E')) {
    const cell = window.layout.cellOf(call.target(args, 'pane').pane)?.parent;
    cell?.spreadChildren();
    window.layout.fix();
    return changed(call, window);
  }
  const [word = args.has('o') ? (window.oldLayout ?? undefined) : undefined] = args.words;
  const name = word ?? (window.lastPreset === -1 ? undefined : presetNames[window.lastPreset]);
  if (name === undefined) return;
  const names = presetNames.filter((each) => each.startsWith(name));
  const preset =
    presetNames.find((each) => each === name) ?? (names.length === 1 ? names[0] : null);
  if (preset) arrangeAs(window, preset);
  else {
    const problem = parseLayout(window.layout, window.panes, name);
    if (problem !== null) throw new TmuxError(`${problem}: ${name}`);
    window.cols = window.layout.root.cols;
    window.rows = window.layout.root.rows;
  }
  window.oldLayout = before;
  await changed(call, window);
}

function arrangeAs(window: TmuxWindow, preset: PresetName): void {
  const { options, cols, rows } = window;
  const isColumn = preset === 'main-horizontal';
  const total = (isColumn ? rows : cols) - 1;
  const sized = (text: string) =>
    text.endsWith('%')
      ? Math.floor((total * Number(text.slice(0, -1))) / 100) || 0
      : Number(text) || 0;
  const main = sized(options.text(isColumn ? 'main-pane-height' : 'main-pane-width'));
  const other = sized(options.text(isColumn ? 'other-pane-height' : 'other-pane-width'));
  arrange(window.layout, window.panes, preset, { cols, rows }, { main, other });
  window.lastPreset = presetNames.indexOf(preset);
}

async function stepped(call: Call, window: TmuxWindow, step: 1 | -1): Promise<void> {
  const count = presetNames.length;
  const at = window.lastPreset === -1 ? (step === 1 ? 0 : count - 1) : window.lastPreset + step;
  window.unzoom();
  arrangeAs(window, presetNames[(at + count) % count] ?? 'tiled');
  await changed(call, window);
}

async function rotate(call: Call, args: Arguments): Promise<void> {
  const { window } = call.target(args, 'window').link;
  window.unzoom();
  const cells = window.panes.map((pane) => window.layout.cellOf(pane));
  const { panes } = window;
  const before = window.active;
  const active = panes.indexOf(before);
  if (args.has('D')) panes.unshift(...panes.splice(-1));
  else panes.push(...panes.splice(0, 1));
  for (const [at, pane] of panes.entries()) {
    const cell = cells[at];
    if (cell) cell.pane = pane;
  }
  const next = panes[active];
  if (next !== undefined) window.select(next);
  call.server.tellActive(window, before);
  await call.server.programs.fit(window);
}

async function resizeWindow(call: Call, args: Arguments): Promise<void> {
  const { session, link } = call.target(args, 'window');
  const { window } = link;
  const [word = '1'] = args.words;
  const amount = wholeNumber(word, 1, 2_147_483_647, 'adjustment');
  let { cols, rows } = window;
  cols = args.number('x', 1, maxSize) ?? cols;
  rows = args.number('y', 1, maxSize) ?? rows;
  if (args.has('L')) cols -= amount;
  if (args.has('R')) cols += amount;
  if (args.has('U')) rows -= amount;
  if (args.has('D')) rows += amount;
  const followed = args.has('A') ? 'largest' : args.has('a') ? 'smallest' : null;
  if (followed !== null) ({ cols, rows } = defaultSize(call.server, session, followed, window));
  const within = (size: number) => Math.min(Math.max(1, size), maxSize);
  window.options.set('window-size', 'manual');
  await sized(call.server, window, { cols: within(cols), rows: within(rows) });
}

async function changed({ server }: Call, window: TmuxWindow): Promise<void> {
  await server.programs.fit(window);
  server.notices.emit({ name: 'layout-changed', window });
}
