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
