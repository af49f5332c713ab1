/** A step of a person at a terminal in which `tmux` runs. */
export interface ClientStep {
  /** What the person types, as the terminal sends it. */
  readonly types?: string;
  /** A command line that a program runs elsewhere. */
  readonly runs?: string;
  /** A row of the screen after it matches this. */
  readonly shows: RegExp;
  /** What is typed may leave the screen as it is. */
  readonly isSame?: true;
}

export interface ClientCase {
  /** Lines of the configuration. */
  readonly config?: readonly string[];
  /** The words of the first command. Default: a session `s` with `cat` in its window. */
  readonly begins?: string;
  readonly steps: readonly ClientStep[];
}

const prefix = '\x02';
const typed = (types: string, shows: RegExp): ClientStep => ({ types, shows });
const typedUnseen = (types: string, shows: RegExp): ClientStep => ({ types, shows, isSame: true });
const ran = (runs: string, shows: RegExp): ClientStep => ({ runs, shows });

const begun = /^\[s\] 0:\S+\*/;
const off = ['set -g status off'];
/** Values that tmux takes from where it runs. */
const customized = [
  'set -s default-terminal tmux-256color',
  'set -s editor /usr/bin/vi',
  'set -g default-shell /bin/sh',
  'set -g display-time 0',
];
const text = (words: string) => `printf '${words}'; exec cat`;
/** In a list: looks for a name. */
const search = (name: string, shows: RegExp): readonly ClientStep[] => [
  typed('\x13', /^\(search\)/),
  typed(`${name}\r`, shows),
];
/** In a list of options and keys: a key asks for a value, which is typed. */
const edit = (key: string, asks: string, value: string, shows: RegExp): readonly ClientStep[] => [
  typed(key, new RegExp(`^\\(${asks}`)),
  typed(`\x15${value}\r`, shows),
];
/** A window with three panes, each with a text. */
const threePanes = [
  ran(`split-window -h -t s "${text('right')}"`, /right/),
  ran(`split-window -v -t s "${text('below')}"`, /below/),
];
const mouse = (button: number, row: number, col: number, end: 'M' | 'm' = 'M') =>
  `\x1b[<${button};${col + 1};${row + 1}${end}`;

/**
 * What a person sees who attaches to a session, types and runs commands: compared with tmux 3.3a in a terminal of the
 * same size, cell by cell.
 */
