import type { MemoryCost, Task, TimeCost } from '../measuring/task.ts';
import { type AnswerCost, type AnswerRequest, AnswerTask } from './answer.ts';
import { type CommandRequest, CommandTask } from './command.ts';
import { type FeedRequest, FeedTask } from './feed.ts';
import { type IdleWaitsCost, type IdleWaitsRequest, IdleWaitsTask } from './idle-waits.ts';
import { type LatencyCost, type LatencyRequest, LatencyTask } from './latency.ts';
import { type MemoryRequest, MemoryTask } from './memory.ts';
import { type PictureCost, type PictureRequest, PictureTask } from './picture.ts';
import { type ReadRequest, ReadTask } from './read.ts';
import {
  type RecordedOutputCost,
  type RecordedOutputRequest,
  RecordedOutputTask,
} from './recorded-output.ts';
import { type ScrollbackCost, type ScrollbackRequest, ScrollbackTask } from './scrollback.ts';
import { type SearchCost, SearchTask, type SearchTaskRequest } from './search.ts';
import { type SessionOutputRequest, SessionOutputTask } from './session-output.ts';
import { type TmuxOutputRequest, TmuxOutputTask } from './tmux-output.ts';
import { type ViewersRequest, ViewersTask } from './viewers.ts';

/** A task for a measured process. */
export type TaskRequest =
  | AnswerRequest
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

export function startTask(
  request: TaskRequest,
): Task<
  | TimeCost
  | MemoryCost
  | LatencyCost
  | ScrollbackCost
  | SearchCost
  | AnswerCost
  | IdleWaitsCost
  | PictureCost
  | RecordedOutputCost
> {
  switch (request.task) {
    case 'answer':
      return new AnswerTask(request);
    case 'command':
      return new CommandTask(request);
    case 'feed':
      return new FeedTask(request);
    case 'idle waits':
      return new IdleWaitsTask(request);
    case 'latency':
      return new LatencyTask(request);
    case 'memory':
      return new MemoryTask(request);
    case 'picture':
      return new PictureTask(request);
    case 'read':
      return new ReadTask(request);
    case 'recorded output':
      return new RecordedOutputTask(request);
    case 'scrollback':
      return new ScrollbackTask(request);
    case 'search':
      return new SearchTask(request);
    case 'session output':
      return new SessionOutputTask(request);
    case 'tmux output':
      return new TmuxOutputTask(request);
    case 'viewers':
      return new ViewersTask(request);
  }
}
