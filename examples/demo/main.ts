// `npm start`: vtr drives real programs, and tells what it does and what it sees.
import { connect } from 'vtr';
import { Command } from './command.ts';
import { Interruption } from './interruption.ts';
import { isAlive, runningProcesses } from './leftovers.ts';
import { playAll, type Result } from './play-all.ts';
import { scenes } from './scenes/index.ts';
import { Stage } from './stage.ts';
import { Story } from './story.ts';
import { TemporaryHome } from './temporary-home.ts';

interface Ending extends Result {
  /** Processes and files that ought to be gone. */
  readonly left: readonly string[];
}

async function run(story: Story, signal: AbortSignal): Promise<Ending> {
  const home = new TemporaryHome();
  const command = new Command(story, home, signal);
  const daemon = await command.serve();
  const coordinator = await connect({ socket: command.socket });
  const stage = new Stage({ coordinator, command, story, home, signal });
  const left: string[] = [];
  let result: Result;
  try {
    result = await playAll(scenes, stage);
  } finally {
    await coordinator.close();
    story.end();
    // What could not be ended is told with the rest.
    await command.stop().catch((error: Error) => left.push(error.message));
    home.remove();
  }
  if (isAlive(daemon)) left.push(`the daemon, process ${daemon}`);
  left.push(...(await runningProcesses(stage.spawned)).map((pid) => `process ${pid}`));
  left.push(...home.remains());
  story.left(stage.spawned.length, left);
  return { ...result, left };
}

const story = new Story(process.stdout);
const interruption = new Interruption();
story.begin();
const { left, ...result } = await run(story, interruption.signal);
if (interruption.exitStatus === null) story.summary(result);
else story.interrupted();
const hasFailed = left.length > 0 || result.failed.length > 0;
process.exitCode = interruption.exitStatus ?? (hasFailed ? 1 : 0);
