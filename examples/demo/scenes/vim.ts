import type { Scene } from '../scene.ts';
import { expectEqual } from '../surprise.ts';

export const vim: Scene = {
  title: 'Write a file in vim',
  needs: 'vim',
  async play(stage) {
    const session = await stage.spawn('vim', ['vim', '--clean', '-n', 'note.txt']);
    await session.sees('note\\.txt');
    await session.typeFor('read by you\\.', 'iWritten by vtr,\rread by you.');
    await session.press('escape');
    await session.shows(
      'the text, and the cursor on its last character',
      ({ text, cursor }) =>
        text[1] === 'read by you.' && cursor.row === 1 && cursor.col === 'read by you'.length,
    );

    await session.type(':wq\r');
    await session.ends({ code: 0, signal: null });
    expectEqual('note.txt', stage.home.read('note.txt'), 'Written by vtr,\nread by you.\n');
    stage.story.seen('vim wrote note.txt, and in it is what was typed.');
  },
};
