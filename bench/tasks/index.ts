import type { MemoryCost, Task, TimeCost } from '../measuring/task.ts';
import type { AnswerCost, AnswerRequest } from './answer.ts';
import type { BareOutputRequest } from './bare-output.ts';
import type { CommandRequest } from './command.ts';
import type { FeedRequest } from './feed.ts';
import type { IdleWaitsCost, IdleWaitsRequest } from './idle-waits.ts';
import type { LatencyCost, LatencyRequest } from './latency.ts';
import type { MemoryRequest } from './memory.ts';
import type { PictureCost, PictureRequest } from './picture.ts';
import type { ReadRequest } from './read.ts';
import type { RecordedOutputCost, RecordedOutputRequest } from './recorded-output.ts';
import type { ScrollbackCost, ScrollbackRequest } from './scrollback.ts';
import type { SearchCost, SearchTaskRequest } from './search.ts';
import type { SessionOutputRequest } from './session-output.ts';
import type { TmuxOutputRequest } from './tmux-output.ts';
import type { ViewersRequest } from './viewers.ts';

/** A task for a measured process. */
export type TaskRequest =
  | AnswerRequest
  | BareOutputRequest
  | CommandRequest
  | FeedRequest
  | IdleWaitsRequest
  | LatencyRequest
  | MemoryRequest
  | PictureRequest
  | ReadRequest
  | RecordedOutputRequest
  | ScrollbackRequest
  | SearchTaskRequest
  | SessionOutputRequest
  | TmuxOutputRequest
  | ViewersRequest;

/** Starts a task. It loads no other, so that a measured process starts soon. */
export async function startTask(
  request: TaskRequest,
): Promise<
  Task<
    | TimeCost
    | MemoryCost
    | LatencyCost
    | ScrollbackCost
    | SearchCost
    | AnswerCost
    | IdleWaitsCost
    | PictureCost
    | RecordedOutputCost
  >
> {
  switch (request.task) {
    case 'answer':
      return new (await import('./answer.ts')).AnswerTask(request);
    case 'bare output':
      return new (await import('./bare-output.ts')).BareOutputTask(request);
    case 'command':
      return new (await import('./command.ts')).CommandTask(request);
    case 'feed':
      return new (await import('./feed.ts')).FeedTask(request);
    case 'idle waits':
      return new (await import('./idle-waits.ts')).IdleWaitsTask(request);
    case 'latency':
      return new (await import('./latency.ts')).LatencyTask(request);
    case 'memory':
      return new (await import('./memory.ts')).MemoryTask(request);
    case 'picture':
      return new (await import('./picture.ts')).PictureTask(request);
    case 'read':
      return new (await import('./read.ts')).ReadTask(request);
    case 'recorded output':
      return new (await import('./recorded-output.ts')).RecordedOutputTask(request);
    case 'scrollback':
      return new (await import('./scrollback.ts')).ScrollbackTask(request);
    case 'search':
      return new (await import('./search.ts')).SearchTask(request);
    case 'session output':
      return new (await import('./session-output.ts')).SessionOutputTask(request);
    case 'tmux output':
      return new (await import('./tmux-output.ts')).TmuxOutputTask(request);
    case 'viewers':
      return new (await import('./viewers.ts')).ViewersTask(request);
  }
}
