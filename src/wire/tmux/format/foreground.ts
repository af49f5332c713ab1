import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { TmuxPane, TmuxWindow } from '../state/tmux-window.ts';
import { commandName, visibleName } from '../state/visible-name.ts';

/** The program in the foreground of a pane, and its directory; null where the system does not tell. */
export interface Foreground {
  readonly command: string;
  readonly directory: string | null;
}

/** Reads /proc; elsewhere the command is that of the pane. */
export function foregroundOf(pane: Pick<TmuxPane, 'pid' | 'file' | 'program'>): Foreground {
  const file = commandName(pane.file);
  const started = commandName(pane.program.words.join(' ')) || file;
  try {
    const stat = readFileSync(`/proc/${pane.pid}/stat`, 'utf8');
    // proc(5): the name in parentheses may hold blanks; tpgid is the sixth field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const group = Number(fields[5]) > 0 ? fields[5] : String(pane.pid);
    const [name = ''] = readFileSync(`/proc/${group}/cmdline`, 'utf8').split('\0');
    // It is empty while the system loads a program: then the pane's own program is named by its file.
    const command = commandName(name) || (group === String(pane.pid) ? file : started);
    return { command, directory: readlinkSync(`/proc/${group}/cwd`) };
  } catch {
    return { command: started, directory: null };
  }
}

/** The path of a pane's terminal; empty where the system does not tell. */
export function terminalOf({ pid }: TmuxPane): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc(5): tty_nr is the fifth field after the name. The majors of pts(4) are 136 to 143.
    const device = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[4]);
    const [major, minor] = [(device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00)];
    const path = `/dev/pts/${(major - 136) * 256 + minor}`;
    return statSync(path).rdev === device ? path : '';
  } catch {
    return '';
  }
}

export const signalNumber = (name: string): number | null =>
  constants.signals[`SIG${name.replace(/^SIG/, '')}` as NodeJS.Signals] ?? null;

/** The name of a window: as given, or with `automatic-rename` that of the program in its active pane. */
export function windowName(window: TmuxWindow): string {
  if (!window.isNamedByProgram && window.name !== null) return window.name;
  // Empty for a pane without a program.
  const command = visibleName(foregroundOf(window.active).command) || (window.name ?? '');
  return window.active.dead === null ? command : `${command}[dead]`;
}

/** Keeps the names that windows have from their programs, for the time when they no longer follow them. */
export function keepNames(server: TmuxServer): void {
  for (const window of server.windows) {
    if (window.isNamedByProgram) window.name = windowName(window);
  }
}
