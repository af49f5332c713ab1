// The program of a measured process: one task, told by the first argument, a round a message.
import { startTask, type TaskRequest } from './tasks/index.ts';

const task = startTask(JSON.parse(process.argv[2] ?? '') as TaskRequest);

process.on('message', async ({ passes }: { passes: number }) => {
  process.send?.({ cost: await task.round(passes) });
});

// Whoever asked has what it wanted, or is gone.
process.on('disconnect', () => task.close?.());
