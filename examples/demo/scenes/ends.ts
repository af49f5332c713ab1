import { script } from '../programs.ts';
import type { Scene } from '../scene.ts';
import { expectEqual } from '../surprise.ts';

export const ends: Scene = {
  title: 'Tell how programs ended',
  async play(stage) {
    const leaver = await stage.spawn('leaver', script('exit 7'));
    const fallen = await stage.spawn('fallen', script('echo last words; kill -TERM $$'));
    const killed = await stage.spawn('killed', script('echo ready; read answer'));
    await killed.sees('ready');
    await killed.kill('KILL');
    await leaver.ends({ code: 7, signal: null });
    await fallen.ends({ code: null, signal: 'SIGTERM' });
    await killed.ends({ code: null, signal: 'SIGKILL' });

    await stage.command.vtr('ls');
    await stage.command.vtr('info', 'fallen');
    const { text } = await stage.coordinator.screen(fallen.info);
    stage.story.call('screen', 'fallen', `"${text[0]}"`);
    expectEqual('the screen of the fallen', text[0], 'last words');
    stage.story.seen(
      'A code or a signal, never both; and what they had written can still be read.',
    );
  },
};
