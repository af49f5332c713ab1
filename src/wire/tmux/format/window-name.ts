import type { TmuxServer } from '../state/tmux-server.ts';
import type { TmuxWindow } from '../state/tmux-window.ts';
import { visibleName } from '../state/visible-name.ts';
import { foregroundOf } from './foreground.ts';

/** The name of a window: as given, or with `automatic-rename` that of the program in its active pane. */
export function windowName(window: TmuxWindow): string {
  if (!window.isNamedByProgram && window.name !== null) return window.name;
  // Empty while it is being started.
  const command = visibleName(foregroundOf(window.active).command) || (window.name ?? '');
  return window.active.dead === null ? command : `${command}[dead]`;
}

/** Keeps the names that windows have from their programs, for the time when they no longer follow them. */
export function keepNames(server: TmuxServer): void {
  for (const window of server.windows) {
    if (window.isNamedByProgram) window.name = windowName(window);
  }
}
