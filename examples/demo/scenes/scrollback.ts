import type { Scene } from '../scene.ts';
import { expectEqual } from '../surprise.ts';

const command = 'i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo "event $i"; done; echo done';

export const scrollback: Scene = {
  title: 'Search what has scrolled off the screen',
  async play(stage) {
    const session = await stage.shell('log');
    await session.typeFor('^done', `${command}\r`);
    await session.shows('the prompt', ({ text, cursor }) => text[cursor.row] === '$');

    const found = await stage.command.vtr('grep', 'log', '^event \\d*777$');
    const events = [...found.matchAll(/event (\d+)/g)].map(([, number]) => number);
    expectEqual('what ends in 777', events, ['777', '1777', '2777', '3777', '4777']);
    stage.story.seen('Of 5,000 lines, these five end in 777.');
  },
};
