import type { TmuxWindow } from '../state/tmux-window.ts';
import { visibleName } from '../state/visible-name.ts';
import { foregroundOf } from './foreground.ts';

/** The name of a window: as given, or that of the program in its active pane. */
export function windowName(window: TmuxWindow): string {
  if (window.givenName !== null) return window.givenName;
  const command = visibleName(foregroundOf(window.active).command);
  return window.active.dead === null ? command : `${command}[dead]`;
}
