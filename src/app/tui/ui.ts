import type { AttachEnd } from './attach/scene.ts';
import { type AttachRequest, attachIn, keysOf, personOf } from './attach.ts';
import { OwnTty } from './tty-screen/own-tty.ts';

export type UiRequest = Pick<
  AttachRequest,
  'env' | 'leader' | 'keys' | 'statusLine' | 'clipboard' | 'links'
>;

/**
 * Shows all sessions in the person's terminal until the person leaves.
 *
 * @throws VtrError INVALID_ARGUMENT if stdin or stdout is not a terminal; INVALID_KEY
 */
export async function ui(request: UiRequest): Promise<void> {
  const { env, statusLine = 'auto', clipboard } = request;
  const settings = {
    status: statusLine,
    clipboard,
    endsWithProgram: false,
    keys: keysOf(request),
  };
  const person = personOf(env);
  const { runOverview } = await import('./overview/overview.ts');
  const tty = OwnTty.open(env);
  try {
    await runOverview(tty, {
      links: request.links,
      person,
      keys: settings.keys,
      home: env['HOME'],
      ownId: env['VTR_SESSION_ID'],
      attach: async (choice) => {
        const end = await attachIn(tty, { ...choice, person, settings });
        return saidOf(end);
      },
    });
  } finally {
    await tty.close();
  }
}

/** What the person is told in the list. */
function saidOf(end: AttachEnd): string {
  switch (end.type) {
    case 'lost':
      return end.reason;
    case 'removed':
      return `removed ${end.session}`;
    case 'detached':
    case 'ended':
    case 'overview':
      return '';
  }
}
