import { asVtrError } from '#model';
import type { Done, Scene } from './scene.ts';

/** Where a person goes who has removed the session in view. */
export interface Removal {
  /** Which effect asks for it again, if the person does not mind the work that is left. */
  readonly effect: 'remove' | 'removeAndGo';
  /** Whether the session is removed although its worktree has work left. Default: the person is asked. */
  readonly anyway?: boolean;
}

/**
 * Removes the session in view. If its worktree has work left, asks whether only the session is to be removed.
 *
 * @returns where to go then; what is to be asked, if nothing was removed
 * @throws VtrError as `Coordinator.remove`
 */
export async function removed(
  { coordinator, session }: Scene,
  { effect, anyway = false }: Removal,
  then: Done = { way: { type: 'removed', session: session.name } },
): Promise<Done> {
  try {
    await coordinator.remove(session, anyway ? {} : { keepsWork: true });
    return then;
  } catch (thrown) {
    const { code, message } = asVtrError(thrown);
    if (code !== 'WORK_LEFT') throw thrown;
    const [left = ''] = message.replace(/^.* was not removed: /, '').split('\n');
    const question = `remove only the session? ${left}`;
    return { action: { type: 'question', question, effect: { type: effect, anyway: true } } };
  }
}
