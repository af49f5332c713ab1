import { isAbsolute, join } from 'node:path';
import type { TmuxServer } from '../../state/tmux-server.ts';
import type { PaneProgram, TmuxWindow } from '../../state/tmux-window.ts';
import { visibleName } from '../../state/visible-name.ts';
import type { Target } from '../../target/target.ts';
import { TmuxError } from '../../tmux-error.ts';
import type { Arguments } from '../../words/arguments.ts';
import type { Call } from '../call.ts';

/** Returns the program of a new pane, by the words and the flags `-c` and `-e`. @throws TmuxError */
export async function programOf(
  call: Call,
  args: Arguments,
  target: Target | null,
  inherited?: string,
): Promise<PaneProgram> {
  const base = inherited ?? call.caller.cwd;
  const value = args.value('c');
  const cwd = value === undefined ? base : await call.expand(value, target);
  return {
    words: args.words,
    cwd: isAbsolute(cwd) ? cwd : join(base, cwd),
    env: { ...variablesOf(args), ...searchPath(call) },
  };
}

/** As in tmux, programs are searched where the caller searches them, unless it is attached. */
function searchPath({ caller }: Call): Record<string, string> {
  const path = caller.env['PATH'];
  return caller.client !== null || path === undefined ? {} : { PATH: path };
}

/** The variables of the flags `-e`. @throws TmuxError */
export function variablesOf(args: Arguments): Record<string, string> {
  return Object.fromEntries(
    args.values('e').map((word) => {
      const equals = word.indexOf('=');
      if (equals < 1) throw new TmuxError(`invalid environment: ${word}`);
      return [word.slice(0, equals), word.slice(equals + 1)];
    }),
  );
}

/** Prints the new pane, for the flag `-P`. */
export async function printNew(
  call: Call,
  args: Arguments,
  target: Target,
  format: string,
): Promise<void> {
  if (args.has('P')) call.print(await call.expand(args.value('F') ?? format, target));
}

/** The format of `-P` for windows and panes. */
export const newPaneFormat = '#{session_name}:#{window_index}.#{pane_index}';

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
