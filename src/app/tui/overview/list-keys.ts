/** What a key does in the list. */
export type ListAction =
  | 'attach'
  | 'take'
  | 'peek'
  | 'yes'
  | 'no'
  | 'reply'
  | 'mark'
  | 'markAll'
  | 'kill'
  | 'remove'
  | 'spawn'
  | 'filter'
  | 'search'
  | 'sort'
  | 'states'
  | 'directories'
  | 'up'
  | 'down'
  | 'pageUp'
  | 'pageDown'
  | 'first'
  | 'last'
  | 'help'
  | 'clear'
  | 'repaint'
  | 'suspend'
  | 'leave';

interface KeyRow {
  readonly action: ListAction;
  readonly keys: readonly string[];
  /** For the help. */
  readonly does: string;
}

/** The keys of the list, in the order of the help. */
// biome-ignore format: a table
export const listKeys: readonly KeyRow[] = [
  { action: 'attach', keys: ['enter'], does: 'attach to the session; leader d returns here' },
  { action: 'take', keys: ['t'], does: 'attach and take over' },
  { action: 'peek', keys: ['space'], does: 'show the session in the whole window, read-only' },
  { action: 'yes', keys: ['y'], does: 'answer the question that is shown with y' },
  { action: 'no', keys: ['n'], does: 'answer it with n' },
  { action: 'reply', keys: ['i', ':'], does: 'type a line for the question or prompt' },
  { action: 'mark', keys: ['tab'], does: 'mark; i, y, n, k and x then go to all marked sessions' },
  { action: 'markAll', keys: ['*'], does: 'mark all that are listed, or none' },
  { action: 'kill', keys: ['k'], does: 'end the program; the session stays (asks)' },
  { action: 'remove', keys: ['x'], does: 'end the program and remove the session (asks)' },
  { action: 'spawn', keys: ['c'], does: 'start a shell in the directory of the session' },
  { action: 'filter', keys: ['/'], does: 'filter by name, command, directory, title, label' },
  { action: 'search', keys: ['g'], does: 'search the content of all listed sessions (RE2)' },
  { action: 'sort', keys: ['s'], does: 'sort by attention, name, newest, last active' },
  { action: 'states', keys: ['f'], does: 'list all, wanting, driven, running, at prompt, exited' },
  { action: 'directories', keys: ['d'], does: 'group by directory' },
  { action: 'up', keys: ['up', 'ctrl+p'], does: 'select the session above' },
  { action: 'down', keys: ['down', 'ctrl+n'], does: 'select the session below' },
  { action: 'pageUp', keys: ['pageup'], does: 'a page up' },
  { action: 'pageDown', keys: ['pagedown'], does: 'a page down' },
  { action: 'first', keys: ['home'], does: 'the first session' },
  { action: 'last', keys: ['end'], does: 'the last session' },
  { action: 'clear', keys: ['escape'], does: 'end the filter, the marks, the whole-window preview' },
  { action: 'repaint', keys: ['ctrl+l'], does: 'paint the window again' },
  { action: 'suspend', keys: ['ctrl+z'], does: 'suspend vtr' },
  { action: 'help', keys: ['?', 'f1'], does: 'show the keys' },
  { action: 'leave', keys: ['q', 'ctrl+c'], does: 'leave' },
];

const actions: ReadonlyMap<string, ListAction> = new Map(
  listKeys.flatMap(({ action, keys }) => keys.map((key) => [key, action] as const)),
);

/** Returns what a key, in its short form, does in the list; undefined for none. */
export const actionOf = (key: string): ListAction | undefined => actions.get(key);
