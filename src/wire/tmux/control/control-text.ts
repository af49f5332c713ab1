import { isUtf8 } from 'node:buffer';
import { windowFlags } from '../format/variables.ts';
import { windowName } from '../format/window-name.ts';
import type { Notice } from '../state/tmux-server.ts';
import type { TmuxSession } from '../state/tmux-session.ts';

/**
 * Returns output as control mode prints it: control characters, backslashes, and bytes that are not part
 * of a whole character in UTF-8, in octal. The octal numbers of two outputs join to a character.
 */
export function controlText(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return escaped(Buffer.from(bytes).toString('utf8'));
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length === 0) text += octal(bytes[at] ?? 0);
    else text += escaped(Buffer.from(bytes.subarray(at, at + length)).toString('utf8'));
    at += Math.max(1, length);
  }
  return text;
}

const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, '0')}`;

const escaped = (text: string): string =>
  text.replace(/[\x00-\x1f\\]/g, (character) => octal(character.charCodeAt(0)));

/** The bytes of the character that begins at an index; 0 if none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const character = bytes.subarray(at, at + length);
  return character.length === length && isUtf8(character) ? length : 0;
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
    case 'pane-mode-changed':
      return `%pane-mode-changed %${pane?.id}\n`;
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
