import type { Scene } from '../scene.ts';
import { expectEqual } from '../surprise.ts';

const text = Array.from({ length: 1000 }, (_, index) => `This is line ${index + 1} of 1000.\n`);

export const less: Scene = {
  title: 'Find a line in less, and make the terminal smaller',
  needs: 'less',
  async play(stage) {
    stage.home.write('lines.txt', text.join(''));
    // Options and filters that the user has set for less are not for us.
    const env = { LESS: '', LESSOPEN: '' };
    const session = await stage.spawn('less', { program: 'less', args: ['lines.txt'], env });
    await session.sees('line 1 of');
    await session.typeFor('line 427 of', '/line 427\r');
    // How an arrow is sent depends on what the program has asked its terminal for.
    await session.pressFor('line 432 of', 'down');
    await session.settle();
    await session.show();

    await session.resize({ cols: 40, rows: 4 });
    await session.settle();
    const screen = await session.show();
    expectEqual('the topmost row', screen.text[0], 'This is line 428 of 1000.');
    await session.type('q');
    await session.ends({ code: 0, signal: null });
    stage.story.seen('less found line 427, went down one, and drew itself anew for 40×4.');
  },
};
