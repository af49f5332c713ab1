import { script } from '../programs.ts';
import type { Scene } from '../scene.ts';
import { milliseconds } from '../wording.ts';

const questions = 20;

export const flood: Scene = {
  title: 'Answer in one session while another one floods',
  async play(stage) {
    const { coordinator, story } = stage;
    const flooding = await stage.spawn(
      'flood',
      script('while :; do echo "No end of this is in sight."; done'),
    );
    await flooding.sees('No end');
    const echo = await stage.spawn(
      'echo',
      script('echo ready; while read -r line; do echo "heard $line"; done'),
    );
    await echo.sees('ready');

    const times: number[] = [];
    for (let number = 1; number <= questions; number++) {
      times.push((await echo.ask(`${number}\r`, `^heard ${number}$`)).elapsedMs);
    }
    times.sort((a, b) => a - b);
    const median = times[Math.floor(questions / 2)] ?? 0;
    story.call('sendText', `${questions} lines to "echo", each after the answer to the last`);
    story.call(
      'waitForText',
      `${questions} answers`,
      `median ${milliseconds(median)}, longest ${milliseconds(times.at(-1) ?? 0)}`,
    );
    const { endLine } = await coordinator.readLines(flooding.info, { from: 0, to: 0 });
    story.call('readLines', 'flood', `${endLine.toLocaleString('en')} lines by now`);
    await flooding.remove();
    story.seen('Every answer came, and the flood was held back by nothing but our reading.');
  },
};
