import { defined } from '#base';
import { keyText } from '#keys';
import type { TtyKey } from '#tty';
import type { Command, KeyMatch } from '../keys.ts';
import type { OverviewModel } from './model.ts';

/** What the keys of the panes do in a session of tmux, where no key of tmux does. */
export const tmuxCommands: Readonly<Partial<Record<Command<'panes'>, string>>> = {
  splitRight: 'split-window -h',
  splitDown: 'split-window -v',
  left: 'select-pane -L',
  down: 'select-pane -D',
  up: 'select-pane -U',
  right: 'select-pane -R',
  next: 'select-pane -t :.+',
  previous: 'select-pane -t :.-',
  last: 'last-pane',
  swapNext: 'swap-pane -D',
  swapPrevious: 'swap-pane -U',
  swapLeft: "swap-pane -d -t '{left-of}'",
  swapDown: "swap-pane -d -t '{down-of}'",
  swapUp: "swap-pane -d -t '{up-of}'",
  swapRight: "swap-pane -d -t '{right-of}'",
  newTab: 'new-window',
  nextTab: 'next-window',
  previousTab: 'previous-window',
  lastTab: 'last-window',
  toTab: 'break-pane',
  zoom: 'resize-pane -Z',
  arrange: 'next-layout',
  kill: "confirm-before -p 'kill-pane #P? (y/n)' kill-pane",
  close: "confirm-before -p 'kill-pane #P? (y/n)' kill-pane",
  rename: "command-prompt -I '#S' \"rename-session -- '%%'\"",
  mark: 'set-option -w synchronize-panes',
  markAll: 'set-option -w synchronize-panes',
};

/** The commands that are for the window of `vtr ui`, whatever tmux does by their keys. */
const ofWindow: ReadonlySet<Command<'panes'>> = new Set([
  'bar',
  'narrower',
  'wider',
  'barKeys',
  'list',
  'name',
  'leave',
  'help',
  'moveTabLeft',
  'moveTabRight',
]);

/** The keys of the tabs, with each preset: without Alt, they are those of the windows of tmux. */
const ofTabs: ReadonlyMap<string, Command<'panes'>> = new Map<string, Command<'panes'>>([
  ['alt+n', 'nextTab'],
  ['alt+p', 'previousTab'],
  ['alt+l', 'lastTab'],
  ['A', 'renameTab'],
  ...Array.from({ length: 9 }, (_, at) => [`alt+${at + 1}`, 'tab'] as const),
]);

/** Whether a command is one of the tabs of `vtr ui`. */
export const isOfTabs = (command: Command<'panes'>): boolean =>
  [...ofTabs.values()].includes(command);

/** Returns what a key after the leader does with the window of `vtr ui`; null if it is for tmux. */
export function windowMatch({ keys }: OverviewModel, { press }: TtyKey): KeyMatch<'panes'> | null {
  const name = keyText(press);
  const ofTab = ofTabs.get(name);
  if (ofTab !== undefined) return { command: ofTab, name, at: 0 };
  const match = keys.afterLeader('panes', [press]);
  return match !== null && match !== 'more' && ofWindow.has(match.command) ? match : null;
}

/** Returns what a key after the leader is for a session of tmux: the key after the prefix. */
export function tmuxKey({ keys }: OverviewModel, { press }: TtyKey) {
  const command = keys.command('panes', press);
  const own = command === null ? undefined : tmuxCommands[command];
  const otherwise = keys.isLeader(press) ? typedKey(keyText(press)) : own;
  return { type: 'key', press, table: 'prefix', ...defined({ otherwise }) } as const;
}

/** The leader twice is for the program, also if it is not the prefix. */
function typedKey(text: string): string | undefined {
  const [, letter] = /^ctrl\+(.)$/.exec(text) ?? [];
  return letter === undefined ? undefined : `send-keys C-${letter}`;
}
