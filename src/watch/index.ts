export { commandLines, commandOutput, type LineOutput, outputOfLine } from './command-output.ts';
export { EventFeed } from './event-feed.ts';
export { Pattern } from './pattern.ts';
export { read } from './read.ts';
export { markNow } from './read-mark.ts';
export { searchLines } from './search.ts';
export { waitFor } from './wait-for.ts';
