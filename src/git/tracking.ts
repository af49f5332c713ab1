import type { Tracking } from '#model';
import type { Git } from './git.ts';

/**
 * Returns how far the branch that is checked out is ahead of and behind its upstream, as of the last fetch; null if it
 * has none, or the directory is in no repository.
 *
 * @throws VtrError as {@link Git.run}
 */
export async function trackingOf(git: Git): Promise<Tracking | null> {
  const { status, out } = await git.run(
    'rev-list',
    '--left-right',
    '--count',
    'HEAD...@{upstream}',
  );
  const [, ahead, behind] = /^(\d+)\t(\d+)$/m.exec(status === 0 ? out : '') ?? [];
  return ahead === undefined ? null : { ahead: Number(ahead), behind: Number(behind) };
}
