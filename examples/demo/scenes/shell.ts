import type { Scene } from '../scene.ts';
import { expectEqual } from '../surprise.ts';

export const shell: Scene = {
  title: 'Type into a shell, wait for what it prints, read its screen',
  async play(stage) {
    const session = await stage.shell('shell');
    await session.typeFor('^6 times 7 is \\d+', 'echo "6 times 7 is $((6 * 7))"\r');
    await session.settle();
    const { text, cursor } = await session.show();
    expectEqual('the row below the command', text[1], '6 times 7 is 42');
    expectEqual('the row of the cursor', cursor.row, 2);
    stage.story.seen('It computed 42, and its prompt waits for more.');
  },
};
