import type { Scene } from '../scene.ts';
import { expectEqual } from '../surprise.ts';
import { counted } from '../wording.ts';

const command = 'i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo "event $i"; done; echo done';

export const scrollback: Scene = {
  title: 'Search what has scrolled off the screen',
  async play(stage) {
    const session = await stage.shell('log');
    await session.typeFor('^done', `${command}\r`);
    await session.shows('the prompt', ({ text, cursor }) => text[cursor.row] === '$');

    const { lines, firstLine, topLine } = await stage.coordinator.readLines(session.info);
    stage.story.call(
      'readLines',
      'log',
      `${counted(topLine - firstLine, 'line')} above the screen`,
    );
    const found = lines.filter(({ text }) => /^event \d*777$/.test(text));
    stage.story.result(found.map(({ number, text }) => `line ${number}: ${text}`));
    const events = found.map(({ text }) => text.replace('event ', ''));
    expectEqual('what ends in 777', events, ['777', '1777', '2777', '3777', '4777']);
    stage.story.seen('Of 5,000 lines, these five end in 777. Line numbers are never used again.');
  },
};
