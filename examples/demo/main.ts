// `npm start [-- NUMBER...]`: drives real programs with vtr and shows it, in all steps or in these.
import { constants } from 'node:os';
import { playSteps } from './play-steps.ts';
import { Stage } from './stage.ts';
import { steps } from './steps.ts';
import { Story } from './story.ts';

const story = new Story(process.stdout);
const interruption = new AbortController();
let exitStatus: number | null = null;

/** Ends the demo early. Later signals change nothing, because npm repeats the terminal's. */
function interrupt(signal: NodeJS.Signals): void {
  exitStatus ??= 128 + constants.signals[signal];
  interruption.abort();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
// The reader of the output has exited, as in `npm start | head`.
process.stdout.on('error', () => interrupt('SIGPIPE'));

story.begin();
const stage = new Stage(story, interruption.signal);
await stage.open();
const results = await playSteps(steps, process.argv.slice(2), stage);
story.title('The end');
const end = await stage.close();
story.result(end);
if (exitStatus === null) story.summary(results);
else story.title('Interrupted.');
const hasFailed = [...results, end].some(({ mark }) => mark === '✗');
process.exitCode = exitStatus ?? (hasFailed ? 1 : 0);
