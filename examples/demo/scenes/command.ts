import { script } from '../programs.ts';
import type { Scene } from '../scene.ts';
import { Surprise } from '../surprise.ts';

/** Waits until it is told something, says it back, and waits again. */
const parrot = 'printf "? "; while read -r line; do echo "you said $line"; printf "? "; done';

export const command: Scene = {
  title: 'The same by the command alone, as a script or an agent does it',
  async play({ command, story, signal, spawned, coordinator }) {
    await command.vtr('spawn', 'parrot', '--size', '40x4', '--', ...script(parrot));
    spawned.push(await coordinator.info('parrot'));
    await command.vtr('idle', 'parrot', '--idle', '100ms', '--timeout', '10s');
    await command.vtr('send', 'parrot', 'hello', '--enter');
    await command.vtr('idle', 'parrot', '--idle', '100ms', '--timeout', '10s');
    const screen = await command.vtr('screen', 'parrot');
    if (!screen.includes('│you said hello') && !signal.aborted) {
      throw new Surprise('the parrot to say it back', 'what the box shows');
    }
    await command.vtr('rm', 'parrot');
    story.seen('The daemon keeps the session between the commands.');
  },
};
