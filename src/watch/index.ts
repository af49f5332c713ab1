export { EventFeed } from './event-feed.ts';
export {
  commandOutput,
  type LineOutput,
  outputOfLine,
} from './reading/command-output.ts';
export { read } from './reading/read.ts';
export { markNow } from './reading/read-mark.ts';
export { Pattern } from './searching/pattern.ts';
export { searchLines } from './searching/search.ts';
export { searchOutput } from './searching/search-output.ts';
export { checkWait, type WaitContext, waitFor } from './waiting/wait-for.ts';
