import { Command } from '../command.ts';
import type { Scene } from '../scene.ts';
import { Surprise } from '../surprise.ts';

/** Waits until it is told something, says it back, and waits again. */
const parrot = 'printf "? "; while read -r line; do echo "you said $line"; printf "? "; done';

export const command: Scene = {
  title: 'The same from a command line, through a daemon',
  async play(stage) {
    const command = new Command(stage);
    try {
      stage.home.write('parrot.sh', parrot);
      await command.vtr('spawn', 'parrot', '--size', '40x4', '--', 'sh', 'parrot.sh');
      await command.vtr('idle', 'parrot', '--idle', '100ms', '--timeout', '10s');
      await command.vtr('send', 'parrot', 'hello', '--enter');
      await command.vtr('idle', 'parrot', '--idle', '100ms', '--timeout', '10s');
      const screen = await command.vtr('screen', 'parrot');
      await command.vtr('ls');
      if (!screen.includes('│you said hello') && !stage.signal.aborted) {
        throw new Surprise('the parrot to say it back', 'what the box shows');
      }
      await command.vtr('rm', 'parrot');
    } finally {
      await command.stop();
    }
    stage.story.seen('A daemon kept the session between the commands; now it has ended.');
  },
};