export const clientCases: Readonly<Record<string, ClientCase>> = {
  'a pane and the status line': {
    steps: [typed('', begun), typed('hello\r', /^hello$/), typed('\x15abc\x7fd', /^abd/)],
  },
  'the contract: panes without a status line': {
    config: off,
    steps: [
      typed('first', /^first/),
      ...threePanes,
      typed(`${prefix}o`, /below/),
      typed('typed', /typed/),
      ran('select-pane -t s:0.1', /right/),
      ran('resize-pane -t s:0.1 -x 20', /right/),
      ran('resize-pane -t s:0.1 -Z', /^right/),
      ran('resize-pane -t s:0.1 -Z', /first.*│/),
      ran('kill-pane -t s:0.2', /right/),
    ],
  },
  'splits and moves by keys': {
    steps: [
      typed('', begun),
      typed(`${prefix}%`, /│/),
      typed(`${prefix}"`, /├/),
      typed(`${prefix}\x1b[D`, /│/),
      typed('in the first', /in the first/),
      typed(`${prefix}z`, /^\[s\] 0:\S+\*Z/),
      typed(`${prefix}z`, /├/),
      typed(`${prefix} `, /│/),
      typed(`${prefix} `, /─/),
    ],
  },
  'layouts of four panes': {
    config: [...off, 'set -g main-pane-width 30', 'set -g main-pane-height 9'],
    steps: [
      ...threePanes,
      ran(`split-window -t s "${text('fourth')}"`, /fourth/),
      ran('select-layout -t s tiled', /fourth/),
      ran('select-layout -t s even-horizontal', /│.*│.*│/),
      ran('select-layout -t s even-vertical', /fourth/),
      ran('select-layout -t s main-vertical', /├/),
      ran('select-layout -t s main-horizontal', /┬/),
      ran('swap-pane -t s:0.0 -s s:0.1', /right/),
      ran('rotate-window -t s', /right/),
    ],
  },
  'lines and colours of borders': {
    steps: [
      ...threePanes,
      ran('set -g pane-border-lines heavy', /┃/),
      ran('set -g pane-border-lines double', /║/),
      ran('set -g pane-border-lines simple', /\+/),
      ran('set -g pane-border-lines single', /├/),
      ran('set -g pane-border-style fg=red,bg=blue', /├/),
      ran('set -g pane-active-border-style fg=colour208,bold', /├/),
      ran('select-pane -m -t s:0.0', /├/),
    ],
  },
  'styles of panes': {
    steps: [
      ...threePanes,
      ran("set -g window-style 'fg=colour250,bg=colour235'", /├/),
      ran("set -g window-active-style 'bg=black'", /├/),
      ran("select-pane -t s:0.0 -P 'bg=blue'", /├/),
    ],
  },
  'windows in the status line': {
    steps: [
      typed('', begun),
      typed(`${prefix}c`, /1:\S+\*/),
      ran('rename-window -t s:1 made', /1:made\*/),
      typed(`${prefix}p`, /0:\S+\*/),
      typed(`${prefix}l`, /1:made\*/),
      typed(`${prefix}0`, /0:\S+\*/),
      ran('new-window -d -t s:5 -n five cat', /5:five/),
      typed(`${prefix}n`, /1:made\*/),
      ran('swap-window -d -s s:5 -t s:0', /0:five/),
      ran('kill-window -t s:1', /0:five/),
    ],
  },
  'more windows than fit': {
    steps: [
      ...Array.from({ length: 14 }, (_none, at) =>
        ran(`new-window -t s -n window-${at} cat`, new RegExp(`window-${at}\\*`)),
      ),
      typed(`${prefix}0`, /0:\S+\*/),
      ran('select-window -t s:7', /window-6\*/),
    ],
  },
  'styles and places of the status line': {
    steps: [
      typed('', begun),
      ran('set -g status-position top', begun),
      ran('set -g status-style bg=blue,fg=white,bold', begun),
      ran("set -g status-left '#[fg=red,bg=default]<#S>#[default] '", /^<s>/),
      ran("set -g status-right '#{window_width}x#{window_height} #[reverse]#I'", /80x23 0$/),
      ran('set -g status-justify centre', /sh|cat/),
      ran('set -g status-justify right', /sh|cat/),
      ran('set -g status-justify absolute-centre', /sh|cat/),
      ran("set -g window-status-current-style 'fg=yellow,underscore'", /sh|cat/),
      ran("set -g window-status-format '#I|#W'", /sh|cat/),
      ran('new-window -d -t s cat', /1\|/),
      ran("set -g window-status-separator ' / '", / \/ /),
      ran('set -g status 2', /0\[80x22\]/),
      ran("set -g status-format[1] '#[align=right]last#[align=centre]mid#[fill=red]'", /last$/),
      ran('set -g status-position bottom', /last$/),
      ran('set -g status off', /^$/),
    ],
  },
  'questions before a pane and a window end': {
    steps: [
      ...threePanes,
      typed(`${prefix}x`, /^kill-pane \d\? \(y\/n\)/),
      typed('n', /├/),
      typed(`${prefix}x`, /^kill-pane \d\? \(y\/n\)/),
      typed('y', /^\[s\]/),
      typed(`${prefix}&`, /^kill-window \S+\? \(y\/n\)/),
      typed('n', /^\[s\]/),
    ],
  },
  'the prompt for commands': {
    steps: [
      typed('', begun),
      typed(`${prefix}:`, /^:/),
      typed('split-windoww', /^:split-windoww/),
      typed('\x7f -h cat\x01', /^:split-window -h cat/),
      typed('\x06\x06', /^:split-window -h cat/),
      typed('\r', /│/),
      typed(`${prefix}:`, /^:/),
      typed('\x1b[A', /^:split-window -h cat/),
      typed('\x15', /^:$/),
      typed('nonsense\r', /^Unknown command: nonsense/),
      typed(`${prefix},`, /^\(rename-window\) \S+/),
      typed('\x15new name\r', /0:new name\*/),
      typed(`${prefix}$`, /^\(rename-session\) s/),
      typed('2\r', /^\[s2\]/),
    ],
  },
  messages: {
    config: ['set -g display-time 0'],
    steps: [
      typed('', begun),
      ran("display-message -t s 'one message'", /^one message/),
      typed('x', /^\[s\]/),
      ran('set -g message-style fg=white,bg=red', begun),
      ran("display-message -t s '#[fg=green]styled #{session_name}'", /^styled s/),
      typed(' ', /^\[s\]/),
      ran('set -g status off', /^x/),
      ran("display-message -t s 'over the pane'", /^over the pane/),
    ],
  },
  'numbers of panes': {
    steps: [...threePanes, ran('display-panes -d 0', /40x23/), typed('1', /right/)],
  },
  'a menu': {
    steps: [
      typed('', begun),
      ran(
        "display-menu -t s -T ' #[bold]Title ' -x C -y C One 1 'set -g @a 1' '' '' -Off '' '' 'Much longer item' l 'rename-window menu'",
        /Much longer item/,
      ),
      typed('j', /Much longer item/),
      typed('\r', /0:menu\*/),
      typed(`${prefix}>`, /Horizontal Split/),
      typed('q', /0:menu\*/),
      typed(`${prefix}<`, /Swap Left/),
      typed('q', /0:menu\*/),
    ],
  },
  'a popup': {
    steps: [
      ...threePanes,
      ran(
        `display-popup -t s -E -w 40 -h 10 -T 'a title' "${text('in the popup')}"`,
        /in the popup/,
      ),
      typed('typed', /typed/),
      typed('\x04\x04', /├/),
      ran('display-popup -t s -w 50% -h 50% -b rounded "printf ended"', /ended/),
      typed('\x03', /├/),
      ran(`display-popup -t s -B -x 3 -y 9 -w 20 -h 5 -s bg=red "${text('plain')}"`, /plain/),
      typed('\x03', /├/),
    ],
  },
  'copy mode': {
    begins: `new-session -s s "seq 100; exec cat"`,
    steps: [
      typed('', /^100$/),
      typed(`${prefix}[`, /\[0\/\d+\]$/),
      typed('\x1b[A\x1b[A', /\[0\/\d+\]$/),
      typed('\x00\x1b[A\x1b[A\x1b[C', /\[0\/\d+\]$/),
      typed('\x07', /\[0\/\d+\]$/),
      typed('\x1bw', /^100$/),
      typed(`${prefix}[`, /\[0\/\d+\]$/),
    ],
  },
  'copy mode with keys of vi': {
    config: ['set -g mode-keys vi'],
    begins: `new-session -s s "printf 'one two  three\\nfour (five) six\\nseven'; exec cat"`,
    steps: [
      typed('', /^seven$/),
      typed(`${prefix}[`, /\[0\/0\]$/),
      typed('kk0 ', /\[0\/0\]$/),
      typed('wl', /\[0\/0\]$/),
      typedUnseen('v', /\[0\/0\]$/),
      typed('j', /\[0\/0\]$/),
      typed('V', /\[0\/0\]$/),
      typed('\r', /^seven$/),
      // It shows that the mode has ended, before the next one begins.
      typed('x', /^sevenx$/),
      typed(`${prefix}[`, /\[0\/0\]$/),
      typed('/', /^\(search down\)/),
      typed('o\r', /results\) \[/),
      typed('n', /results\) \[/),
      typed('2', /^\(repeat\) 2/),
      typed('h', /results\) \[/),
      typed('q', /^sevenx$/),
    ],
  },
  'lines and rectangles that keys of vi copy': {
    config: ['set -g mode-keys vi'],
    begins: `new-session -s s "seq 60; printf 'one two  three\\nfour (five) six\\nseven'; exec cat"`,
    steps: [
      typed('', /^seven$/),
      typed(`${prefix}[`, /\[0\/\d+\]$/),
      typed('kk0 wlvjV', /\[0\/\d+\]$/),
      typed(`\r${prefix}]`, /^four/),
      typed(`${prefix}[k0 `, /\[0\/\d+\]$/),
      // In tmux, a key that comes with the number before it misses the prompt.
      typed('2', /^\(repeat\) 2/),
      typed('e', /^\[s\]/),
      typed('oV', /\[0\/\d+\]$/),
      typed('2', /^\(repeat\) 2/),
      typed('j', /^\[s\]/),
      typed('o', /\[0\/\d+\]$/),
      typed('\x15', /\[\d+\/\d+\]$/),
      typed('D', /^\[s\]/),
      typed(`${prefix}]`, /^\[s\]/),
    ],
  },
  'what commands print': {
    steps: [
      typed('', begun),
      typed(`${prefix}:`, /^:/),
      typed('show-options -g base-index\r', /^base-index 0/),
      typed('q', begun),
      typed(`${prefix}:`, /^:/),
      typed('list-keys -T prefix\r', /^bind-key .*\[\d+\/\d+\]$/),
      typed('\x1b[6~', /\[\d+\/\d+\]$/),
      typed('q', begun),
    ],
  },
  'a tree of sessions': {
    steps: [
      ran('new-session -d -s other -n first cat', begun),
      ran('new-window -d -t other -n second cat', begun),
      typed(`${prefix}s`, /other: 2 windows/),
      typed('j', /other: 2 windows/),
      typed('l', /second/),
      typed('jj', /second/),
      typed('\r', /^\[other\] 0:first-?\s+1:second\*/),
      typed(`${prefix}w`, /first/),
      typed('q', /^\[other\]/),
      typed(`${prefix}(`, /^\[s\]/),
      typed(`${prefix}L`, /^\[other\]/),
    ],
  },
  'buffers to choose from': {
    steps: [
      ran("set-buffer -b one 'first buffer'", begun),
      ran("set-buffer -b two 'second buffer'", begun),
      typed(`${prefix}:`, /^:/),
      typed("choose-buffer -F '#{buffer_sample}'\r", /second buffer/),
      typed('q', begun),
    ],
  },
  'orders, filters and tags of a tree': {
    steps: [
      ran('new-session -d -s zeta -n first cat', begun),
      ran('new-window -d -t zeta -n second cat', begun),
      ran('new-session -d -s alpha -n third cat', begun),
      ran('split-window -d -t zeta:1 cat', begun),
      typed(`${prefix}s`, /\(sort: index\)/),
      typed('O', /\(sort: name\)/),
      typed('r', /\(sort: name, reversed\)/),
      typed('\x1b+', /└─> {3}0: first/),
      typed('\x1b-', /\+ zeta/),
      typed('r', /\(sort: name\)/),
      typed('f', /^\(filter\)/),
      typed('#{m:*a,#{session_name}}\r', /\(filter: active\)/),
      typed('f', /^\(filter\) #/),
      typed('\x15#{m:nothing,#{session_name}}\r', /\(filter: no matches\)/),
      typed('f', /^\(filter\) #/),
      typed('\x15\r', /\(sort: name\) ─/),
      typed('gt', /alpha\*/),
      typed('X', /^Kill 1 tagged\?/),
      typed('y', /^\(0\) - s: 1 windows/),
      typed('Gx', /^Kill session zeta\?/),
      typed('n', /zeta/),
      typed('\x14', /zeta\*/),
      typed('T', /zeta:/),
      typed(':', /^\(current\)/),
      typed("rename-session -t '%%' omega\r", /omega/),
      typed('q', begun),
    ],
  },
  'a tree in a zoomed pane': {
    steps: [
      ...threePanes,
      typed(`${prefix}w`, /\(sort: index\)/),
      typedUnseen('jk', /^\[s\] 0:\S+\*Z/),
      typed('q', /├/),
      typed(`${prefix}w`, /\(sort: index\)/),
      typed('\r', /├/),
      typed(`${prefix}z`, /^\[s\] 0:\S+\*Z/),
      typed(`${prefix}w`, /\(sort: index\)/),
      typed('q', /^\[s\] 0:\S+\*Z/),
    ],
  },
  'orders and removal of buffers': {
    steps: [
      ran("set-buffer -b one 'first buffer, which is long'", begun),
      ran("set-buffer -b two 'second'", begun),
      ran("set-buffer -b three '3'", begun),
      typed(`${prefix}:`, /^:/),
      typed("choose-buffer -F '#{buffer_sample}' -O name\r", /\(sort: name\)/),
      typed('O', /\(sort: size\)/),
      typed('O', /\(sort: time\)/),
      typed('r', /\(sort: time, reversed\)/),
      typed('d', /\(sort: time, reversed\)/),
      typed('t', /two\*|three\*/),
      typed('D', /\(sort: time, reversed\)/),
      typed('q', begun),
    ],
  },
  'names of panes in their borders': {
    steps: [
      typed('', begun),
      ran('set -g pane-border-status top', /0 "/),
      ran("set -g pane-border-format ' #{pane_index} #{pane_height}'", /─ 0 22/),
      ...threePanes,
      ran('set -g pane-border-status bottom', /─ 2 \d+/),
      ran('select-pane -t s:0.0', /─ 0 22/),
      ran("set -g pane-border-format '#[align=right,fg=red]#{pane_top}'", /─0──/),
      ran('resize-pane -t s:0.1 -Z', /^right/),
      ran('resize-pane -t s:0.1 -Z', /right/),
      ran('set -g pane-border-lines double', /║/),
      ran('set -g pane-border-status top', /═1══/),
      ran('set -g pane-border-status off', /║|═/),
    ],
  },
  'clients and sessions elsewhere': {
    steps: [
      typed('', begun),
      ran('new-session -d -s z cat', begun),
      ran('switch-client -t z', /^\[z\]/),
      ran('switch-client -t s', /^\[s\]/),
      ran('new-window -t s -n made cat', /1:made\*/),
      ran('switch-client -l', /^\[z\]/),
      ran('kill-session -t s', /^\[z\]/),
    ],
  },
  'tables of keys': {
    config: [
      'set -g prefix C-a',
      'bind C-a send-prefix',
      'bind v split-window -h cat',
      'bind -n M-n new-window -n by-key cat',
      'bind -r H resize-pane -L 5',
      'bind x switch-client -T own',
      'bind -T own y rename-window in-own',
      "bind T display-message -d 0 'in #{client_key_table}'",
    ],
    steps: [
      typed('', begun),
      typed('\x01v', /│/),
      typed('\x01HHH', /│/),
      typed('\x1bn', /1:by-key\*/),
      typedUnseen('\x01x', /1:by-key\*/),
      typed('y', /1:in-own\*/),
      typed('\x01T', /^in /),
      typed('z', /1:in-own\*/),
    ],
  },
  'options and keys, in a list': {
    config: [...customized, "set -s @note '#{session_name}'"],
    steps: [
      ran('customize-mode -N -t s', /^\(0\) \+ Server Options/),
      typed('+', /^\(2\) {3}├─> {3}backspace: C-\?/),
      ...search('buffer-lim', /buffer-limit: 50/),
      ...edit('\r', 'buffer-limit', '7x', /^Value is invalid: 7x/),
      typed(' ', begun),
      ...edit('s', 'buffer-limit', '7', /buffer-limit: 7$/),
      typed('d', /^Reset buffer-limit to default\?/),
      typed('y', /buffer-limit: 50/),
      ...search('exit-em', /exit-empty: on/),
      typed('\r', /exit-empty: off/),
      typed('S', /exit-empty: on/),
      ...search('command-al', /command-alias/),
      typed('\x1b[C', /command-alias\[0\]: split-pane=split-window/),
      ...edit('s', 'command-alias\\[\\+\\]', 'mine=list-keys', /command-alias\[6\]: mine=/),
      typed('jju', /^Unset command-alias\[1\]\?/),
      typed('y', /command-alias\[2\]: server-info/),
      typed('g-', /^\(0\) \+ Server Options/),
      typed('j+', /├─> {3}activity-action: other/),
      ...search('base-in', /base-index: 0/),
      ...edit('s', 'base-index, for session s', '3', /base-index: \(session s\) 3/),
      ...edit('S', 'base-index, global', '5', /base-index: \(session s\) 3/),
      typed('u', /^Unset base-index\?/),
      typed('y', /base-index: 5/),
      ...search('display-panes-c', /display-panes-colour/),
      ...edit('\r', 'display-panes-colour, for', 'colour999', /^Bad colour: colour999/),
      typed(' ', begun),
      ...edit('\r', 'display-panes-colour, for', 'green', /colour: \(session s\) green/),
      ...search('bell-action', /bell-action: any/),
      typed('\r', /bell-action: \(session s\) current/),
      ...search('history-l', /history-limit: 2000 lines/),
      typed('q', begun),
    ],
  },
  'options of windows and panes': {
    // Without what is done to tagged options, and a filter: after them tmux 3.3a does not end.
    config: [...customized],
    steps: [
      ran('customize-mode -N -t s', /^\(0\) \+ Server Options/),
      typed('jj+', /aggressive-resize/),
      ...search('main-pane-w', /main-pane-width: 80/),
      ...edit('\r', 'main-pane-width, for window 0', '20', /main-pane-width: \(window 0\) 20/),
      ...search('remain-on-exit', /remain-on-exit: off/),
      typed('\r', /remain-on-exit: \(pane 0\) on/),
      typedUnseen('w', /remain-on-exit: \(pane 0\) on/),
      typed('d', /^Reset remain-on-exit to default\?/),
      typed('y', /remain-on-exit: \(window 0\) on/),
      typed('\r', /remain-on-exit: \(pane 0\) failed/),
      typed('u', /^Unset remain-on-exit\?/),
      typed('y', /remain-on-exit: \(window 0\) on/),
      ...search('window-style', /window-style: default/),
      ...edit('\r', 'window-style, for pane 0', 'bg=blue', /window-style: \(pane 0\) bg=blue/),
      typed('t', /window-style\*: \(pane 0\)/),
      ...search('main-pane-w', /main-pane-width: \(window 0\) 20/),
    ],
  },
  'what an option and a key are, below the list': {
    config: [
      ...customized,
      "set -s @note '#{session_name} and some words that need more than one row, as some formats do, too'",
    ],
    steps: [
      ran('set -p -t s @own here', begun),
      ran('customize-mode -t s', /^┌ Server Options ─/),
      typed('+j', /^│ Option value: #\{session_name\} and/),
      typed('v', /^\(M-a\)/),
      typed('v', /^│ Option value: #\{session_name\} and/),
      typed('g-', /^┌ Server Options ─/),
      typed('jj+j', /^│ Option value: here/),
      typed('\r', /^\(@own, for pane 0\) here/),
      typed('\x1b', /^\[s\] 0/),
      ...edit('w', '@own, for window 0', 'there', /^│ Option value: here/),
      typed('S', /^\(@own, global\) here/),
      typed('\x1b', /^\[s\] 0/),
      typed('g', /^┌ Server Options ─/),
      ...search('- prefix', /^┌ Key Table - prefix ─/),
      typed('+j', /^│ This key is in the prefix table/),
      typed('+j', /├─> Command: send-prefix/),
      ...edit('\r', 'C-b', 'nothing', /^Unknown command: nothing/),
      typed(' ', begun),
      ...edit('\r', 'C-b', 'display-message one ; list-keys', /^│ The default is: send-prefix/),
      ...edit('j\r', 'C-b', 'My note', /^│ My note/),
      typed('j\r', /Repeat: on/),
      typed('d', /^Reset C-b to default\?/),
      typed('y', /Command: send-prefix/),
      typed('q', /^\[s\] 0/),
    ],
  },
  'synchronized panes': {
    steps: [
      ...threePanes,
      ran('set -w -t s synchronize-panes on', /├/),
      typed('to all', /to all.*│.*to all/),
    ],
  },
  'the mouse': {
    config: ['set -g mouse on'],
    begins: `new-session -s s "seq 100; exec cat"`,
    steps: [
      ran(`split-window -h -t s "${text('right')}"`, /right/),
      typed(mouse(0, 5, 3) + mouse(0, 5, 3, 'm'), /│/),
      typed('left', /left/),
      typed(mouse(64, 5, 3), /\[0\/\d+\]/),
      typed('q', /100/),
    ],
  },
  'text of programs': {
    begins:
      `new-session -s s "printf '\\033[31mred\\033[0m \\033[1;44mbold on blue\\033[0m \\033[38;5;208mpalette\\033[0m ` +
      `\\033[4mline\\033[0m \\033[7mreverse\\033[0m\\n\\344\\275\\240\\345\\245\\275 wide'; exec cat"`,
    steps: [
      typed('', /wide/),
      ran(`split-window -h -t s "${text('right')}"`, /right/),
      // tmux moves rows into the history when a line gets longer, also above empty rows.
      ran('resize-pane -t s:0.0 -x 44', /reverse {7}│right/),
    ],
  },
};
