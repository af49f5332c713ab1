export { EventFeed } from './event-feed.ts';
export { idleCondition } from './idle-condition.ts';
export { Pattern } from './pattern.ts';
export { searchLines } from './search.ts';
export { textCondition } from './text-condition.ts';
export { type Condition, exitOnly, waitFor } from './wait.ts';
