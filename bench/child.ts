// The program of a measured process: one task, told by the first argument, a round a message.
import { startTask, type TaskRequest } from './tasks/index.ts';

const task = startTask(JSON.parse(process.argv[2] ?? '') as TaskRequest);

process.on('message', ({ passes }: { passes: number }) => {
  process.send?.({ cost: task.round(passes) });
});
