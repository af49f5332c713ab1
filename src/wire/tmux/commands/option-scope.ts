import { hookScope, isHookOf } from '../state/hook-names.ts';
import { optionTable } from '../state/option-table.ts';
import type { Options } from '../state/options.ts';
import type { Target } from '../target/target.ts';
import { TmuxError } from '../tmux-error.ts';
import type { Arguments } from '../words/arguments.ts';
import type { Call } from './call.ts';

export interface Scope {
  readonly options: Options;
  /** Whether others inherit these options. */
  readonly isWhole: boolean;
}

/**
 * Returns the options that a command changes or shows: by the name of a known option, by the flags for a
 * user's own.
 *
 * @throws TmuxError
 */
export function scopeOf(
  { server }: Call,
  args: Arguments,
  name: string | null,
  target: Target | null,
  isWindow: boolean,
): Scope {
  const row = name === null ? undefined : optionTable[name];
  const asked = args.has('s')
    ? 'server'
    : args.has('p')
      ? 'pane'
      : args.has('w') || isWindow
        ? 'window'
        : 'session';
  const table = name === null ? null : (row?.scope ?? hookScope(name));
  const ofPane = row === undefined ? name !== null && isHookOf('pane', name) : row.ofPane;
  const kind = table === 'window' && asked === 'pane' && ofPane ? 'pane' : (table ?? asked);
  if (kind === 'server') return { options: server.options, isWhole: true };
  if (args.has('g')) {
    const options = kind === 'session' ? server.sessionOptions : server.windowOptions;
    return { options, isWhole: true };
  }
  if (target === null) {
    throw new TmuxError(
      args.has('t') ? `no such ${kind}: ${args.value('t')}` : `no current ${kind}`,
    );
  }
  const { session, link, pane } = target;
  const own = { session, window: link.window, pane }[kind];
  return { options: own.options, isWhole: false };
}
