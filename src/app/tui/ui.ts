import { defined } from '#base';
import { type AttachRequest, attachIn, keysOf, personOf } from './attach.ts';
import type { LayoutStore } from './panes/saved-layout.ts';
import { OwnTty } from './tty-screen/own-tty.ts';

export interface UiRequest
  extends Pick<AttachRequest, 'env' | 'leader' | 'keys' | 'clipboard' | 'links'> {
  readonly layouts: LayoutStore;
  /** The layout to show and to remember. Default: the list alone, and nothing is remembered. */
  readonly layout?: string | undefined;
}

/**
 * Shows all sessions in the person's terminal, and those that are chosen in panes, until the person leaves.
 *
 * @throws VtrError INVALID_ARGUMENT if stdin or stdout is not a terminal; INVALID_KEY; IO_ERROR for a damaged layout
 */
export async function ui(request: UiRequest): Promise<void> {
  const { env, clipboard, layouts, layout } = request;
  const keys = keysOf(request);
  // Each pane has a title.
  const settings = { status: 'off', clipboard, endsWithProgram: false, keys } as const;
  const { runOverview } = await import('./overview/overview.ts');
  const tty = OwnTty.open(env);
  try {
    await runOverview(tty, {
      links: request.links,
      person: personOf(env),
      keys,
      home: env['HOME'],
      ownId: env['VTR_SESSION_ID'],
      panes: { settings, attachIn, layouts, ...defined({ layout }) },
    });
  } finally {
    await tty.close();
  }
}
