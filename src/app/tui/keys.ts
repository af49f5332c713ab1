import { keyText } from '#keys';
import type { KeyPress } from '#model';

interface KeyRow {
  /** Short forms as {@link keyText} returns them; the first is the usual one. The leader itself is `leader`. */
  readonly keys: readonly string[];
  /** What the keys do, by its name in the program. */
  readonly command: string;
  /** For the help. Empty if the row before describes it. */
  readonly does: string;
  /** How the help names the keys. Default: each of them. */
  readonly label?: string;
}

/** All keys that do something in attach, ui and the player, by mode, in the order of the help. */
// biome-ignore format: a table
export const keyTable = {
  leader: [
    { keys: ['d'], command: 'detach', does: 'detach: the session goes on' },
    { keys: ['t'], command: 'take', does: 'take over, or give back' },
    { keys: ['T'], command: 'force', does: 'take over from another person at once' },
    { keys: ['w'], command: 'overview', does: 'all sessions' },
    { keys: ['n'], command: 'next', does: 'the next session that needs you' },
    { keys: ['p'], command: 'previous', does: 'the previous session that needs you' },
    { keys: ['['], command: 'scroll', does: 'scroll (also PgUp after the leader, and the wheel)' },
    { keys: ['pageup'], command: 'pageUp', does: '' },
    { keys: ['/'], command: 'search', does: 'search the scrollback, newest first' },
    { keys: ['g'], command: 'grepAll', does: 'search all sessions' },
    { keys: ['c'], command: 'copyMode', does: 'copy: scroll with the cursor where the program has it' },
    { keys: ['o'], command: 'copyOutput', does: 'copy the output of the last command' },
    { keys: ['m'], command: 'mark', does: 'set a marker in the recording' },
    { keys: ['R'], command: 'record', does: 'start or end a recording in a file' },
    { keys: ['r'], command: 'resize', does: 'resize the session to this window' },
    { keys: ['k'], command: 'kill', does: 'kill the program (asks)' },
    { keys: [':'], command: 'command', does: 'run a command of vtr for this session' },
    { keys: ['up'], command: 'panUp', does: 'show another part of a larger session (arrows)' },
    { keys: ['down'], command: 'panDown', does: '' },
    { keys: ['left'], command: 'panLeft', does: '' },
    { keys: ['right'], command: 'panRight', does: '' },
    { keys: ['f'], command: 'follow', does: 'show the part with the cursor again' },
    { keys: ['ctrl+l'], command: 'repaint', does: 'repaint the window' },
    { keys: ['ctrl+z'], command: 'suspend', does: 'suspend vtr' },
    { keys: ['leader', 'b'], command: 'sendLeader', does: 'send the leader itself to the program' },
    { keys: ['?'], command: 'help', does: 'this help' },
  ],
  // Those of less, vi and tmux.
  scroll: [
    { keys: ['up', 'k'], command: 'up', does: 'a row up' },
    { keys: ['down', 'j'], command: 'down', does: 'a row down' },
    { keys: ['left', 'h'], command: 'left', does: 'a column left' },
    { keys: ['right', 'l'], command: 'right', does: 'a column right' },
    { keys: ['pageup', 'ctrl+b'], command: 'pageUp', does: 'a page up' },
    { keys: ['pagedown', 'ctrl+f'], command: 'pageDown', does: 'a page down' },
    { keys: ['ctrl+u'], command: 'halfUp', does: 'half a page up' },
    { keys: ['ctrl+d'], command: 'halfDown', does: 'half a page down' },
    { keys: ['ctrl+y', 'K', 'shift+up'], command: 'rowUp', does: 'scroll a row up' },
    { keys: ['ctrl+e', 'J', 'shift+down'], command: 'rowDown', does: 'scroll a row down' },
    { keys: ['g', 'home'], command: 'first', does: 'the oldest line' },
    { keys: ['G', 'end'], command: 'last', does: 'the newest line' },
    { keys: [':'], command: 'line', does: 'a line by its number' },
    { keys: ['H'], command: 'topRow', does: 'the first row, M the middle, L the last' },
    { keys: ['M'], command: 'middleRow', does: '' },
    { keys: ['L'], command: 'bottomRow', does: '' },
    { keys: ['0'], command: 'rowStart', does: 'the start of the row' },
    { keys: ['$'], command: 'rowEnd', does: 'the end of the row' },
    { keys: ['^'], command: 'firstText', does: 'the first character of the line' },
    { keys: ['w'], command: 'nextWord', does: 'the next word; b the previous one, e its end' },
    { keys: ['b'], command: 'wordBefore', does: '' },
    { keys: ['e'], command: 'wordEnd', does: '' },
    { keys: ['{'], command: 'paragraphBefore', does: 'the previous paragraph; } the next one' },
    { keys: ['}'], command: 'nextParagraph', does: '' },
    { keys: ['[', 'ctrl+up'], command: 'promptBefore', does: 'the previous prompt' },
    { keys: [']', 'ctrl+down'], command: 'nextPrompt', does: 'the next prompt' },
    { keys: ['/'], command: 'search', does: 'search below (RE2)' },
    { keys: ['?'], command: 'searchBack', does: 'search above (RE2)' },
    { keys: ['n'], command: 'nextMatch', does: 'the next match; N in the other direction' },
    { keys: ['N'], command: 'matchBefore', does: '' },
    { keys: ['space', 'v'], command: 'select', does: 'select (also by dragging the mouse)' },
    { keys: ['V'], command: 'selectLines', does: 'select lines' },
    { keys: ['ctrl+v'], command: 'selectBlock', does: 'select a block' },
    { keys: ['enter'], command: 'enter', does: 'copy what is selected' },
    { keys: ['y'], command: 'copy', does: 'copy what is selected, or the line' },
    { keys: ['o'], command: 'output', does: 'copy the output of this command' },
    { keys: ['escape'], command: 'clear', does: 'end the selection, the search, the mode' },
    { keys: ['q', 'ctrl+c'], command: 'leave', does: 'leave' },
    { keys: ['f1'], command: 'help', does: 'this help (also with the leader and ?)' },
  ],
  // The keys of `scroll` without another meaning here begin to scroll.
  ended: [
    { keys: ['enter'], command: 'restart', does: 'start the program again' },
    { keys: ['x'], command: 'remove', does: 'remove the session' },
    { keys: ['['], command: 'scroll', does: 'scroll (as other keys that move)' },
    { keys: ['/'], command: 'search', does: 'search the scrollback, newest first' },
    { keys: ['?'], command: 'help', does: 'this help' },
    { keys: ['q', 'ctrl+c', 'ctrl+d'], command: 'leave', does: 'leave' },
  ],
  list: [
    { keys: ['enter'], command: 'attach', does: 'attach to the session; leader d returns here' },
    { keys: ['t'], command: 'take', does: 'attach and take over' },
    { keys: ['space'], command: 'peek', does: 'show the session in the whole window, read-only' },
    { keys: ['y'], command: 'yes', does: 'answer the question that is shown with y' },
    { keys: ['n'], command: 'no', does: 'answer it with n' },
    { keys: ['i', ':'], command: 'reply', does: 'type a line for the question or prompt' },
    { keys: ['tab'], command: 'mark', does: 'mark; i, y, n, k and x then go to all marked sessions' },
    { keys: ['*'], command: 'markAll', does: 'mark all that are listed, or none' },
    { keys: ['k'], command: 'kill', does: 'end the program; the session stays (asks)' },
    { keys: ['x'], command: 'remove', does: 'end the program and remove the session (asks)' },
    { keys: ['c'], command: 'spawn', does: 'start a shell in the directory of the session' },
    { keys: ['/'], command: 'filter', does: 'filter by name, command, directory, title, label' },
    { keys: ['g'], command: 'search', does: 'search the content of all listed sessions (RE2)' },
    { keys: ['s'], command: 'sort', does: 'sort by attention, name, newest, last active' },
    { keys: ['f'], command: 'states', does: 'list all, wanting, driven, running, at prompt, exited' },
    { keys: ['d'], command: 'directories', does: 'group by directory' },
    { keys: ['up', 'ctrl+p'], command: 'up', does: 'select the session above' },
    { keys: ['down', 'ctrl+n'], command: 'down', does: 'select the session below' },
    { keys: ['pageup'], command: 'pageUp', does: 'a page up' },
    { keys: ['pagedown'], command: 'pageDown', does: 'a page down' },
    { keys: ['home'], command: 'first', does: 'the first session' },
    { keys: ['end'], command: 'last', does: 'the last session' },
    { keys: ['escape'], command: 'clear', does: 'end the filter, the marks, the whole-window preview' },
    { keys: ['ctrl+l'], command: 'repaint', does: 'repaint the window' },
    { keys: ['ctrl+z'], command: 'suspend', does: 'suspend vtr' },
    { keys: ['?', 'f1'], command: 'help', does: 'show the keys' },
    { keys: ['q', 'ctrl+c'], command: 'leave', does: 'leave' },
  ],
  player: [
    { keys: ['space'], command: 'pause', does: 'pause, and go on' },
    { keys: ['.'], command: 'step', does: 'pause, and show the next change' },
    { keys: ['left'], command: 'back', does: 'back 5 seconds' },
    { keys: ['right'], command: 'forward', does: 'forward 5 seconds' },
    { keys: ['['], command: 'previousMarker', does: 'the previous marker' },
    { keys: [']'], command: 'nextMarker', does: 'the next marker' },
    { keys: [...'0123456789'], command: 'tenth', label: '0-9', does: 'the beginning, 10 %, … 90 %' },
    { keys: ['home', 'g'], command: 'begin', does: 'the beginning' },
    { keys: ['end', 'G'], command: 'end', does: 'the end' },
    { keys: ['<'], command: 'slower', does: 'half as fast' },
    { keys: ['>'], command: 'faster', does: 'twice as fast' },
    { keys: ['/'], command: 'search', does: 'search for the next time a text appears' },
    { keys: ['n'], command: 'again', does: 'repeat the search' },
    { keys: ['?'], command: 'help', does: 'this help' },
    { keys: ['ctrl+l'], command: 'repaint', does: 'repaint the window' },
    { keys: ['ctrl+z'], command: 'suspend', does: 'suspend vtr' },
    { keys: ['q', 'ctrl+c'], command: 'quit', does: 'quit' },
  ],
} as const satisfies Readonly<Record<string, readonly KeyRow[]>>;

