import type { Scene } from '../scene.ts';

export const shell: Scene = {
  title: 'Type into a shell, wait for what it prints, read its screen',
  async play(stage) {
    const session = await stage.shell('shell');
    await session.typeFor('^6 times 7 is \\d+', 'echo "6 times 7 is $((6 * 7))"\r');
    await session.shows(
      'the answer, and the prompt below it',
      ({ text, cursor }) => text[1] === '6 times 7 is 42' && cursor.row === 2 && cursor.col === 2,
    );
    stage.story.seen('It computed 42, and its prompt waits for more.');
  },
};
