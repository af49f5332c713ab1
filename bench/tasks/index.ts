import type { CpuCost, MemoryCost, Task } from '../measuring/task.ts';
import { type FeedRequest, FeedTask } from './feed.ts';
import { type MemoryRequest, MemoryTask } from './memory.ts';
import { type ReadRequest, ReadTask } from './read.ts';

/** What to measure, as it is told to a process. */
export type TaskRequest = FeedRequest | MemoryRequest | ReadRequest;

export function startTask(request: TaskRequest): Task<CpuCost | MemoryCost> {
  switch (request.task) {
    case 'feed':
      return new FeedTask(request);
    case 'memory':
      return new MemoryTask(request);
    case 'read':
      return new ReadTask(request);
  }
}
