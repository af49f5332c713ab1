// The program of a measured process: one task, given by the first argument; one round per message.
import { startTask, type TaskRequest } from './tasks/index.ts';

const starting = startTask(JSON.parse(process.argv[2] ?? '') as TaskRequest);

process.on('message', async ({ passes }: { passes: number }) => {
  process.send?.({ cost: await (await starting).round(passes) });
});

// The parent has its answer, or has exited.
process.on('disconnect', async () => (await starting).close?.());
