import { isAlive } from '../leftovers.ts';
import { script } from '../programs.ts';
import type { Scene } from '../scene.ts';
import { expectEqual } from '../surprise.ts';

const deafJob = '(trap "" HUP TERM; echo deaf; while :; do :; done) & echo job $!; wait';

export const removal: Scene = {
  title: 'Remove a session with all that it started',
  async play(stage) {
    const session = await stage.spawn('parent', script(deafJob));
    await session.sees('^deaf');
    await session.sees('^job \\d+$');
    const { text } = await stage.coordinator.screen(session.info);
    const job = Number(/job (\d+)/.exec(text.join('\n'))?.[1]);
    expectEqual(`that process ${job} runs`, isAlive(job), true);
    await session.remove();
    expectEqual(`that process ${job} runs`, isAlive(job), false);
    stage.story.seen(`Process ${job} heard no HUP and no TERM, and is gone all the same.`);
  },
};