export type KeyMode = keyof typeof keyTable;

/** The names of what the keys of a mode do. */
export type Command<Mode extends KeyMode> = (typeof keyTable)[Mode][number]['command'];

const rowsOf = (mode: KeyMode): readonly KeyRow[] => keyTable[mode];

const commands = new Map(
  Object.keys(keyTable).map((mode) => [
    mode,
    new Map(rowsOf(mode as KeyMode).flatMap((row) => row.keys.map((key) => [key, row.command]))),
  ]),
);

/**
 * Returns what a key does in a mode; null for nothing.
 *
 * @param leader in the mode `leader`, its key means `leader`, even if it has another row
 */
export function commandOf<Mode extends KeyMode>(
  mode: Mode,
  press: KeyPress,
  leader: KeyPress | null = null,
): Command<Mode> | null {
  const byKey = commands.get(mode);
  const names = leader !== null && isSameKey(press, leader) ? ['leader'] : namesOf(press);
  const command = names.map((name) => byKey?.get(name)).find((found) => found !== undefined);
  return (command as Command<Mode> | undefined) ?? null;
}

export const isSameKey = (one: KeyPress, other: KeyPress): boolean =>
  keyText(one) === keyText(other);

/** On a layout without Latin letters, a key is also the one at the same place of a US keyboard. */
function namesOf(press: KeyPress): string[] {
  const { shiftedKey: _, baseLayoutKey, ...others } = press;
  if (baseLayoutKey === undefined || press.key <= '\x7f') return [keyText(press)];
  return [keyText(press), keyText({ ...others, key: baseLayoutKey })];
}

