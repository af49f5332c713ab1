import { defined } from '#base';
import { OtherSessions } from './attach/other-sessions.ts';
import { type AttachRequest, attachIn, personOf, settingsOf } from './attach.ts';
import type { LayoutStore } from './panes/saved-layout.ts';
import { OwnTty } from './tty-screen/own-tty.ts';

export interface UiRequest
  extends Omit<AttachRequest, 'link' | 'as' | 'first' | 'exitStatus' | 'raw' | 'statusLine'> {
  readonly layouts: LayoutStore;
  /** The layout to show and to remember. Default: the list alone, and nothing is remembered. */
  readonly layout?: string | undefined;
  /** The name of a session of tmux to show, in place of a layout. */
  readonly tmux?: string | undefined;
}

/**
 * Shows all sessions in the person's terminal, and those that are chosen in panes, until the person leaves.
 *
 * @throws VtrError INVALID_ARGUMENT if stdin or stdout is not a terminal; INVALID_KEY; IO_ERROR for a damaged layout
 */
export async function ui(request: UiRequest): Promise<void> {
  const { env, layouts, layout, tmux } = request;
  // Each pane has a title.
  const title = { status: 'off', statusLeft: null, statusRight: null } as const;
  const settings = { ...settingsOf(request, false), ...title };
  // The list shows which of them want somebody.
  const others = new OtherSessions(request.bell === 'all', { tells: false });
  const { runOverview } = await import('./overview/overview.ts');
  const tty = OwnTty.open(env);
  try {
    await runOverview(tty, {
      links: request.links,
      person: personOf(env),
      keys: settings.keys,
      ...defined({ usesMouse: settings.usesMouse }),
      home: env['HOME'],
      ownId: env['VTR_SESSION_ID'],
      panes: {
        settings,
        attachIn: (pane, options, shows) => attachIn(pane, { ...options, others }, shows),
        layouts,
        ...defined({ layout, tmux }),
      },
    });
  } finally {
    await tty.close();
  }
}
