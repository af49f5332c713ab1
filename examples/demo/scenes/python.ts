import type { Scene } from '../scene.ts';

export const python: Scene = {
  title: 'Talk to Python, and interrupt it',
  needs: 'python3',
  // Some machines have something of that name which only tells how to install it.
  probe: "python3 -c ''",
  async play(stage) {
    const session = await stage.spawn('python', { program: 'python3', args: ['-I', '-q'] });
    await session.sees('^>>> ');
    await session.typeFor('^5050', 'sum(range(101))\r');
    await session.typeFor('^asleep', 'import time; print("asleep"); time.sleep(3600)\r');
    await session.pressFor('^KeyboardInterrupt', 'ctrl+c');
    await session.shows('the prompt', ({ text, cursor }) => text[cursor.row] === '>>>');
    await session.type('exit(3)\r');
    await session.ends({ code: 3, signal: null });
    stage.story.seen('It was woken by ctrl+c, lived on, and left with the code that it was told.');
  },
};