/** Names of keys that people know under others. */
const labels: Readonly<Record<string, string>> = {
  pageup: 'PgUp',
  pagedown: 'PgDn',
  escape: 'Esc',
};

/** Returns a key as people write it: `Ctrl+b`, `PgUp`. */
export function keyLabel(key: string): string {
  if ([...key].length === 1) return key;
  return key
    .split('+')
    .map((part) => labels[part] ?? (part.length === 1 ? part : capitalized(part)))
    .join('+');
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns the leader and a key as people write them: `Ctrl+b t`. */
export function leaderLabel(leader: KeyPress, key: string): string {
  const name = keyLabel(keyText(leader));
  return `${name} ${key === 'leader' ? name : keyLabel(key)}`;
}

interface KeyHelp {
  /** As people write them, with spaces between them. */
  readonly keys: string;
  readonly does: string;
}

/** Returns the help of a mode. Keys that are the leader are left out: the mode never gets them. */
export function keyHelp(mode: KeyMode, leader: KeyPress | null = null): KeyHelp[] {
  return rowsOf(mode)
    .filter(({ does }) => does !== '')
    .map(({ keys, label, does }) => {
      const [usual = ''] = keys;
      if (mode === 'leader' && leader !== null) return { keys: leaderLabel(leader, usual), does };
      const free = keys.filter((key) => leader === null || key !== keyText(leader));
      return { keys: label ?? free.map(keyLabel).join(' '), does };
    });
}
