import type { Notice } from '../state/attached-client.ts';
import type { Arguments } from '../words/arguments.ts';
import { windowName } from './foreground.ts';

/** What formats in the commands of a hook tell about it, by their names. */
export type HookFormats = Readonly<Record<string, string>> & { readonly hook: string };

/** What a hook tells of, by its name, as in tmux (notify.c). */
function toldBy(name: string): readonly (keyof Notice)[] {
  if (/^(alert-|window-(un)?linked$)/.test(name)) return ['session', 'window'];
  const [kind] = name.split('-');
  return kind === 'client' || kind === 'session' || kind === 'pane' ? [kind] : ['window'];
}

/** The formats of a hook for something that happened. What has ended keeps its names and ids. */
export function noticeFormats(name: string, notice: Notice): HookFormats {
  const parts = toldBy(name);
  const { client, session, window, pane } = notice;
  return {
    hook: name,
    ...(client && parts.includes('client') && { hook_client: client.name }),
    ...(session &&
      parts.includes('session') && {
        hook_session: `$${session.id}`,
        hook_session_name: session.name,
      }),
    ...(window &&
      parts.includes('window') && {
        hook_window: `@${window.id}`,
        hook_window_name: windowName(window),
      }),
    ...(pane && parts.includes('pane') && { hook_pane: `%${pane.id}` }),
  };
}

/** The formats of a hook after a command: the words of the command. */
export function commandFormats(name: string, args: Arguments): HookFormats {
  const numbered = args.words.map((word, at) => [`hook_argument_${at}`, word] as const);
  const flags = [...args.flags].flatMap(([flag, values]) => {
    const own = values.filter((value) => value !== '');
    const each = own.map((value, at) => [`hook_flag_${flag}_${at}`, value] as const);
    return [[`hook_flag_${flag}`, own.at(-1) ?? '1'] as const, ...each];
  });
  return { hook: name, ...Object.fromEntries([...numbered, ...flags]) };
}
