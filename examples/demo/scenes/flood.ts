import type { NarratedSession } from '../narrated-session.ts';
import { script } from '../programs.ts';
import type { Scene } from '../scene.ts';
import { counted, milliseconds } from '../wording.ts';

const questions = 50;

export const flood: Scene = {
  title: 'Get answers from one session while another one floods',
  async play(stage) {
    const { coordinator, story } = stage;
    const echo = await stage.spawn(
      'echo',
      script('while read -r line; do echo "heard $line"; done'),
    );
    const flooding = await stage.spawn('flood', script('while :; do n=$((n + 1)); echo $n; done'));
    // Any of them: the tenth thousand may have gone by before anybody looks.
    await flooding.sees('^\\d{5,}$');

    const timesMs = await askAgainAndAgain(echo);
    const [median, longest] = [timesMs[questions / 2], timesMs.at(-1)].map((ms = 0) =>
      milliseconds(ms),
    );
    story.call('sendText', `${questions} lines to "echo", each after the answer to the last`);
    story.call('wait', `${questions} answers`, `median ${median}, longest ${longest}`);
    const { endLine } = await coordinator.readLines(flooding.info, { from: 0, to: 0 });
    story.call('readLines', 'flood', `${counted(endLine, 'line')} by now`);
    await flooding.remove();
    story.seen('Every answer came, whatever the other one wrote.');
  },
};

/** How long each answer took, the shortest first. */
async function askAgainAndAgain(echo: NarratedSession): Promise<number[]> {
  const timesMs: number[] = [];
  for (let number = 1; number <= questions; number++) {
    timesMs.push((await echo.ask(`${number}\r`, `^heard ${number}$`)).elapsedMs);
  }
  return timesMs.sort((a, b) => a - b);
}
