import type { ClientCase, ClientStep } from './client-cases.ts';

/** Hooks that follow what clients and their people do. */
const hooks = [
  ...['client-active', 'client-attached', 'client-focus-in', 'client-focus-out', 'client-resized'],
  ...['client-session-changed', 'session-closed', 'session-created', 'session-renamed'],
  ...['session-window-changed', 'window-linked', 'window-unlinked', 'pane-focus-in'],
  ...['pane-focus-out', 'pane-mode-changed', 'pane-title-changed', 'window-layout-changed'],
  ...['window-pane-changed', 'window-renamed', 'window-resized'],
];

/** A hook by a short name, what it tells of, and the pane that its commands are about. */
const entry =
  '#{s/client/c/;s/session/s/;s/window/w/;s/pane/p/;s/changed/ch/:hook}' +
  '#{?hook_client,!,}#{hook_session_name}#{hook_window}#{hook_pane}/#{pane_id}';

/** The first row shows the hooks that have run since the last step. */
const config = [
  'set -s focus-events on',
  "set -g @log ''",
  'set -g @on 0',
  'set -g status 2',
  'set -g status-position top',
  "set -g status-format[0] 'hooks:#{@log}'",
  "set -g status-format[1] '#{@on}'",
  ...hooks.map((name) => `set-hook -g ${name} 'set -gaF @log "#{?#{@on}, ${entry},}"'`),
];

const cleared: ClientStep = { runs: "set -g @log ''", shows: /^hooks:$/ };
const ran = (runs: string, shows: RegExp): readonly ClientStep[] => [{ runs, shows }, cleared];
const typed = (types: string, shows: RegExp): readonly ClientStep[] => [{ types, shows }, cleared];

/** The terminal gets the focus, whatever it has told before. */
const begun: readonly ClientStep[] = [
  { types: '\x1b[I', shows: /^hooks:$/, isSame: true },
  { runs: 'set -g @on 1', shows: /^1$/ },
];

/** Which hooks run, in which order, with which formats: compared with tmux 3.3a as `clientCases` are. */
export const hookCases: Readonly<Record<string, ClientCase>> = {
  'hooks of panes and the focus': {
    config,
    steps: [
      ...begun,
      ...ran('split-window cat', / w-layout-ch@0\/%1$/),
      ...ran('select-pane -t %0', / w-p-ch@0\/%0$/),
      ...ran('select-pane -t %1 -T title', / p-title-ch%1\/%1$/),
      ...typed('\x1b[O', / c-focus-out!\/%0$/),
      ...typed('\x1b[I', / p-focus-in%0\/%0$/),
      ...ran('copy-mode -t %1', / p-mode-ch%1\/%1$/),
      ...ran('send-keys -X -t %1 cancel', / p-mode-ch%1\/%1$/),
      ...ran('new-window cat', / w-linkeds@1\/%2$/),
      ...ran('select-window -t 0', / s-w-chs\/%0$/),
      ...ran('resize-window -x 60 -y 20', / w-resized@0\/%0$/),
      ...ran('kill-pane -t %0', / p-focus-in%1\/%1$/),
      ...ran('kill-window -t 0', / w-unlinkeds@0\/%2$/),
    ],
  },
  'hooks of sessions': {
    config,
    steps: [
      ...begun,
      ...ran('new-session -d -s b cat', / s-createdb\/%1$/),
      ...ran('switch-client -t b', / c-s-ch!\/%1$/),
      ...ran('rename-session -t b other', / s-renamedother\/%1$/),
      ...ran('kill-session -t s', / s-closeds\/%1 w-unlinkeds@0\/%1$/),
      ...ran('move-window -s other:0 -t other:5', / w-unlinkedother@1\/%1$/),
      ...ran('break-pane -d', /^hooks: /),
    ],
  },
};
