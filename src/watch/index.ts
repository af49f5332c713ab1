export {
  questionId,
  questionOnScreen,
  type ShownQuestion,
} from './asking/question-on-screen.ts';
export type { ShownScreen } from './asking/shown-rows.ts';
export { EventFeed, type FeedSource } from './event-feed.ts';
export { commandOutput } from './reading/command-output.ts';
export { follow } from './reading/follow.ts';
export {
  type LineOutput,
  outputOfLines,
  outputOnScreen,
  type UnmarkedLine,
} from './reading/line-output.ts';
export { type EarlierReadable, read, readEarlier, readTranscript } from './reading/read.ts';
export {
  type KnownResize,
  type KnownResizes,
  markNow,
  markOffset,
  missedEvents,
} from './reading/read-mark.ts';
export { type Moment, momentAt, momentNow, sinceMs } from './recording/moment.ts';
export {
  defaultRecordingLimits,
  type RecordingLimits,
  RecordingMemory,
  RecordingRing,
} from './recording/recording-ring.ts';
export {
  labelOf,
  type PlacedChange,
  type RecordConsumer,
  type Segment,
} from './recording/segment.ts';
export { SessionRecorder } from './recording/session-recorder.ts';
export { checkPattern, Pattern, promptPatternOf } from './searching/pattern.ts';
export { searchLines, searchOutput } from './searching/search.ts';
export { Transcript } from './transcript/transcript.ts';
export type { AgentSource, StatusSource } from './waiting/agent-conditions.ts';
export {
  isGuess,
  isInComposer,
  questionAsked,
  shownQuestion,
} from './waiting/asked-question.ts';
export { type LineEnd, type LineEnds, waitForLine } from './waiting/line-end.ts';
export { isInterruptedSilently } from './waiting/shell-conditions.ts';
export { shownByIn, steadyPrompt, TypedPrompt } from './waiting/typed-prompt.ts';
export { checkWait, type WaitContext, waitFor } from './waiting/wait-for.ts';
