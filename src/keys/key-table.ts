interface KeyRow {
  /** Short forms as `keyText` returns them; the first is the usual one. The leader itself is `leader`. */
  readonly keys: readonly string[];
  /** What the keys do, by its name in the program. */
  readonly command: string;
  /** For the help. `{command}` and `{mode.command}` stand for the usual key of another row. */
  readonly does: string;
}

/** All keys that do something in attach, ui and the player, by mode, in the order of the help. */
// biome-ignore format: a table
export const keyTable = {
  /** After the leader. */
  attach: [
    { keys: ['d'], command: 'detach', does: 'detach: the session goes on' },
    { keys: ['t'], command: 'take', does: 'hold the session, or give it back' },
    { keys: ['T'], command: 'force', does: 'take it from another person who holds it' },
    { keys: ['w'], command: 'overview', does: 'all sessions' },
    { keys: ['n'], command: 'next', does: 'the next session that needs you' },
    { keys: ['p'], command: 'previous', does: 'the previous session that needs you' },
    { keys: ['['], command: 'scroll', does: 'scroll by keys (the wheel scrolls, and leaves the keys to the program)' },
    { keys: ['pageup'], command: 'pageUp', does: 'scroll a page up' },
    { keys: ['/'], command: 'search', does: 'search the scrollback, newest first' },
    { keys: ['g'], command: 'grepAll', does: 'search all sessions' },
    { keys: ['c'], command: 'copyMode', does: 'copy: scroll with the cursor where the program has it' },
    { keys: ['o'], command: 'copyOutput', does: 'copy the output of the last command' },
    { keys: ['m'], command: 'mark', does: 'set a marker in the recording' },
    { keys: ['R'], command: 'record', does: 'start or end a recording in a file' },
    { keys: ['r'], command: 'resize', does: 'resize the session to this window' },
    { keys: ['k'], command: 'kill', does: 'kill the program (asks)' },
    { keys: [':'], command: 'command', does: 'run a command of vtr for this session' },
    { keys: ['up'], command: 'panUp', does: 'show a part of a larger session further up' },
    { keys: ['down'], command: 'panDown', does: 'a part further down' },
    { keys: ['left'], command: 'panLeft', does: 'a part further left' },
    { keys: ['right'], command: 'panRight', does: 'a part further right' },
    { keys: ['f'], command: 'follow', does: 'show the part with the cursor again' },
    { keys: ['ctrl+l'], command: 'repaint', does: 'repaint the window' },
    { keys: ['ctrl+z'], command: 'suspend', does: 'suspend vtr' },
    { keys: ['leader', 'b'], command: 'sendLeader', does: 'send the leader itself to the program' },
    { keys: ['?'], command: 'help', does: 'this help' },
  ],
  /** In the scrollback of a session. The keys of less, vi and tmux. */
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
    { keys: ['H'], command: 'topRow', does: 'the first row of the window' },
    { keys: ['M'], command: 'middleRow', does: 'the middle row' },
    { keys: ['L'], command: 'bottomRow', does: 'the last row' },
    { keys: ['0'], command: 'rowStart', does: 'the start of the row' },
    { keys: ['$'], command: 'rowEnd', does: 'the end of the row' },
    { keys: ['^'], command: 'firstText', does: 'the first character of the line' },
    { keys: ['w'], command: 'nextWord', does: 'the next word' },
    { keys: ['b'], command: 'wordBefore', does: 'the previous word' },
    { keys: ['e'], command: 'wordEnd', does: 'the end of the word' },
    { keys: ['{'], command: 'paragraphBefore', does: 'the previous paragraph' },
    { keys: ['}'], command: 'nextParagraph', does: 'the next paragraph' },
    { keys: ['[', 'ctrl+up'], command: 'promptBefore', does: 'the previous prompt' },
    { keys: [']', 'ctrl+down'], command: 'nextPrompt', does: 'the next prompt' },
    { keys: ['/'], command: 'search', does: 'search below (RE2)' },
    { keys: ['?'], command: 'searchBack', does: 'search above (RE2)' },
    { keys: ['n'], command: 'nextMatch', does: 'the next match' },
    { keys: ['N'], command: 'matchBefore', does: 'the next match in the other direction' },
    { keys: ['space', 'v'], command: 'select', does: 'select (also by dragging the mouse)' },
    { keys: ['V'], command: 'selectLines', does: 'select lines' },
    { keys: ['ctrl+v'], command: 'selectBlock', does: 'select a block' },
    { keys: ['enter'], command: 'enter', does: 'copy what is selected' },
    { keys: ['y'], command: 'copy', does: 'copy what is selected, or the line' },
    { keys: ['o'], command: 'output', does: 'copy the output of this command' },
    { keys: ['escape'], command: 'clear', does: 'end the selection, the search, the mode' },
    { keys: ['q', 'ctrl+c'], command: 'leave', does: 'leave' },
    { keys: ['f1'], command: 'help', does: 'this help' },
  ],
  /** After the program of an attached session has ended. Other keys of `scroll` begin to scroll. */
  ended: [
    { keys: ['enter'], command: 'restart', does: 'start the program again' },
    { keys: ['x'], command: 'remove', does: 'remove the session' },
    { keys: ['['], command: 'scroll', does: 'scroll (as other keys that move)' },
    { keys: ['/'], command: 'search', does: 'search the scrollback, newest first' },
    { keys: ['?'], command: 'help', does: 'this help' },
    { keys: ['q', 'ctrl+c', 'ctrl+d'], command: 'leave', does: 'leave' },
  ],
  /** In the lines that the search of all sessions has found, in an attached session. */
  results: [
    { keys: ['enter'], command: 'show', does: 'show the line' },
    { keys: ['up', 'k', 'ctrl+p'], command: 'up', does: 'the line above' },
    { keys: ['down', 'j', 'ctrl+n'], command: 'down', does: 'the line below' },
    { keys: ['pageup', 'ctrl+b'], command: 'pageUp', does: 'a page up' },
    { keys: ['pagedown', 'ctrl+f', 'space'], command: 'pageDown', does: 'a page down' },
    { keys: ['home', 'g'], command: 'first', does: 'the first line' },
    { keys: ['end', 'G'], command: 'last', does: 'the last line' },
    { keys: ['q', 'escape', 'ctrl+c'], command: 'leave', does: 'leave' },
  ],
  /** In the list of all sessions. */
  ui: [
    { keys: ['enter'], command: 'attach', does: 'attach to the session; {attach.detach} returns here' },
    { keys: ['t'], command: 'take', does: 'attach and take over' },
    { keys: ['space'], command: 'peek', does: 'show the session in the whole window, read-only' },
    { keys: ['y'], command: 'yes', does: 'answer the question that is shown with y' },
    { keys: ['n'], command: 'no', does: 'answer it with n' },
    { keys: ['i', ':'], command: 'reply', does: 'type a line for the question or prompt' },
    { keys: ['tab'], command: 'mark', does: 'mark; {reply}, {yes}, {no}, {kill} and {remove} then go to all marked sessions' },
    { keys: ['*'], command: 'markAll', does: 'mark all that are listed, or none' },
    { keys: ['k'], command: 'kill', does: 'end the program; the session stays (asks)' },
    { keys: ['x'], command: 'remove', does: 'end the program and remove the session (asks)' },
    { keys: ['c'], command: 'spawn', does: 'start a shell in the directory of the session' },
    { keys: ['/'], command: 'filter', does: 'filter by name, command, directory, title, label' },
    { keys: ['g'], command: 'search', does: 'search the content of all listed sessions (RE2)' },
    { keys: ['s'], command: 'sort', does: 'sort by need, name, newest, last active' },
    { keys: ['f'], command: 'states', does: 'list all, wanting, driven, running, at prompt, exited' },
    { keys: ['d'], command: 'directories', does: 'group by directory, by each label' },
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
  /** In the lines that a search in the list of all sessions has found. */
  found: [
    { keys: ['enter'], command: 'attach', does: 'attach to the session, at the line' },
    { keys: ['t'], command: 'take', does: 'attach and take over' },
    { keys: ['g', '/'], command: 'search', does: 'search for something else' },
    { keys: ['up', 'ctrl+p'], command: 'up', does: 'the line above' },
    { keys: ['down', 'ctrl+n'], command: 'down', does: 'the line below' },
    { keys: ['pageup'], command: 'pageUp', does: 'a page up' },
    { keys: ['pagedown'], command: 'pageDown', does: 'a page down' },
    { keys: ['home'], command: 'first', does: 'the first line' },
    { keys: ['end'], command: 'last', does: 'the last line' },
    { keys: ['escape', 'q', 'ctrl+c'], command: 'leave', does: 'return to the list' },
  ],
  /** In the player of recordings. */
  play: [
    { keys: ['space'], command: 'pause', does: 'pause, and go on' },
    { keys: ['.'], command: 'step', does: 'pause, and show the next change' },
    { keys: ['left'], command: 'back', does: 'back 5 seconds' },
    { keys: ['right'], command: 'forward', does: 'forward 5 seconds' },
    { keys: ['['], command: 'previousMarker', does: 'the previous marker' },
    { keys: [']'], command: 'nextMarker', does: 'the next marker' },
    { keys: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'], command: 'tenth', does: 'the beginning, 10 %, … 90 %' },
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
  /** In the help of all of them. In that of `ui`, other keys leave, too; any key leaves that of the player. */
  help: [
    { keys: ['up', 'k', 'ctrl+p'], command: 'up', does: 'a row up' },
    { keys: ['down', 'j', 'ctrl+n'], command: 'down', does: 'a row down' },
    { keys: ['pageup', 'ctrl+b'], command: 'pageUp', does: 'a page up' },
    { keys: ['pagedown', 'ctrl+f', 'space'], command: 'pageDown', does: 'a page down' },
    { keys: ['home', 'g'], command: 'first', does: 'the beginning' },
    { keys: ['end', 'G'], command: 'last', does: 'the end' },
    { keys: ['q', 'escape', 'ctrl+c', '?', 'enter'], command: 'leave', does: 'leave the help' },
  ],
  /** At a question of vtr, such as whether to kill the program. */
  confirm: [
    { keys: ['y', 'Y'], command: 'yes', does: 'yes' },
    { keys: ['n', 'N', 'escape', 'q', 'ctrl+c', 'enter'], command: 'no', does: 'no' },
  ],
  /** While a line is typed, such as a pattern. */
  line: [
    { keys: ['enter'], command: 'accept', does: 'use the line' },
    { keys: ['escape', 'ctrl+c'], command: 'cancel', does: 'leave it' },
    { keys: ['up', 'ctrl+p'], command: 'up', does: 'select the session above, while filtering' },
    { keys: ['down', 'ctrl+n'], command: 'down', does: 'select the session below, while filtering' },
  ],
} as const satisfies Readonly<Record<string, readonly KeyRow[]>>;

export type KeyMode = keyof typeof keyTable;

/** The names of what the keys of a mode do. */
export type Command<Mode extends KeyMode> = (typeof keyTable)[Mode][number]['command'];

export const keyRows = (mode: KeyMode): readonly KeyRow[] => keyTable[mode];
