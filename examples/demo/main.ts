// `npm start`: vtr drives real programs, and tells what it does and what it sees.
import { LocalCoordinator } from 'vtr';
import { Interruption } from './interruption.ts';
import { runningProcesses } from './leftovers.ts';
import { playAll, type Result } from './play-all.ts';
import { scenes } from './scenes/index.ts';
import { Stage } from './stage.ts';
import { Story } from './story.ts';
import { TemporaryHome } from './temporary-home.ts';

const story = new Story(process.stdout);
const interruption = new Interruption();

async function run(): Promise<Result> {
  const home = new TemporaryHome();
  const coordinator = new LocalCoordinator();
  const stage = new Stage(coordinator, story, home, interruption.signal);
  try {
    return await playAll(scenes, stage);
  } finally {
    await coordinator.close();
    home.remove();
    await tellWhatIsLeft(stage, home);
  }
}

async function tellWhatIsLeft(stage: Stage, home: TemporaryHome): Promise<void> {
  const processes = await runningProcesses(stage.spawned);
  const left = [...processes.map((pid) => `process ${pid}`), ...home.remains()];
  story.end(stage.spawned.length, left);
  if (left.length > 0) process.exitCode = 1;
}

story.begin();
const result = await run();
if (interruption.exitStatus !== null) {
  story.interrupted();
  process.exitCode = interruption.exitStatus;
} else {
  story.summary(result);
  if (result.failed.length > 0) process.exitCode = 1;
}
