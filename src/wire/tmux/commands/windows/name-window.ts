import type { TmuxServer } from '../../state/tmux-server.ts';
import type { TmuxWindow } from '../../state/tmux-window.ts';
import { visibleName } from '../../state/visible-name.ts';

/** Gives a new window a name, which does not follow its program. */
export function nameNewWindow(window: TmuxWindow, name: string): void {
  window.name = visibleName(name);
  window.options.set('automatic-rename', 'off');
}

/** Gives a window a name, which then no longer follows its program. */
export function nameWindow(server: TmuxServer, window: TmuxWindow, name: string): void {
  nameNewWindow(window, name);
  server.notices.emit({ name: 'window-renamed', window });
}
