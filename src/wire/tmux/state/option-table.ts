/** Whose an option is. Options of a window with `ofPane` can be set for a pane. */
export type OptionScope = 'server' | 'session' | 'window';

export type OptionKind = 'array' | 'choice' | 'colour' | 'flag' | 'key' | 'number' | 'string';

export interface OptionRow {
  readonly scope: OptionScope;
  readonly kind: OptionKind;
  readonly initial: string | readonly string[];
  /** The values of a choice, separated by spaces. */
  readonly choices?: string;
  readonly ofPane?: true;
  /** Of a number, for people. */
  readonly unit?: string;
  /** Separates the elements of an array in one value. Default: blanks and commas. */
  readonly separator?: ',';
}

/** The options of tmux 3.3a in its order, with their initial values. Those without effect are kept all the same. */
// biome-ignore format: a table
const rows = {
  backspace: { scope: 'server', kind: 'key', initial: 'C-?' },
  'buffer-limit': { scope: 'server', kind: 'number', initial: '50' },
  'command-alias': { scope: 'server', kind: 'array', separator: ',', initial: ['split-pane=split-window', 'splitp=split-window', 'server-info=show-messages -JT', 'info=show-messages -JT', 'choose-window=choose-tree -w', 'choose-session=choose-tree -s'] },
  'copy-command': { scope: 'server', kind: 'string', initial: '' },
  'default-terminal': { scope: 'server', kind: 'string', initial: 'xterm-256color' },
  editor: { scope: 'server', kind: 'string', initial: '/usr/bin/vi' },
  'escape-time': { scope: 'server', kind: 'number', initial: '500', unit: 'milliseconds' },
  'exit-empty': { scope: 'server', kind: 'flag', initial: 'on' },
  'exit-unattached': { scope: 'server', kind: 'flag', initial: 'off' },
  'extended-keys': { scope: 'server', kind: 'choice', initial: 'off', choices: 'off on always' },
  'focus-events': { scope: 'server', kind: 'flag', initial: 'off' },
  'history-file': { scope: 'server', kind: 'string', initial: '' },
  'message-limit': { scope: 'server', kind: 'number', initial: '1000' },
  'prompt-history-limit': { scope: 'server', kind: 'number', initial: '100' },
  'set-clipboard': { scope: 'server', kind: 'choice', initial: 'external', choices: 'off external on' },
  'terminal-overrides': { scope: 'server', kind: 'array', separator: ',', initial: [] },
  'terminal-features': { scope: 'server', kind: 'array', separator: ',', initial: ['xterm*:clipboard:ccolour:cstyle:focus:title', 'screen*:title'] },
  'user-keys': { scope: 'server', kind: 'array', separator: ',', initial: [] },
  'activity-action': { scope: 'session', kind: 'choice', initial: 'other', choices: 'none any current other' },
  'assume-paste-time': { scope: 'session', kind: 'number', initial: '1', unit: 'milliseconds' },
  'base-index': { scope: 'session', kind: 'number', initial: '0' },
  'bell-action': { scope: 'session', kind: 'choice', initial: 'any', choices: 'none any current other' },
  'default-command': { scope: 'session', kind: 'string', initial: '' },
  'default-shell': { scope: 'session', kind: 'string', initial: '/bin/sh' },
  'default-size': { scope: 'session', kind: 'string', initial: '80x24' },
  'destroy-unattached': { scope: 'session', kind: 'flag', initial: 'off' },
  'detach-on-destroy': { scope: 'session', kind: 'choice', initial: 'on', choices: 'off on no-detached' },
  'display-panes-active-colour': { scope: 'session', kind: 'colour', initial: 'red' },
  'display-panes-colour': { scope: 'session', kind: 'colour', initial: 'blue' },
  'display-panes-time': { scope: 'session', kind: 'number', initial: '1000', unit: 'milliseconds' },
  'display-time': { scope: 'session', kind: 'number', initial: '750', unit: 'milliseconds' },
  'history-limit': { scope: 'session', kind: 'number', initial: '2000', unit: 'lines' },
  'key-table': { scope: 'session', kind: 'string', initial: 'root' },
  'lock-after-time': { scope: 'session', kind: 'number', initial: '0', unit: 'seconds' },
  'lock-command': { scope: 'session', kind: 'string', initial: 'lock -np' },
  'message-command-style': { scope: 'session', kind: 'string', initial: 'bg=black,fg=yellow' },
  'message-style': { scope: 'session', kind: 'string', initial: 'bg=yellow,fg=black' },
  mouse: { scope: 'session', kind: 'flag', initial: 'off' },
  prefix: { scope: 'session', kind: 'key', initial: 'C-b' },
  prefix2: { scope: 'session', kind: 'key', initial: 'None' },
  'renumber-windows': { scope: 'session', kind: 'flag', initial: 'off' },
  'repeat-time': { scope: 'session', kind: 'number', initial: '500', unit: 'milliseconds' },
  'set-titles': { scope: 'session', kind: 'flag', initial: 'off' },
  'set-titles-string': { scope: 'session', kind: 'string', initial: '#S:#I:#W - "#T" #{session_alerts}' },
  'silence-action': { scope: 'session', kind: 'choice', initial: 'other', choices: 'none any current other' },
  status: { scope: 'session', kind: 'choice', initial: 'on', choices: 'off on 2 3 4 5' },
  'status-bg': { scope: 'session', kind: 'colour', initial: 'default' },
  'status-fg': { scope: 'session', kind: 'colour', initial: 'default' },
  'status-format': { scope: 'session', kind: 'array', initial: ['#[align=left range=left #{E:status-left-style}]#[push-default]#{T;=/#{status-left-length}:status-left}#[pop-default]#[norange default]#[list=on align=#{status-justify}]#[list=left-marker]<#[list=right-marker]>#[list=on]#{W:#[range=window|#{window_index} #{E:window-status-style}#{?#{&&:#{window_last_flag},#{!=:#{E:window-status-last-style},default}}, #{E:window-status-last-style},}#{?#{&&:#{window_bell_flag},#{!=:#{E:window-status-bell-style},default}}, #{E:window-status-bell-style},#{?#{&&:#{||:#{window_activity_flag},#{window_silence_flag}},#{!=:#{E:window-status-activity-style},default}}, #{E:window-status-activity-style},}}]#[push-default]#{T:window-status-format}#[pop-default]#[norange default]#{?window_end_flag,,#{window-status-separator}},#[range=window|#{window_index} list=focus #{?#{!=:#{E:window-status-current-style},default},#{E:window-status-current-style},#{E:window-status-style}}#{?#{&&:#{window_last_flag},#{!=:#{E:window-status-last-style},default}}, #{E:window-status-last-style},}#{?#{&&:#{window_bell_flag},#{!=:#{E:window-status-bell-style},default}}, #{E:window-status-bell-style},#{?#{&&:#{||:#{window_activity_flag},#{window_silence_flag}},#{!=:#{E:window-status-activity-style},default}}, #{E:window-status-activity-style},}}]#[push-default]#{T:window-status-current-format}#[pop-default]#[norange list=on default]#{?window_end_flag,,#{window-status-separator}}}#[nolist align=right range=right #{E:status-right-style}]#[push-default]#{T;=/#{status-right-length}:status-right}#[pop-default]#[norange default]', '#[align=centre]#{P:#{?pane_active,#[reverse],}#{pane_index}[#{pane_width}x#{pane_height}]#[default] }'] },
  'status-interval': { scope: 'session', kind: 'number', initial: '15', unit: 'seconds' },
  'status-justify': { scope: 'session', kind: 'choice', initial: 'left', choices: 'left centre right absolute-centre' },
  'status-keys': { scope: 'session', kind: 'choice', initial: 'emacs', choices: 'emacs vi' },
  'status-left': { scope: 'session', kind: 'string', initial: '[#{session_name}] ' },
  'status-left-length': { scope: 'session', kind: 'number', initial: '10' },
  'status-left-style': { scope: 'session', kind: 'string', initial: 'default' },
  'status-position': { scope: 'session', kind: 'choice', initial: 'bottom', choices: 'top bottom' },
  'status-right': { scope: 'session', kind: 'string', initial: '#{?window_bigger,[#{window_offset_x}#,#{window_offset_y}] ,}"#{=21:pane_title}" %H:%M %d-%b-%y' },
  'status-right-length': { scope: 'session', kind: 'number', initial: '40' },
  'status-right-style': { scope: 'session', kind: 'string', initial: 'default' },
  'status-style': { scope: 'session', kind: 'string', initial: 'bg=green,fg=black' },
  'update-environment': { scope: 'session', kind: 'array', initial: ['DISPLAY', 'KRB5CCNAME', 'SSH_ASKPASS', 'SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'SSH_CONNECTION', 'WINDOWID', 'XAUTHORITY'] },
  'visual-activity': { scope: 'session', kind: 'choice', initial: 'off', choices: 'off on both' },
  'visual-bell': { scope: 'session', kind: 'choice', initial: 'off', choices: 'off on both' },
  'visual-silence': { scope: 'session', kind: 'choice', initial: 'off', choices: 'off on both' },
  'word-separators': { scope: 'session', kind: 'string', initial: '!"#$%&\'()*+,-./:;<=>?@[\\]^`{|}~' },
  'cursor-colour': { scope: 'window', kind: 'colour', initial: 'none', ofPane: true },
  'cursor-style': { scope: 'window', kind: 'choice', initial: 'default', choices: 'default blinking-block block blinking-underline underline blinking-bar bar', ofPane: true },
  'aggressive-resize': { scope: 'window', kind: 'flag', initial: 'off' },
  'allow-passthrough': { scope: 'window', kind: 'choice', initial: 'off', choices: 'off on all', ofPane: true },
  'allow-rename': { scope: 'window', kind: 'flag', initial: 'off', ofPane: true },
  'alternate-screen': { scope: 'window', kind: 'flag', initial: 'on', ofPane: true },
  'automatic-rename': { scope: 'window', kind: 'flag', initial: 'on' },
  'automatic-rename-format': { scope: 'window', kind: 'string', initial: '#{?pane_in_mode,[tmux],#{pane_current_command}}#{?pane_dead,[dead],}' },
  'clock-mode-colour': { scope: 'window', kind: 'colour', initial: 'blue' },
  'clock-mode-style': { scope: 'window', kind: 'choice', initial: '24', choices: '12 24' },
  'copy-mode-match-style': { scope: 'window', kind: 'string', initial: 'bg=cyan,fg=black' },
  'copy-mode-current-match-style': { scope: 'window', kind: 'string', initial: 'bg=magenta,fg=black' },
  'copy-mode-mark-style': { scope: 'window', kind: 'string', initial: 'bg=red,fg=black' },
  'fill-character': { scope: 'window', kind: 'string', initial: '' },
  'main-pane-height': { scope: 'window', kind: 'string', initial: '24' },
  'main-pane-width': { scope: 'window', kind: 'string', initial: '80' },
  'mode-keys': { scope: 'window', kind: 'choice', initial: 'emacs', choices: 'emacs vi' },
  'mode-style': { scope: 'window', kind: 'string', initial: 'bg=yellow,fg=black' },
  'monitor-activity': { scope: 'window', kind: 'flag', initial: 'off' },
  'monitor-bell': { scope: 'window', kind: 'flag', initial: 'on' },
  'monitor-silence': { scope: 'window', kind: 'number', initial: '0' },
  'other-pane-height': { scope: 'window', kind: 'string', initial: '0' },
  'other-pane-width': { scope: 'window', kind: 'string', initial: '0' },
  'pane-active-border-style': { scope: 'window', kind: 'string', initial: '#{?pane_in_mode,fg=yellow,#{?synchronize-panes,fg=red,fg=green}}' },
  'pane-base-index': { scope: 'window', kind: 'number', initial: '0' },
  'pane-border-format': { scope: 'window', kind: 'string', initial: '#{?pane_active,#[reverse],}#{pane_index}#[default] "#{pane_title}"', ofPane: true },
  'pane-border-indicators': { scope: 'window', kind: 'choice', initial: 'colour', choices: 'off colour arrows both' },
  'pane-border-lines': { scope: 'window', kind: 'choice', initial: 'single', choices: 'single double heavy simple number' },
  'pane-border-status': { scope: 'window', kind: 'choice', initial: 'off', choices: 'off top bottom' },
  'pane-border-style': { scope: 'window', kind: 'string', initial: 'default' },
  'pane-colours': { scope: 'window', kind: 'array', initial: [], ofPane: true },
  'popup-style': { scope: 'window', kind: 'string', initial: 'default' },
  'popup-border-style': { scope: 'window', kind: 'string', initial: 'default' },
  'popup-border-lines': { scope: 'window', kind: 'choice', initial: 'single', choices: 'single double heavy simple rounded padded none' },
  'remain-on-exit': { scope: 'window', kind: 'choice', initial: 'off', choices: 'off on failed', ofPane: true },
  'remain-on-exit-format': { scope: 'window', kind: 'string', initial: 'Pane is dead (#{?#{!=:#{pane_dead_status},},status #{pane_dead_status},}#{?#{!=:#{pane_dead_signal},},signal #{pane_dead_signal},}, #{t:pane_dead_time})', ofPane: true },
  'scroll-on-clear': { scope: 'window', kind: 'flag', initial: 'on', ofPane: true },
  'synchronize-panes': { scope: 'window', kind: 'flag', initial: 'off', ofPane: true },
  'window-active-style': { scope: 'window', kind: 'string', initial: 'default', ofPane: true },
  'window-size': { scope: 'window', kind: 'choice', initial: 'latest', choices: 'largest smallest manual latest' },
  'window-style': { scope: 'window', kind: 'string', initial: 'default', ofPane: true },
  'window-status-activity-style': { scope: 'window', kind: 'string', initial: 'reverse' },
  'window-status-bell-style': { scope: 'window', kind: 'string', initial: 'reverse' },
  'window-status-current-format': { scope: 'window', kind: 'string', initial: '#I:#W#{?window_flags,#{window_flags}, }' },
  'window-status-current-style': { scope: 'window', kind: 'string', initial: 'default' },
  'window-status-format': { scope: 'window', kind: 'string', initial: '#I:#W#{?window_flags,#{window_flags}, }' },
  'window-status-last-style': { scope: 'window', kind: 'string', initial: 'default' },
  'window-status-separator': { scope: 'window', kind: 'string', initial: ' ' },
  'window-status-style': { scope: 'window', kind: 'string', initial: 'default' },
  'wrap-search': { scope: 'window', kind: 'flag', initial: 'on' },
  'xterm-keys': { scope: 'window', kind: 'flag', initial: 'on' },
} as const satisfies Record<string, OptionRow>;

export type OptionName = keyof typeof rows;

export const optionTable: Readonly<Record<OptionName, OptionRow>> &
  Readonly<Record<string, OptionRow>> = rows;

const commands = [
  'bind-key capture-pane copy-mode display-message display-panes kill-pane list-buffers list-clients',
  'list-keys list-panes list-sessions list-windows load-buffer lock-server new-session new-window',
  'paste-buffer pipe-pane queue refresh-client rename-session rename-window resize-pane resize-window',
  'save-buffer select-layout select-pane select-window send-keys set-buffer set-environment set-hook',
  'set-option show-environment show-messages show-options split-window unbind-key',
];

const events = [
  'alert-activity alert-bell alert-silence client-active client-attached client-detached',
  'client-focus-in client-focus-out client-resized client-session-changed session-closed session-created',
  'session-renamed session-window-changed window-linked window-unlinked',
];

/** Those of a pane, and of its window. */
const paneEvents = [
  'pane-died pane-exited pane-focus-in pane-focus-out pane-mode-changed pane-set-clipboard',
  'pane-title-changed',
];

const windowEvents = ['window-layout-changed window-pane-changed window-renamed window-resized'];

const words = (lines: readonly string[]) => lines.join(' ').split(' ');

/** What hooks can be set for, in the order in which they are shown. */
export const hookNames: readonly string[] = [
  ...words(commands).map((name) => `after-${name}`),
  ...words(events),
  ...words(paneEvents),
  ...words(windowEvents),
].sort();

export const isHook = (name: string): boolean => hookNames.includes(name);

/** Whether a list of the hooks of a session, window or pane has a hook. */
export function isHookOf(scope: 'session' | 'window' | 'pane', name: string): boolean {
  const isOfPane = words(paneEvents).includes(name);
  if (scope === 'pane') return isOfPane;
  return (scope === 'window') === (isOfPane || words(windowEvents).includes(name));
}

/** Whose options keep a hook; null if there is no such hook. Those of a pane are kept there only where asked. */
export function hookScope(name: string): 'session' | 'window' | null {
  if (!isHook(name)) return null;
  return isHookOf('window', name) ? 'window' : 'session';
}
