import { windowFlags } from '../format/variables.ts';
import { windowName } from '../format/window-name.ts';
import type { Notice } from '../state/tmux-server.ts';
import type { TmuxSession } from '../state/tmux-session.ts';

/** Returns output as control mode prints it: control characters and backslashes in octal. */
export function controlText(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('utf8')
    .replace(
      /[\x00-\x1f\\]/g,
      (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
    );
}

/** Returns the lines that tell a client of a session what happened; empty if it is not told. */
export function noticeLines({ name, session, window, pane }: Notice, own: TmuxSession): string {
  const isOwn = window !== undefined && own.linkOf(window) !== null;
  switch (name) {
    case 'layout-changed': {
      const link = window && own.linkOf(window);
      if (!window || !link) return '';
      const { layoutText, shownLayoutText } = window;
      const flags = windowFlags(link, null);
      return `%layout-change @${window.id} ${layoutText} ${shownLayoutText} ${flags}\n`;
    }
    case 'window-linked':
      return `%${session === own ? '' : 'unlinked-'}window-add @${window?.id}\n`;
    case 'window-unlinked':
      return `%${session === own ? '' : 'unlinked-'}window-close @${window?.id}\n`;
    case 'window-renamed':
      if (window === undefined) return '';
      return `%${isOwn ? '' : 'unlinked-'}window-renamed @${window.id} ${windowName(window)}\n`;
    case 'window-pane-changed':
      return `%window-pane-changed @${window?.id} %${pane?.id}\n`;
    case 'session-window-changed':
      return `%session-window-changed $${session?.id} @${window?.id}\n`;
    case 'session-renamed':
      return `%session-renamed $${session?.id} ${session?.name}\n`;
    case 'session-created':
    case 'session-closed':
      return '%sessions-changed\n';
    default:
      return '';
  }
}
