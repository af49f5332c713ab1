import { globMatches, regexMatches } from '#format';
import { cellsText } from '#model';
import { paneRows } from '../capture/pane-rows.ts';
import type { FormatContext } from './context.ts';
import { windowName } from './foreground.ts';

/** A turn of `#{S:}`, `#{W:}` or `#{P:}`. */
interface Turn {
  readonly about: FormatContext;
  /** Whether it is the session, window or pane that the format is about. */
  readonly isCurrent: boolean;
}

/** Sessions, the windows of the session, or the panes of the window. */
export function loops(about: FormatContext, kind: string): Turn[] {
  const { server, session, window } = about;
  if (kind === 'S') {
    return server.sorted.map((each) => {
      const link = each.current;
      const of = { session: each, link, window: link.window, pane: link.window.active };
      return { about: about.of(of), isCurrent: each === session };
    });
  }
  if (kind === 'W') {
    return (session?.links ?? []).map((link) => ({
      about: about.of({ link, window: link.window, pane: link.window.active }),
      isCurrent: link === session?.current,
    }));
  }
  return (window?.panes ?? []).map((pane) => ({
    about: about.of({ pane }),
    isCurrent: pane === window?.active,
  }));
}

/** Whether a window of the session, or a session, has a name. */
export function nameExists({ server, session }: FormatContext, of: string, name: string): string {
  const exists = of.includes('s')
    ? server.sessionNamed(name) !== undefined
    : (session?.links ?? []).some(({ window }) => windowName(window) === name);
  return exists ? '1' : '0';
}

/** The number of the first row of the screen that contains a text, from 1 on; 0 without one. */
export async function foundLine(
  { server, pane }: FormatContext,
  flags: string,
  pattern: string,
): Promise<string> {
  if (pane === null) return '0';
  const { coordinator } = server.programs;
  const rows = await paneRows(coordinator, pane.session, null).catch(() => null);
  const ignoreCase = flags.includes('i');
  const matches = (text: string) =>
    flags.includes('r')
      ? regexMatches(pattern, text, ignoreCase)
      : globMatches(`*${pattern}*`, text, ignoreCase);
  const at = rows?.screen.findIndex(({ cells }) => matches(cellsText(cells))) ?? -1;
  return String(at + 1);
}
