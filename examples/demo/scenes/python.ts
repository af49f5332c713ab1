import type { Scene } from '../scene.ts';

/** A prompt at which nothing is typed yet. */
const prompt = '^>>> *$';

// Many short sleeps: Python overlooks an interrupt that comes right before a long one.
const work = 'print("at work"); any(sleep(0.1) for _ in range(9999))';

export const python: Scene = {
  title: 'Talk to Python, and interrupt it',
  needs: 'python3',
  // Some machines have something of that name which only tells how to install it.
  probe: "python3 -c ''",
  async play(stage) {
    const args = ['-I', '-q', '-i', '-c', 'from time import sleep'];
    const session = await stage.spawn('python', ['python3', ...args]);
    await session.sees(prompt);
    await session.typeFor('^5050', 'sum(range(101))\r');
    await session.sees(prompt);
    await session.typeFor('^at work', `${work}\r`);
    await session.pressFor('^KeyboardInterrupt', 'ctrl+c');
    await session.shows('the prompt', ({ text, cursor }) => text[cursor.row] === '>>>');
    await session.type('exit(3)\r');
    await session.ends({ code: 3, signal: null });
    stage.story.seen(
      'It was stopped by ctrl+c, lived on, and left with the code that it was told.',
    );
  },
};
