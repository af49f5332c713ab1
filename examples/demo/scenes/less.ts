import type { ScreenSnapshot } from 'vtr';
import type { Scene } from '../scene.ts';

const text = Array.from({ length: 1000 }, (_, index) => `This is line ${index + 1} of 1000.\n`);

const isOnTop = ({ text: [top] }: ScreenSnapshot) => top === 'This is line 428 of 1000.';

export const less: Scene = {
  title: 'Find a line in less, and make the terminal smaller',
  needs: 'less',
  async play(stage) {
    stage.home.write('lines.txt', text.join(''));
    const session = await stage.spawn('less', ['less', 'lines.txt']);
    await session.sees('line 1 of');
    await session.typeFor('line 427 of', '/line 427\r');
    // How an arrow is sent depends on what the program has asked its terminal for.
    await session.pressFor('line 432 of', 'down');
    await session.shows('line 428 on top', isOnTop);
    await session.resizeFor('line 428 of', { cols: 40, rows: 4 });
    await session.shows('line 428 on top', isOnTop);
    await session.type('q');
    await session.ends({ code: 0, signal: null });
    stage.story.seen('less found line 427, went down one, and drew itself anew for 40×4.');
  },
};
