import type { Scene } from '../scene.ts';

export const interrupt: Scene = {
  title: 'Interrupt a program with ctrl+c',
  async play(stage) {
    const session = await stage.shell('counter');
    await session.typeFor('^counting', 'n=0; echo counting; while :; do n=$((n + 1)); done\r');
    // An interrupt throws away what is typed before it is seen, so the prompt is waited for.
    await session.pressFor('\\$ $', 'ctrl+c');
    const said = await session.typeFor('^stopped at \\d+', 'echo "stopped at $n"\r');
    await session.shows('the prompt', ({ text, cursor }) => text[cursor.row] === '$');
    const count = Number(said.replace(/\D/g, '')).toLocaleString('en');
    stage.story.seen(`It would have counted for ever; it was stopped at ${count}.`);
  },
};
